"""Every blob store under the one contract."""

import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.seaweed import Seaweed

from blobforge.blobs.bucket import BucketBlobStore
from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.blobs.library_store import BucketStaging, LibraryBlobStore, UnpublishedBlobStore
from blobforge.domain.ids import RecipeId, SourceHash
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import Place
from blobforge.ports.blob_store import BlobStore, result_key
from blobforge.server.metered_store import Meter, MeteredBlobs
from blobforge.testing.blob_store_contract import BlobStoreContract


class TestDirectory(BlobStoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> BlobStore:
        return DirectoryBlobStore(tmp_path / "store")


class TestMetered(BlobStoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> BlobStore:
        return MeteredBlobs(DirectoryBlobStore(tmp_path / "store"), Meter(lambda *_: None))


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
        with closing(ObjectStore(place)) as objects, closing(BucketStaging(objects)) as staging:
            yield LibraryBlobStore(objects, staging)


class TestBucketOfAQueueWithoutPublishing(BlobStoreContract):
    @pytest.fixture
    def store(self, seaweed: Seaweed) -> Iterator[BlobStore]:
        place = Place(seaweed.bucket, f"{uuid.uuid4().hex}/", seaweed.access)
        with closing(ObjectStore(place)) as objects, closing(BucketStaging(objects)) as staging:
            yield UnpublishedBlobStore(objects, staging)

    def test_a_result_is_found_by_its_recipe_and_is_not_published(self, store: BlobStore, tmp_path: Path) -> None:
        source_hash = SourceHash("ab" * 32)
        part, other = (result_key(source_hash, RecipeId(digit * 16)) for digit in "12")
        made = tmp_path / "made.zip"
        made.write_bytes(b"a result")

        store.adopt(part, made)

        with store.open(part) as stream:
            assert stream.read() == b"a result"
        assert [found.key for found in store.list("outputs/")] == [part]
        assert store.stat(other) is None

    def test_a_published_result_of_an_unknown_recipe_is_not_taken_for_it(self, seaweed: Seaweed) -> None:
        source_hash = SourceHash("cd" * 32)
        place = Place(seaweed.bucket, f"{uuid.uuid4().hex}/", seaweed.access)
        with closing(ObjectStore(place)) as objects, closing(BucketStaging(objects)) as staging:
            objects.put(f"store/out/{source_hash}.zip", b"of another program")

            assert UnpublishedBlobStore(objects, staging).stat(result_key(source_hash, RecipeId("1" * 16))) is None
