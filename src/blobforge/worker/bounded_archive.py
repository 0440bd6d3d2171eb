"""Results as archives that cannot grow without bound: what they say of their sizes is looked at before they are read.

What we make ourselves is not packed at all. Results of older writers are, and a Markdown of many like rows may
become a fiftieth of its size; a bomb becomes a thousandth.
"""

import os
import zipfile
from typing import IO

MOST_FILES = 100_000
"""Each costs its place on the disk however small it is. The settings allow a document fewer pictures than this."""
FREE_GROWTH = 64 * 1024 * 1024
"""As much as an archive may hold however small it is."""
MOST_GROWTH = 20
"""So many times its own size may all that is in a larger archive be."""
FREE_GROWTH_OF_A_FILE = 16 * 1024 * 1024
MOST_GROWTH_OF_A_FILE = 100


def open_archive(file: IO[bytes] | os.PathLike[str] | str) -> zipfile.ZipFile:
    """Raises ValueError for a bomb, and what the standard library raises for a zip file with some bytes wrong.

    A file never gives more bytes than its entry says: so the entries are all that has to be looked at.
    """
    archive = zipfile.ZipFile(file)
    try:
        _require_bounds(archive)
    except BaseException:
        archive.close()
        raise
    return archive


def _require_bounds(archive: zipfile.ZipFile) -> None:
    packed, total = _size_of(archive), sum(entry.file_size for entry in archive.infolist())
    # By the size of the whole archive: entries may share their bytes, and each claim all of them.
    if total > max(FREE_GROWTH, MOST_GROWTH * packed):
        raise ValueError(f"its {packed:,} bytes would become {total:,}, which no result does")
    if len(archive.infolist()) > MOST_FILES:
        raise ValueError(f"it holds {len(archive.infolist()):,} files, and a result has at most {MOST_FILES:,}")
    for entry in archive.infolist():
        if entry.file_size > max(FREE_GROWTH_OF_A_FILE, MOST_GROWTH_OF_A_FILE * entry.compress_size):
            raise ValueError(f"the archive holds {entry.filename!r}, which grows to {entry.file_size:,} bytes")


def _size_of(archive: zipfile.ZipFile) -> int:
    assert archive.fp is not None, "an archive that was just opened has its file"
    return archive.fp.seek(0, os.SEEK_END)
