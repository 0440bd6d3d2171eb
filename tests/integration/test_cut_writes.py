"""A connection that ends between the headers and the body of a PUT, at a real store that keeps an empty object then."""

import uuid
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from botocore.exceptions import BotoCoreError, ClientError
from tests.faulty_s3 import Fault, FaultyS3
from tests.seaweed import Seaweed

from blobforge.blobs.bucket import BucketBlobStore
from blobforge.blobs.library_store import BucketStaging, LibraryBlobStore
from blobforge.coordination.bucket.names import MAIN
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.domain import lifecycle
from blobforge.domain.errors import NotFound
from blobforge.domain.ids import RecipeId
from blobforge.domain.job import Job, State, lease_of
from blobforge.domain.json_value import canonical_json
from blobforge.manifests.bucket import BucketShards
from blobforge.manifests.manifest import ShardedManifest
from blobforge.objectstore import transfers
from blobforge.objectstore.answers import Retries
from blobforge.objectstore.client import ObjectStore, Only
from blobforge.objectstore.place import Place
from blobforge.ports.blob_store import result_key, source_key
from blobforge.ports.job_store import Transition
from blobforge.ports.shards import MANIFEST, PENDING
from blobforge.testing.builders import BOB, hash_of
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import added, take
from blobforge.testing.manifest_contract import seen

A = hash_of("a")
OUT, RECORD = MAIN.out(A), MAIN.record(A, 1)
RESULT = result_key(A, RecipeId("0123456789abcdef"))


@pytest.fixture
def prefix() -> str:
    return f"{uuid.uuid4().hex}/"


@pytest.fixture
def objects(seaweed: Seaweed, faulty_s3: FaultyS3, prefix: str) -> Iterator[ObjectStore]:
    """By way of the faulty connection."""
    with closing(ObjectStore(Place(seaweed.bucket, prefix, faulty_s3.access), retries=Retries(seconds=20))) as objects:
        yield objects


def leave_remains(objects: ObjectStore, faulty: FaultyS3, name: str, **facts: object) -> None:
    """What an older release has left, which tells no digest."""
    with faulty.fault(Fault.CUT_REQUEST, method="PUT"), suppress(BotoCoreError, ClientError):
        key = objects.place.key(name)
        objects._client.put_object(Bucket=objects.place.bucket, Key=key, Body=b"cut off", **facts)
    assert objects.remains(name) is not None


def test_this_store_keeps_an_empty_object_with_its_metadata_of_a_put_that_tells_no_digest(
    objects: ObjectStore, faulty_s3: FaultyS3
) -> None:
    leave_remains(objects, faulty_s3, OUT, Metadata={"nonce": "1"})

    left = objects.remains(OUT)

    assert left is not None
    assert (left.size, left.metadata) == (0, {"nonce": "1"})
    assert objects.get(OUT) is None
    assert objects.head(OUT) is None
    assert list(objects.all("store/")) == []


def test_a_put_that_is_cut_off_leaves_nothing_and_what_was_there_stays(
    objects: ObjectStore, faulty_s3: FaultyS3, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"of a file")
    puts: dict[str, Callable[[Only], object]] = {
        "put": lambda only: objects.put(OUT, b"of memory", only=only),
        "put_file": lambda only: objects.put_file(OUT, tmp_path / "file", only=only),
        "upload": lambda _: transfers.upload(objects, OUT, tmp_path / "file"),
    }
    once = objects._retries._replace(seconds=0)
    for put in puts.values():
        for before in (None, b"before"):
            objects.delete(OUT)
            etag = objects.put(OUT, before) if before is not None else None
            only = Only(if_new=True) if etag is None else Only(if_etag=etag)
            patient, objects._retries = objects._retries, once
            with faulty_s3.fault(Fault.CUT_REQUEST, method="PUT"), suppress(Exception):
                put(only)
            objects._retries = patient

            there = objects.get(OUT)
            assert objects.remains(OUT) is None
            assert (there.body if there is not None else None) == before


def test_a_worker_whose_upload_is_cut_off_publishes_its_result(
    objects: ObjectStore, faulty_s3: FaultyS3, tmp_path: Path
) -> None:
    staging = BucketStaging(objects)
    blobs, jobs = LibraryBlobStore(objects, staging), BucketJobStore(objects, staging=staging)
    with closing(staging):
        added(jobs, "a")
        leave_remains(objects, faulty_s3, RECORD)
        (held,) = take(jobs, worker_id=BOB)
        leave_remains(objects, faulty_s3, OUT)
        with zipfile.ZipFile(tmp_path / "made.zip", "w") as archive:
            archive.writestr("document.md", "text")
        blobs.adopt(RESULT, tmp_path / "made.zip")
        result = canonical_json({"key": RESULT, "recipe": "0123456789abcdef"})

        def completing(job: Job) -> Job:
            return lifecycle.complete(job, lease_of(held), result=result, now=START)

        with faulty_s3.fault(Fault.CUT_REQUEST, method="PUT", path="store/out/", times=2):
            (done,) = jobs.apply([Transition(held, completing)]).outcomes

        assert isinstance(done, Job)
        assert jobs.get(done.id).state is State.COMPLETED
        with blobs.open(RESULT) as stream, zipfile.ZipFile(stream) as archive:
            assert archive.read("document.md") == b"text"


@pytest.mark.parametrize("name", [MANIFEST, f"{PENDING}0-20260101T000000000000Z-0123456789abcdef.json"])
def test_the_manifest_is_read_and_written_beside_what_was_cut_off(
    objects: ObjectStore, faulty_s3: FaultyS3, name: str
) -> None:
    leave_remains(objects, faulty_s3, name)
    manifest = ShardedManifest(BucketShards(objects), clock=objects)

    manifest.record([seen("handbook")])
    with faulty_s3.fault(Fault.CUT_REQUEST, method="PUT", path="registry/manifest", times=1):
        manifest.finish()

    assert set(ShardedManifest(BucketShards(objects), clock=objects).entries()) == {hash_of("handbook")}


def test_a_store_beside_another_queue_has_no_result_and_no_source_where_one_was_cut_off(
    objects: ObjectStore, faulty_s3: FaultyS3, tmp_path: Path
) -> None:
    blobs = BucketBlobStore(objects)
    (tmp_path / "file").write_bytes(b"a result")
    for key in (RESULT, source_key(A)):
        leave_remains(objects, faulty_s3, key)

        assert blobs.stat(key) is None
        assert blobs.renew(key) is None
        assert list(blobs.list("")) == []
        with pytest.raises(NotFound):
            blobs.open(key)
        assert blobs.put(key, tmp_path / "file").size == 8
        assert blobs.stat(key) is not None
        blobs.delete(key)
