"""What of a result archive may become a file: its names and sizes are looked at before anything is written."""

import re
import stat as modes
import zipfile

LONGEST_NAME = 255
"""Bytes; what file systems allow."""
LARGEST_TEXT = 256 * 1024 * 1024
"""The Markdown is held in memory."""

ASSETS = "assets/"
_DRIVE = re.compile(r"[A-Za-z]:")
_SMALL = 64 * 1024 * 1024
_MOST_GROWTH = 100


def assets_in(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The pictures by their names. Raises ValueError when one must not be written."""
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in archive.infolist():
        if entry.filename.startswith(ASSETS) and entry.filename != ASSETS:
            name = entry.filename.removeprefix(ASSETS)
            if not _is_safe(name) or modes.S_ISLNK(entry.external_attr >> 16):
                raise ValueError(f"the archive holds a file with the unsafe name {entry.filename!r}")
            if name in found:
                raise ValueError(f"the archive holds two files with the name {entry.filename!r}")
            require_honest_size(entry)
            found[name] = entry
    return found


def text_in(archive: zipfile.ZipFile, name: str) -> bytes:
    """Raises ValueError for one that is no text of a document by its size, KeyError when there is none."""
    entry = archive.getinfo(name)
    if entry.file_size > LARGEST_TEXT:
        raise ValueError(f"its {name} is too large to be a document")
    return archive.read(entry)


def require_honest_size(entry: zipfile.ZipInfo) -> None:
    """Raises ValueError for a file that is next to nothing packed and would fill the disk. Ours are not packed."""
    if entry.file_size > _SMALL and entry.file_size > _MOST_GROWTH * entry.compress_size:
        raise ValueError(f"the archive holds {entry.filename!r}, which grows to {entry.file_size} bytes")


def _is_safe(name: str) -> bool:
    """One plain name on every system: no way out of the folder, no drive, nothing that cannot be seen."""
    return (
        name not in (".", "..")
        and not {"/", "\\"} & set(name)
        and not _DRIVE.match(name)
        and name.isprintable()
        and len(name.encode("utf-8")) <= LONGEST_NAME
    )
