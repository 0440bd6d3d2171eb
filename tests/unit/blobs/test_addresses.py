"""The address of a blob is where people find it with other tools: messages name nothing that is not there."""

from contextlib import closing
from pathlib import Path

import pytest

from blobforge.blobs.bucket import BucketBlobStore
from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.blobs.library_store import BucketStaging, LibraryBlobStore, UnpublishedBlobStore
from blobforge.domain.ids import RecipeId
from blobforge.domain.recipe import UNRECORDED
from blobforge.ports.blob_store import result_key, source_key
from blobforge.testing.builders import hash_of
from blobforge.testing.simulated_bucket import SimulatedBucket

A = hash_of("a")
SOURCE, OF_ANOTHER, OURS = source_key(A), result_key(A, RecipeId(UNRECORDED)), result_key(A, RecipeId("1" * 16))


@pytest.mark.parametrize("lane", ["", "lanes/books/pdf/"])
def test_in_the_bucket_of_a_queue_sources_and_published_results_are_where_the_queue_has_them(lane: str) -> None:
    objects = SimulatedBucket().objects()
    objects.put("registry/lanes/books~pdf", b"")
    objects.put(f"{lane}store/out/{A}.zip", b"PK")

    with closing(BucketStaging(objects)) as staging:
        store = LibraryBlobStore(objects, staging)

        assert store.address(SOURCE) == f"s3://bucket/store/raw/{A}.pdf"
        assert store.address(OF_ANOTHER) == f"s3://bucket/{lane}store/out/{A}.zip"


def test_in_the_bucket_of_a_queue_other_results_are_where_they_are_kept_or_would_be_published() -> None:
    objects = SimulatedBucket().objects()

    with closing(BucketStaging(objects)) as staging:
        absent = LibraryBlobStore(objects, staging).address(OURS)
        objects.put(f"store/recipes/{A}-{'1' * 16}.zip", b"PK")
        kept = LibraryBlobStore(objects, staging).address(OURS)
        unpublished = UnpublishedBlobStore(objects, staging).address(OURS)

    assert absent == f"s3://bucket/store/out/{A}.zip"
    assert kept == unpublished == f"s3://bucket/store/recipes/{A}-{'1' * 16}.zip"


def test_in_a_bucket_that_is_a_store_alone_and_in_a_folder_blobs_are_under_their_keys(tmp_path: Path) -> None:
    assert BucketBlobStore(SimulatedBucket().objects()).address(SOURCE) == f"s3://bucket/sources/{A}.pdf"
    assert DirectoryBlobStore(tmp_path).address(SOURCE) == f"{tmp_path}/sources/{A}.pdf"
