"""Whether what a worker uploaded is a result at all, before anybody finds it. No more of it is held in memory than a
result has reason for."""

import io
import zipfile
from typing import BinaryIO, cast

from blobforge.conversion.archive_members import require_safe_members
from blobforge.domain.errors import ResultDamaged
from blobforge.ports.blob_store import BlobKey
from blobforge.worker.bounded_archive import open_archive
from blobforge.worker.results import DAMAGE, INFO_NAME, info_in, require_whole

MOST_AT_ONCE = 16 * 1024 * 1024
"""Bytes in one piece: of the list of files, of which the largest result has 100,000, and of `info.json`."""
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""Others ask for as much memory as they like."""


def require_result(stream: BinaryIO, name: str, *, is_recorded: bool) -> None:
    """A readable archive with safe names. One that says by which recipe it was made is of our own form and has an
    account of itself. Raises ResultDamaged with why not."""
    key = BlobKey(name)
    try:
        with open_archive(cast("BinaryIO", _InPieces(stream))) as archive:
            _require_members(archive)
            require_safe_members(archive)
            require_whole(archive, name)
            if is_recorded or INFO_NAME in archive.namelist():
                info_in(archive, key)
    except DAMAGE as error:
        raise ResultDamaged(f"{name} is no archive of a result: {error}") from error


def _require_members(archive: zipfile.ZipFile) -> None:
    """Raises ValueError."""
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if not entries:
        raise ValueError("it holds no file")
    for entry in entries:
        if entry.compress_type not in _METHODS:
            raise ValueError(f"{entry.filename!r} is packed by a method that results do not have")


class _InPieces(io.BufferedIOBase):
    """Refuses to be read in a piece that is too large: an archive says itself how long the list of its files is."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def read(self, size: int | None = -1, /) -> bytes:
        """Raises ValueError."""
        wanted = -1 if size is None else size
        content = self._stream.read(MOST_AT_ONCE + 1 if wanted < 0 else min(wanted, MOST_AT_ONCE + 1))
        if len(content) > MOST_AT_ONCE:
            raise ValueError(f"it has to be read in pieces of more than {MOST_AT_ONCE:,} bytes")
        return content

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True
