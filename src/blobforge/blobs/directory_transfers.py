"""Transfers of a store in a folder: a copy is another name for the same bytes, and URLs are the server's to sign."""

import errno
import os
import shutil
import uuid
from datetime import timedelta
from pathlib import Path

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.domain.errors import NotFound, StoreUnavailable
from blobforge.ports.blob_store import BlobKey
from blobforge.ports.transfers import Method


class DirectoryTransfers:
    def __init__(self, store: DirectoryBlobStore) -> None:
        self._store = store

    def signed(self, key: BlobKey, *, method: Method, valid_for: timedelta, size: int | None = None) -> None:
        """A folder has nobody who could check a signature but the server before it."""

    def copy(self, source: BlobKey, target: BlobKey) -> None:
        path = self._store.local_path(source)
        if path is None:
            raise NotFound(f"there is no blob {source}")
        # Blobs are never changed in place, so two names may share the bytes.
        link = self._store.incoming / uuid.uuid4().hex
        try:
            if _is_linked(path, link):
                self._store.name(target, link)
            else:
                shutil.copyfile(path, link)
                self._store.adopt(target, link)
        except OSError as error:
            raise StoreUnavailable(f"{self._store.address(target)} cannot be written: {error.strerror}") from error
        finally:
            link.unlink(missing_ok=True)


def _is_linked(path: Path, link: Path) -> bool:
    """False where the file system cannot."""
    try:
        os.link(path, link)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV):
            raise
        return False
    return True
