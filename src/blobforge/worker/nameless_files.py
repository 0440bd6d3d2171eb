"""Files without a name that processes still hold, open or mapped: no look at a folder finds them."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISREG

_File = tuple[int, int]
_BLOCK = 512
_DELETED = b" (deleted)"
_IN_MEMORY = (b"/memfd:", b"/dev/zero", b"/SYSV", b"/dev/shm/")
"""What the system calls memory that processes share: it belongs to none of them."""


@dataclass(frozen=True, slots=True)
class NamelessFiles:
    """Bytes by file, each once, whoever holds it."""

    in_memory: dict[_File, int] = field(default_factory=dict)
    on_disk: dict[_File, int] = field(default_factory=dict)


def nameless_files(members: Iterable[int], written: Path) -> NamelessFiles:
    """Of these processes; among mapped files on a disk only those from below the folder `written`, since libraries that
    were upgraded meanwhile are such files too."""
    found = NamelessFiles()
    for member in members:
        for path in _open_files(member):
            with suppress(OSError):
                facts = os.stat(path)  # noqa: PTH116 - every second, for every child
                if S_ISREG(facts.st_mode) and not facts.st_nlink:
                    is_in_memory = os.readlink(path).startswith("/memfd:")  # noqa: PTH115 - likewise
                    held = found.in_memory if is_in_memory else found.on_disk
                    held[facts.st_dev, facts.st_ino] = facts.st_blocks * _BLOCK
    below = os.fsencode(written) + b"/"
    for member in members:
        for file, name, size in _mapped_files(member):
            if name.startswith(_IN_MEMORY):
                found.in_memory[file] = max(found.in_memory.get(file, 0), size)
            elif name.startswith(below):
                found.on_disk[file] = max(found.on_disk.get(file, 0), size)
    return found


def _open_files(pid: int) -> list[str]:
    try:
        return [f"/proc/{pid}/fd/{number}" for number in os.listdir(f"/proc/{pid}/fd")]  # noqa: PTH208 - likewise
    except OSError:
        return []


def _mapped_files(pid: int) -> Iterator[tuple[_File, bytes, int]]:
    """Deleted ones, each mapping for itself: the file, the name that it had, and its size."""
    try:
        with open(f"/proc/{pid}/maps", "rb") as listed:  # noqa: PTH123 - likewise
            mappings = [line for line in listed.read().splitlines() if line.endswith(_DELETED)]
    except OSError:
        return
    for mapping in mappings:
        place, _, _, device, inode, name = mapping.split(None, 5)
        major, _, minor = device.partition(b":")
        file = os.makedev(int(major, 16), int(minor, 16)), int(inode)
        yield file, name.removesuffix(_DELETED), _size_of(pid, place.decode("ascii"))


def _size_of(pid: int, place: str) -> int:
    """Of a mapped file; only root is told, and anybody else goes by the length of the mapping."""
    with suppress(OSError):
        return os.stat(f"/proc/{pid}/map_files/{place}").st_blocks * _BLOCK  # noqa: PTH116 - likewise
    start, _, end = place.partition("-")
    return int(end, 16) - int(start, 16)
