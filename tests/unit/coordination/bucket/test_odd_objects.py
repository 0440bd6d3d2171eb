"""Objects that nobody can read, of every kind that the queue reads: each counts as one that another program wrote, and
the other jobs go on."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

import pytest

from blobforge.coordination.bucket.names import FILES, IDENTITY, MAIN, RECORDS, WORKERS, IndexName
from blobforge.coordination.bucket.reaper_election import NAME as ELECTION
from blobforge.coordination.bucket.reaper_election import ReaperElection
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.domain.errors import InvalidSettings, NotFound
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job, State
from blobforge.domain.pairing import QueueIdentity
from blobforge.domain.service_record import ServiceRecord
from blobforge.objectstore import bucket_format
from blobforge.objectstore.client import ObjectStore
from blobforge.ports.job_store import JobFilter, Transition
from blobforge.testing.builders import hash_of
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import added, completing, reap_due, take
from blobforge.testing.simulated_bucket import SimulatedBucket
from blobforge.thread_pool import ThreadPool

ODD = hash_of("odd")
"""The document whose objects cannot be read."""


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


def job_that_says(**facts: object) -> str:
    """A job as we write it, but for these facts."""
    plain = {"id": 7, "project": "default", "type": "pdf", "source_hash": ODD, "state": "pending", "priority": 3}
    counts = {"attempts": 0, "max_attempts": 3, "lease_number": 0, "rev": 0, "tags": "[]", "metadata": "{}"}
    times = {"created_at": "2026-01-01T00:00:00+00:00", "updated_at": "2026-01-01T00:00:00+00:00"}
    return json.dumps({"state": "pending", "generation": 1, "job": {**plain, **counts, **times, **facts}})


BODIES: Mapping[str, bytes] = {
    "nested without end": b"[" * 100_000,
    "objects without end": b'{"a":' * 100_000,
    "nested as deep as can be read": deep(900).encode(),
    "fields that are deep": (
        f'{{"state": {deep(800)}, "generation": {deep(800)}, "3_normal": {deep(800)}, "id": {deep(800)}, '
        f'"priority": {deep(800)}, "retries": {deep(800)}, "worker": {deep(800)}, "error": {deep(800)}}}'
    ).encode(),
    "a huge number": b'{"generation": ' + b"9" * 5_000 + b"}",
    "huge numbers": b'{"generation": %b, "retries": %b, "recent": {"%b": 1}}' % (b"9" * 400, b"9" * 400, b"9" * 5_000),
    "endless numbers": b'{"generation": Infinity, "retries": -Infinity, "queued_at": NaN, "next_at": Infinity}',
    "a time before all times": b'{"queued_at": "0001-01-01T00:00:00+23:59", "started": "0001-01-01T00:00:00+23:59"}',
    "a time after all times": b'{"queued_at": "9999-12-31T23:59:59-23:59", "next_at": "9999-12-31T23:59:59-23:59"}',
    "no text": b"\xff\xfe\x00",
    "nothing": b"",
    "null": b"null",
    "a list": b"[1, 2]",
    "an id without end": job_that_says(id=float("inf")).encode(),
    "a huge id": job_that_says(id=10**400).encode(),
    "a negative id": job_that_says(id=-5).encode(),
    "no such priority": job_that_says(priority=99).encode(),
    "another document's job": job_that_says(source_hash=hash_of("another")).encode(),
    "metadata that are no text": job_that_says(metadata=[1], tags=7, result={"key": 3}).encode(),
    "a worker that is no text": job_that_says(worker_id=["x"], source_path={}, last_error=[]).encode(),
    "a size that is no number": job_that_says(source_size="large").encode(),
}


class Place(NamedTuple):
    name: str
    metadata: str | None = None
    """The header of this name has the odd text, and the object itself is in order."""
    warns: bool = False


PLACES = {
    "record": Place(MAIN.record(ODD, 1), warns=True),
    "later record": Place(MAIN.record(ODD, 2), warns=True),
    "waiting marker": Place(MAIN.waiting(3, ODD), warns=True),
    "failed marker": Place(MAIN.marker("failed", ODD)),
    "dead marker": Place(MAIN.marker("dead", ODD)),
    "cancelled marker": Place(MAIN.marker("cancelled", ODD)),
    "result": Place(MAIN.out(ODD)),
    "headers of a result": Place(MAIN.out(ODD), metadata="job"),
    "generation of a result": Place(MAIN.out(ODD), metadata="generation"),
    "record of a result": Place(f"registry/jobs/default~pdf~{ODD}.adopted.json"),
    "change token": Place(MAIN.change_token),
    "election": Place(ELECTION),
    "identity": Place(IDENTITY),
    "worker": Place(f"{WORKERS}odd.json"),
    "worker's record": Place(f"{RECORDS}odd.json"),
    "manifest": Place("registry/manifest.json"),
}


class Queue:
    """A queue with one job that is as it should be."""

    def __init__(self) -> None:
        self.bucket = SimulatedBucket(start=START)
        self.objects: ObjectStore = self.bucket.objects()
        self.store = self.opened()
        (self.good,) = added(self.store, "good")

    def opened(self) -> BucketJobStore:
        return BucketJobStore(self.bucket.objects(), pool=ThreadPool(1))

    def put(self, place: Place, body: bytes) -> None:
        if place.metadata is None:
            self.objects.put(place.name, body)
        else:
            self.objects.put(place.name, b"PK", metadata={place.metadata: body.decode("latin-1")})

    def worked(self) -> list[Job]:
        """Everything that a worker, its janitor and the commands do, by a process of their own."""
        store = self.opened()
        ReaperElection(self.bucket.objects()).try_to_win()
        reap_due(store, START)
        done = [self._completed(store, held) for held in take(store, 10)]
        self._looked_at(self.opened())
        store.reconcile(dry_run=True)
        store.reconcile(dry_run=False)
        self._looked_at(self.opened())
        return [job for job in done if isinstance(job, Job)]

    @staticmethod
    def _completed(store: BucketJobStore, held: Job) -> object:
        return store.apply([Transition(held, completing(held))]).outcomes[0]

    def _looked_at(self, store: BucketJobStore) -> None:
        store.references()
        store.counts()
        store.waiting(project="default")
        store.workers()
        store.records()
        store.change_record("odd", lambda record: record, now=START)
        store.identity(QueueIdentity("ours", "a store"))
        store.find_by_prefix(ODD[:8], project="default", limit=5)
        store.states([MAIN.key(ODD), self.good.key])
        for state in (None, *State):
            for job in store.page(JobFilter(state=state)):
                with suppress(NotFound):  # until it is taken on, it is in no index
                    store.history(job.id)
                    store.files(job.id)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
def test_an_object_that_cannot_be_read_stops_nobody(
    place: Place, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """R2-46."""
    queue = Queue()
    queue.put(place, body)

    done = queue.worked()

    assert queue.good.id in {job.id for job in done if job.state is State.COMPLETED}
    assert queue.opened().get(queue.good.id).state is State.COMPLETED
    # What has no content counts as not there.
    assert not place.warns or ODD[:12] in caplog.text or (place is not PLACES["waiting marker"] and not body)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_a_job_whose_marker_cannot_be_read_is_done_as_one_of_another_program(body: bytes) -> None:
    queue = Queue()
    queue.put(PLACES["waiting marker"], body)

    done = queue.worked()

    assert {job.source_hash for job in done} == {queue.good.source_hash, ODD}
    assert {job.state for job in done} == {State.COMPLETED}


@pytest.mark.parametrize("body", [BODIES["nested without end"], b"[[1]]", b'[["output", "k"]]', b"{}", b"7"])
@pytest.mark.parametrize("name", ["00000001-1-x", "notes.txt"])
def test_a_list_of_files_that_cannot_be_read_is_passed_over(name: str, body: bytes) -> None:
    queue = Queue()
    queue.objects.put(f"{FILES}default~pdf/{queue.good.source_hash}/{name}", body)

    assert queue.store.files(queue.good.id) == []


@pytest.mark.parametrize("body", [body for body in BODIES.values() if body])
def test_a_format_that_cannot_be_read_is_anothers(body: bytes) -> None:
    bucket = SimulatedBucket(start=START)
    bucket.objects().put(bucket_format.NAME, body)

    with pytest.raises(InvalidSettings, match="belongs to another program"):
        bucket_format.read_format(bucket.objects())


@pytest.mark.parametrize("tags", [BODIES["nested without end"].decode(), "9" * 5_000])
def test_tags_of_a_source_that_cannot_be_read_are_words(tags: str) -> None:
    queue = Queue()
    queue.objects.put(f"store/raw/{ODD}.pdf", b"%PDF", metadata={"original-name": "odd.pdf", "tags": tags})
    queue.objects.put(MAIN.record(ODD, 1), b"no record of ours")
    queue.objects.put(IndexName(JobId(1), MAIN.key(ODD)).name, b"")

    queue.worked()

    (job,) = queue.opened().find_by_prefix(ODD, project="default", limit=2)
    assert job.source_path == "odd.pdf"


def test_what_a_worker_has_done_is_counted_anew_where_its_record_cannot_be_read() -> None:
    queue = Queue()
    queue.put(PLACES["worker's record"], BODIES["nested without end"])

    queue.store.change_record("odd", lambda _: ServiceRecord(completed=1), now=START)

    assert queue.store.records() == {"odd": ServiceRecord(completed=1)}
