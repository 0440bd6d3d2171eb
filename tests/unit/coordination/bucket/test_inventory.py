"""Which documents the objects of a bucket refer to, and which objects are foreign."""

import pytest
from tests.document_000 import foreign_objects
from tests.document_000 import hash_of as hash_of_bytes

from blobforge.coordination.bucket import inventory
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.domain.job import State
from blobforge.testing.builders import hash_of
from blobforge.testing.job_store.reconciling import jobs_in_all_states
from blobforge.testing.job_store.steps import added, take
from blobforge.testing.simulated_bucket import SimulatedBucket, connected
from blobforge.testing.simulated_client import S3Reply, S3Request
from blobforge.thread_pool import ThreadPool

A = hash_of("a")


@pytest.fixture
def bucket() -> SimulatedBucket:
    return SimulatedBucket()


def opened(bucket: SimulatedBucket) -> BucketJobStore:
    return BucketJobStore(bucket.objects(), pool=ThreadPool(1))


@pytest.mark.parametrize("lane", ["", "lanes/books/pdf/", "lanes/default/echo/"])
@pytest.mark.parametrize(
    "name",
    [
        *("queue/todo/1_critical/{}", "queue/todo/5_background/{}", "queue/failed/{}", "queue/dead/{}"),
        *("queue/cancelled/{}", "queue/processing/{}", "queue/processing/{}.g7", "store/out/{}.zip"),
    ],
)
def test_every_marker_lock_and_result_names_its_document_in_every_lane(
    bucket: SimulatedBucket, lane: str, name: str
) -> None:
    """Also in a lane that is not registered."""
    bucket.objects().put(lane + name.format(A), b"")

    assert opened(bucket).references().documents == {A}
    assert opened(bucket).references().not_understood == ()


def test_a_job_whose_marker_is_not_there_yet_is_named_by_its_id(bucket: SimulatedBucket) -> None:
    """Who adds a job writes its id first."""
    added(opened(bucket), "a")
    bucket.objects().delete(f"queue/todo/3_normal/{A}")

    assert opened(bucket).references().documents == {A}


def test_a_source_a_log_and_a_kept_result_name_nothing(bucket: SimulatedBucket) -> None:
    for name in (f"store/raw/{A}.pdf", f"registry/logs/{A}/error.json", f"store/recipes/{A}-{'0' * 16}.zip"):
        bucket.objects().put(name, b"x")

    assert opened(bucket).references() == (frozenset(), ())


@pytest.mark.parametrize(
    "name",
    [
        *(f"queue/paused/{A}", f"queue/todo/6_never/{A}", "queue/todo/3_normal/README", "queue/processing/notes.txt"),
        *(f"queue/processing/old/{A}", f"store/out/{A}.tar", "store/raw/cover.jpg", f"store/later/{A}.pdf"),
        *("lanes/books", f"lanes/books/pdf/queue/{A}", "lanes/books/pdf/store/raw/x.pdf", f"jobs/{A}", "README.md"),
    ],
)
def test_a_foreign_name_is_reported(bucket: SimulatedBucket, name: str) -> None:
    bucket.objects().put(name, b"whose is it?")

    assert opened(bucket).references() == (frozenset(), (name,))


def test_an_empty_object_as_a_folder_is_known(bucket: SimulatedBucket) -> None:
    for name in ("queue/", "store/raw/", "backup/"):
        bucket.objects().put(name, b"")

    assert opened(bucket).references().not_understood == ()


def test_everything_that_the_queue_writes_itself_is_understood(bucket: SimulatedBucket) -> None:
    store = opened(bucket)
    jobs_in_all_states(store)
    added(store, "elsewhere", project="books", type="echo")

    named = opened(bucket).references()

    assert named.not_understood == ()
    assert len(named.documents) == 9


def test_everything_of_document_000_is_understood(bucket: SimulatedBucket) -> None:
    contents = {state: state.encode() for state in ("waiting", "running", "failed", "dead", "done", "only_stored")}
    for made in foreign_objects(**contents):
        bucket.objects().put(made.name, made.body)

    named = opened(bucket).references()

    assert named.documents == {hash_of_bytes(state.encode()) for state in contents if state != "only_stored"}
    assert named.not_understood == ()


def test_a_running_job_that_lost_its_marker_is_named_by_its_record(bucket: SimulatedBucket) -> None:
    store = opened(bucket)
    added(store, "a")
    (held,) = take(store)
    bucket.objects().delete_many([f"queue/todo/3_normal/{A}"])
    bucket.objects().delete_many([facts.name for facts in bucket.objects().all("registry/ids/")])

    assert held.state is State.RUNNING
    assert opened(bucket).references().documents == {A}


def test_a_cell_that_vanishes_while_it_is_looked_at_names_its_document_all_the_same(bucket: SimulatedBucket) -> None:
    """Its job has moved on, and nobody knows where to: `gc` must not take it for forgotten."""
    added(opened(bucket), "a")
    take(opened(bucket))
    bucket.objects().delete_many([facts.name for facts in bucket.objects().all("") if "processing" not in facts.name])

    named = BucketJobStore(connected(_VanishingCell(bucket)), pool=ThreadPool(1)).references()

    assert named.documents == {A}
    assert opened(bucket).references().documents == set()


class _VanishingCell:
    """Between the listing and the look, the record is gone."""

    def __init__(self, bucket: SimulatedBucket) -> None:
        self._bucket = bucket
        self.now = bucket.now

    def send(self, request: S3Request) -> S3Reply:
        if request.operation == "get_object":
            self._bucket.objects().delete(request.key)
        return self._bucket.send(request)


FOREIGN = (
    "holiday.jpg",
    f"queue/failed/{A}.zip",
    f"queue/todo/3_normal/{A.upper()}",
    "queue/todo/3_normal/nothash",
    f"queue/todo/later/3_normal/{A}",
    "store/out/mine.zip",
    "store/raw/mine.docx",
)


def test_gc_doctor_and_janitor_report_the_same_foreign_objects(bucket: SimulatedBucket) -> None:
    """gc lists all, doctor skips prefixes below which all is ours, and janitor lists those of the queue alone."""
    added(opened(bucket), "a", "b")
    folders = ("queue/", "queue/todo/", "queue/todo/3_normal/", "queue/failed/", "store/out/", "backup/")
    for name in (*FOREIGN, *folders, "doctor/probe", "registry/anything"):
        bucket.objects().put(name, b"")

    by_gc = opened(bucket).references().not_understood
    by_doctor = inventory.foreign_objects(bucket.objects())
    by_janitor = opened(bucket).reconcile(dry_run=True)

    assert by_gc == FOREIGN
    assert sorted(by_doctor) == list(FOREIGN)
    assert {inconsistency.text.partition(" ")[0] for inconsistency in by_janitor if inconsistency.is_left_alone} == {
        name for name in FOREIGN if name not in ("holiday.jpg", "store/raw/mine.docx")
    }
