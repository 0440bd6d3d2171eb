"""What a source in a bucket says of itself to people with other tools."""

import uuid
from contextlib import closing
from pathlib import Path

import pytest
from tests.seaweed import Seaweed

from blobforge.blobs.bucket import BucketBlobStore
from blobforge.objectstore import transfers
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import Place
from blobforge.ports.blob_store import BlobKey


@pytest.mark.parametrize("size", [10, transfers.PART_SIZE + 1], ids=["in one piece", "in parts"])
def test_labels_are_the_metadata_of_the_object(seaweed: Seaweed, tmp_path: Path, size: int) -> None:
    """R0-38."""
    labels = {"original-name": "Zürich.pdf", "tags": '["rules"]', "size": str(size)}
    (tmp_path / "one.pdf").write_bytes(b" " * size)
    with closing(ObjectStore(Place(seaweed.bucket, f"{uuid.uuid4().hex}/", seaweed.access))) as objects:
        BucketBlobStore(objects).put(BlobKey("sources/one.pdf"), tmp_path / "one.pdf", labels=labels)

        stored = objects.head("sources/one.pdf")

    assert stored is not None
    assert (stored.size, dict(stored.metadata)) == (size, labels)


def test_many_blobs_are_looked_up_in_one_listing(seaweed: Seaweed, tmp_path: Path) -> None:
    (tmp_path / "one.pdf").write_bytes(b" ")
    with closing(ObjectStore(Place(seaweed.bucket, f"{uuid.uuid4().hex}/", seaweed.access))) as objects:
        store = BucketBlobStore(objects)
        store.put(BlobKey("sources/7.pdf"), tmp_path / "one.pdf")
        objects.requests.clear()

        found = store.stat_many([BlobKey(f"sources/{number}.pdf") for number in range(500)])

        assert (list(found), objects.requests.total()) == (["sources/7.pdf"], 1)
