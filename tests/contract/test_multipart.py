"""Every store that takes files in parts under the one contract."""

import uuid
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from tests.seaweed import Seaweed

from blobforge.blobs.bucket import BucketBlobStore
from blobforge.blobs.bucket_multipart import BucketMultipart
from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.blobs.directory_multipart import DirectoryMultipart
from blobforge.domain.uploads import FilePart
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import Place
from blobforge.ports.blob_store import BlobStore
from blobforge.ports.multipart import Multipart
from blobforge.testing.multipart_contract import KEY, LAST, MultipartContract


class TestDirectory(MultipartContract):
    @pytest.fixture
    def blobs(self, tmp_path: Path) -> DirectoryBlobStore:
        return DirectoryBlobStore(tmp_path / "store", durable=False)

    @pytest.fixture
    def multipart(self, blobs: DirectoryBlobStore) -> Multipart:
        return DirectoryMultipart(blobs)

    def test_gc_sees_the_parts_among_what_is_on_its_way(
        self, multipart: Multipart, blobs: BlobStore, tmp_path: Path
    ) -> None:
        self.send(multipart, 1, LAST, tmp_path / "part")

        for leftover in blobs.leftovers():
            blobs.clear(leftover)

        assert multipart.found(KEY) is None


class TestBucket(MultipartContract):
    @pytest.fixture
    def objects(self, seaweed: Seaweed) -> Iterator[ObjectStore]:
        with closing(ObjectStore(Place(seaweed.bucket, f"a prefix/{uuid.uuid4().hex}/", seaweed.access))) as objects:
            yield objects

    @pytest.fixture
    def blobs(self, objects: ObjectStore) -> BlobStore:
        return BucketBlobStore(objects)

    @pytest.fixture
    def multipart(self, objects: ObjectStore) -> Multipart:
        return BucketMultipart(objects, objects)

    def test_addresses_are_those_by_which_clients_reach_the_bucket(self, objects: ObjectStore) -> None:
        """A signature covers the host."""
        outside = objects.place.access._replace(endpoint_url="https://files.example.org")
        with closing(ObjectStore(objects.place._replace(access=outside))) as public:
            multipart = BucketMultipart(objects, public)

            signed = multipart.signed(multipart.begun(KEY), part_of(LAST), valid_for=timedelta(hours=1))

        assert signed.url.startswith("https://files.example.org/")
        assert signed.headers == {"Content-Length": str(len(LAST))}

    def test_two_that_begin_at_once_go_on_with_one_and_leave_none(
        self, objects: ObjectStore, multipart: Multipart, tmp_path: Path
    ) -> None:
        """The second one of them is begun by somebody who has looked before the first was."""
        begun = multipart.begun(KEY)
        self.send(multipart, 1, LAST, tmp_path / "part")
        objects.transfer("create_multipart_upload", KEY)

        again = multipart.begun(KEY)
        assert again.id == begun.id
        multipart.join(again, [part_of(LAST)])

        assert list(objects.uploads()) == []


def part_of(content: bytes) -> FilePart:
    return FilePart(1, 0, len(content))
