"""Results on their way into a bucket: what was not published is still there."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from blobforge.blobs.library_store import BucketStaging
from blobforge.domain.errors import NotFound, StoreUnavailable
from blobforge.domain.ids import RecipeId
from blobforge.domain.json_value import canonical_json
from blobforge.ports.blob_store import result_key
from blobforge.testing.builders import a_job
from blobforge.testing.simulated_bucket import SimulatedBucket

KEY = result_key(a_job().source_hash, RecipeId("r" * 16))
JOB = a_job()._replace(result=canonical_json({"key": KEY}))


@pytest.fixture
def staging(tmp_path: Path) -> Iterator[BucketStaging]:
    with closing(BucketStaging(SimulatedBucket().objects())) as staging:
        staging.work_in(tmp_path / "room")
        made = tmp_path / "made.zip"
        made.write_bytes(b"a result")
        staging.stage(KEY, made)
        yield staging


def publish(staging: BucketStaging, error: Exception | None = None) -> bytes | None:
    """What a try to publish found to publish."""
    with staging.opened(JOB) as archive:
        found = None if archive is None else archive.read_bytes()
        if error is not None:
            raise error
    return found


@pytest.mark.parametrize("error", [StoreUnavailable("the bucket is away"), OSError("the disk is full")])
def test_a_result_whose_publication_failed_waits_for_the_next_try(staging: BucketStaging, error: Exception) -> None:
    with pytest.raises(type(error)):
        publish(staging, error)

    assert staging.staged(KEY) is not None
    assert publish(staging) == b"a result"


def test_a_result_that_was_published_is_let_go_of(staging: BucketStaging, tmp_path: Path) -> None:
    publish(staging)

    assert staging.staged(KEY) is None
    assert [path for path in (tmp_path / "room").rglob("*") if path.is_file()] == []
    with pytest.raises(NotFound):
        publish(staging)


def test_a_run_that_made_no_archive_has_nothing_to_publish(staging: BucketStaging) -> None:
    with staging.opened(JOB._replace(result="{}")) as archive:
        assert archive is None
