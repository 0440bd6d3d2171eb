"""The content hash of a file, verified against a change while it was read."""

import hashlib
import os
from pathlib import Path

from blobforge.domain.errors import SourceChanged, SourceMissing, SourceUnreadable
from blobforge.domain.ids import SourceHash
from blobforge.ports.hash_cache import FileStat, HashedFile


def hash_file(path: str) -> HashedFile:
    """Raises SourceMissing, SourceUnreadable, and SourceChanged for a file that someone is writing to."""
    try:
        with Path(path).open("rb") as file:
            before = os.fstat(file.fileno())
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            after = os.fstat(file.fileno())
    except FileNotFoundError as error:
        raise SourceMissing(f"{path} is not there any more") from error
    except OSError as error:
        raise SourceUnreadable(f"{path} cannot be read: {error.strerror or error}") from error
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise SourceChanged(f"{path} was being written to while it was read; try again when that is done")
    return HashedFile(FileStat(path, after.st_size, after.st_mtime_ns), SourceHash(digest))
