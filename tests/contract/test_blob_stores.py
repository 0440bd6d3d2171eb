"""Every blob store under the one contract."""

import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.seaweed import Seaweed

from blobforge.blobs.bucket import BucketBlobStore
from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.blobs.published import LibraryBlobStore, Press
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import Place
from blobforge.ports.blob_store import BlobStore
from blobforge.testing.blob_store_contract import BlobStoreContract


class TestDirectory(BlobStoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> BlobStore:
        return DirectoryBlobStore(tmp_path / "store")


class TestBucket(BlobStoreContract):
    @pytest.fixture
    def store(self, seaweed: Seaweed) -> Iterator[BlobStore]:
        place = Place(seaweed.bucket, f"a prefix/{uuid.uuid4().hex}/", seaweed.access)
        with closing(ObjectStore(place)) as objects:
            yield BucketBlobStore(objects)


class TestBucketOfAQueue(BlobStoreContract):
    @pytest.fixture
    def store(self, seaweed: Seaweed) -> Iterator[BlobStore]:
        place = Place(seaweed.bucket, f"{uuid.uuid4().hex}/", seaweed.access)
        with closing(ObjectStore(place)) as objects, closing(Press(objects)) as press:
            yield LibraryBlobStore(objects, press)
