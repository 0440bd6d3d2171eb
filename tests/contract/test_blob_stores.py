"""Every blob store under the one contract."""

from pathlib import Path

import pytest

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.ports.blob_store import BlobStore
from blobforge.testing.blob_store_contract import BlobStoreContract


class TestDirectory(BlobStoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> BlobStore:
        return DirectoryBlobStore(tmp_path / "store")
