"""The hash of a file in the file's own attributes: it moves with the file, and other programs and machines see it."""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress

from blobforge.domain.errors import InvalidValue
from blobforge.domain.ids import SourceHash, parse_source_hash
from blobforge.ports.hash_cache import FileStat, HashedFile

SHA256 = "user.checksum.sha256"
MTIME = "user.checksum.mtime"
OURS = "user.checksum.blobforge"
"""Size, time in nanoseconds and hash in one: it is written in one step, and read in one."""

_SECOND_NS = 1_000_000_000


class XattrHashCache:
    """A HashCache that is silent where there are no attributes: on other systems, and where the file system refuses.

    `user.checksum.sha256` and `user.checksum.mtime` are written for other programs. Alone they are not trusted: a time
    in whole seconds does not show what was written later within its second, and nothing tells whether that happened
    before or after they were written. `user.checksum.blobforge` has the time to the nanosecond, and the size.
    """

    def known(self, files: Sequence[FileStat]) -> dict[str, SourceHash]:
        found: dict[str, SourceHash] = {}
        if not hasattr(os, "getxattr"):
            return found
        for path, size, mtime_ns in files:
            try:
                written = os.getxattr(path, OURS)
            except (OSError, ValueError):
                continue
            expected = _prefix(size, mtime_ns)
            if written.startswith(expected) and (source_hash := _hash(written[len(expected) :])) is not None:
                found[path] = source_hash
        return found

    def remember(self, files: Iterable[HashedFile]) -> None:
        if not hasattr(os, "setxattr"):
            return
        for file in files:
            with suppress(OSError, ValueError):
                _write(file)

    def paths_of(self, source_hash: SourceHash) -> list[str]:  # noqa: ARG002 - the form of the port
        """A file knows its hash; nobody knows the files of a hash."""
        return []


def _prefix(size: int, mtime_ns: int) -> bytes:
    return b"%d %d " % (size, mtime_ns)


def _hash(text: bytes) -> SourceHash | None:
    try:
        return parse_source_hash(text.decode("ascii", "replace"))
    except InvalidValue:
        return None


def _write(file: HashedFile) -> None:
    """Only where the file is still as it was hashed. A file too young to be trusted has a stat that no file has."""
    (path, size, mtime_ns), source_hash = file
    facts = os.stat(path)  # noqa: PTH116 - the path is text
    if (facts.st_size, facts.st_mtime_ns) != (size, mtime_ns):
        return
    content = source_hash.encode()
    os.setxattr(path, OURS, _prefix(size, mtime_ns) + content)
    os.setxattr(path, SHA256, content)
    os.setxattr(path, MTIME, b"%d" % (mtime_ns // _SECOND_NS))
