"""What of a result archive may become a file: its names and sizes are looked at before anything is written."""

import re
import stat as modes
import zipfile
from collections.abc import Iterable

from blobforge.worker.results import ASSETS

LONGEST_NAME = 255
"""Bytes; what file systems allow."""
LARGEST_TEXT = 256 * 1024 * 1024
"""The Markdown is held in memory."""

DOCUMENT = "document.md"
EXPLANATION = "explain.html"
_OWN = frozenset({DOCUMENT, EXPLANATION, "document.json", "info.json"})
"""What a result of ours holds beside its pictures."""
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


def document_name(archive: zipfile.ZipFile) -> str | None:
    """Of the Markdown in it, which other programs call after the document; None when there is none, or several."""
    texts = [entry.filename for entry in archive.infolist() if entry.filename.lower().endswith(".md")]
    if DOCUMENT in texts:
        return DOCUMENT
    return texts[0] if len(texts) == 1 else None


def beside_markdown(archive: zipfile.ZipFile, markdown: str) -> dict[str, zipfile.ZipInfo]:
    """By the links that the Markdown has to them: the pictures, and whatever else another program put into the archive.

    Raises ValueError when one must not be written.
    """
    folder = markdown.rpartition("/")[0]
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in archive.infolist():
        name = entry.filename
        if entry.is_dir() or name in _OWN or name == markdown:
            continue
        # Our own pictures have one plain name; other programs have folders of their own.
        _require_safe(entry, [name.removeprefix(ASSETS)] if name.startswith(ASSETS) else name.split("/"))
        link = name.removeprefix(f"{folder}/") if folder else name
        if link in found:
            raise ValueError(f"the archive holds two files with the name {name!r}")
        found[link] = entry
    return found


def require_safe_members(archive: zipfile.ZipFile) -> None:
    """For who hands out the archive as it is: whoever unpacks it may be less careful than we are. Raises ValueError."""
    for entry in archive.infolist():
        _require_safe(entry, entry.filename.removesuffix("/").split("/"))


def file_names(links: Iterable[str]) -> dict[str, str]:
    """One plain name for each link: that of the file, or with its folders where two files have the same.

    Raises ValueError where that is not to be had.
    """
    names: dict[str, str] = {}
    for link in links:
        plain = link.rpartition("/")[2]
        name = plain if plain not in names.values() else link.replace("/", "-")
        if name in names.values() or len(name.encode("utf-8")) > LONGEST_NAME:
            raise ValueError(f"the archive holds two files with the name {plain!r}")
        names[link] = name
    return names


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


def _require_safe(entry: zipfile.ZipInfo, parts: Iterable[str]) -> None:
    if modes.S_ISLNK(entry.external_attr >> 16) or not all(map(_is_safe, parts)):
        raise ValueError(f"the archive holds a file with the unsafe name {entry.filename!r}")
    require_honest_size(entry)


def _is_safe(name: str) -> bool:
    """One plain name on every system: no way out of the folder, no drive, nothing that cannot be seen."""
    return (
        name not in ("", ".", "..")
        and not {"/", "\\"} & set(name)
        and not _DRIVE.match(name)
        and name.isprintable()
        and len(name.encode("utf-8")) <= LONGEST_NAME
    )
