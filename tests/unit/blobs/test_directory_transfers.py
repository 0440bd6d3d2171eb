"""Copies within a folder of blobs."""

import errno
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.blobs.directory_transfers import DirectoryTransfers
from blobforge.ports.blob_store import BlobKey

KEY = BlobKey("outputs/a.zip")


@pytest.mark.parametrize("has_links", [True, False])
def test_a_copy_is_as_old_as_its_being_made_whatever_the_age_of_what_was_uploaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_links: bool
) -> None:
    """`gc` deletes what is old: a result that was uploaded long before its job ended is young when it is published."""

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    root, file = tmp_path / "store", tmp_path / "file"
    store = DirectoryBlobStore(root)
    file.write_bytes(b"content")
    store.put(KEY, file)
    os.utime(root / KEY, (1_000_000_000, 1_000_000_000))
    if not has_links:
        monkeypatch.setattr(os, "link", refuse)
    earliest = datetime.now(UTC) - timedelta(seconds=5)

    DirectoryTransfers(store).copy(KEY, BlobKey("outputs/ab/b.zip"))

    copied = store.stat(BlobKey("outputs/ab/b.zip"))
    assert copied is not None
    assert copied.modified > earliest
