"""Whatever the order of adopting, ingesting, working, forgetting and clearing away: nothing that is needed is lost.

Afterwards every job that is not done can still be run, and every one that is done can be fetched.
"""

import zipfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import permutations
from pathlib import Path

import pytest
from tests.document_000 import HEARD_AT, STATES, foreign_objects

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.blobs.library_store import BucketStaging, LibraryBlobStore
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed, Ending, Failed
from blobforge.domain.ids import JobKey, RecipeId, SourceHash, WorkerId
from blobforge.domain.job import Failure, Job, NewJob, State
from blobforge.domain.json_value import canonical_json
from blobforge.manifests.bucket import BucketShards
from blobforge.manifests.manifest import ShardedManifest
from blobforge.ports.blob_store import BlobStore, result_key, source_key
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import JobFilter, Queue
from blobforge.results.garbage_collection import GarbageCollector
from blobforge.results.published_by_job import published_by
from blobforge.testing.clock import FakeClock
from blobforge.testing.job_store_contract import OpenStore
from blobforge.testing.simulated_bucket import SimulatedBucket
from blobforge.thread_pool import ThreadPool

FAR_FUTURE = datetime(2100, 1, 1, tzinfo=UTC)
RECIPE = RecipeId("0123456789abcdef")
WORKER = WorkerId("worker")
LANES = (("default", "pdf"), ("books", "echo"))
NOT_A_PDF = Failure("not_a_pdf", "it is a web page")
Action = Callable[["Library"], None]


class Library:
    """A queue with its store, and what anyone ever put into it and did not forget on purpose."""

    def __init__(self, coordinator: Coordinator, collector: GarbageCollector, blobs: BlobStore, folder: Path) -> None:
        self.coordinator = coordinator
        self._collector = collector
        self._blobs = blobs
        self._file = folder / "file"
        self._ingested = 0
        self.expected: set[JobKey] = set()

    def adopt(self) -> None:
        self.coordinator.sweep()

    def ingest(self) -> None:
        """A document that is in every lane and can be done, and one for each lane that cannot."""
        self._ingested += 1
        new = [self._stored(f"bad {lane}", lane) for lane in LANES] + [self._stored("good", lane) for lane in LANES]
        self.coordinator.submit(new)
        self.expected |= {job.key for job in new}

    def _stored(self, name: str, lane: tuple[str, str]) -> NewJob:
        content = f"{name}, {self._ingested}".encode()
        source_hash = SourceHash(sha256(content).hexdigest())
        self._file.write_bytes(content)
        self._blobs.put(source_key(source_hash), self._file)
        return NewJob(*lane, source_hash, source_path=f"{name}.pdf")

    def work(self) -> None:
        for job in self._claimed():
            is_bad = (job.source_path or "").startswith("bad")
            self._settle(Failed(job, NOT_A_PDF) if is_bad else self._completed(job))

    def forget(self) -> None:
        dead = self.coordinator.page(JobFilter(state=State.DEAD), limit=1_000)
        assert sum(self.coordinator.clear_dead(dead)) == len(dead)
        self.expected -= {job.key for job in dead if job.result is None}

    def die_again(self) -> None:
        """What was done last gets a new run, and that one dies; the others stay as they are."""
        done = self.coordinator.page(JobFilter(state=State.COMPLETED), limit=2)
        again = [self.coordinator.retry(job.id) for job in done]
        for job in self.coordinator.claim_exactly(again, worker_id=WORKER):
            self._settle(Failed(job, NOT_A_PDF))

    def clear_away(self) -> None:
        self._collector.clear(self._collector.survey(before=FAR_FUTURE))

    def run_what_is_left(self) -> None:
        self.coordinator.sweep()
        for job in self.coordinator.page(JobFilter(state=State.DEAD), limit=1_000):
            self.coordinator.retry(job.id)
        for job in self._claimed():
            self._settle(self._completed(job))

    def require_all_fetchable(self) -> None:
        found = self.coordinator.find(list(self.expected))
        assert {key: found[key].state if key in found else None for key in self.expected} == dict.fromkeys(
            self.expected, State.COMPLETED
        )
        for job in found.values():
            published = published_by(job)
            assert published is not None, "it is done, and tells of no result"
            with self._blobs.open(published.key) as stream, zipfile.ZipFile(stream) as archive:
                assert archive.testzip() is None

    def _claimed(self) -> list[Job]:
        queues = (Queue(project, (job_type,)) for project, job_type in LANES)
        return [job for queue in queues for job in self.coordinator.claim(queue, worker_id=WORKER, limit=20)]

    def _settle(self, ending: Ending) -> None:
        (ended,) = self.coordinator.end([ending])
        assert isinstance(ended, Job), ended

    def _completed(self, job: Job) -> Completed:
        with self._blobs.open(source_key(job.source_hash)) as source:
            assert sha256(source.read()).hexdigest() == job.source_hash
        with zipfile.ZipFile(self._file, "w") as archive:
            archive.writestr("document.md", f"of {job.source_hash}")
        key = result_key(job.source_hash, RECIPE)
        self._blobs.put(key, self._file)
        return Completed(job, canonical_json({"key": key, "recipe": RECIPE}))


ACTIONS: dict[str, Action] = {
    "adopt": Library.adopt,
    "ingest": Library.ingest,
    "work": Library.work,
    "forget": Library.forget,
    "die again": Library.die_again,
    "gc": Library.clear_away,
}


def in_every_order(names: str, make: Callable[[], Library]) -> None:
    for order in permutations(names.split(", ")):
        try:
            in_this_order(order, make())
        except Exception as error:
            error.add_note(f"in the order {', '.join(order)}")
            raise


def in_this_order(order: Sequence[str], library: Library) -> None:
    for name in order:
        ACTIONS[name](library)
    library.clear_away()
    library.run_what_is_left()
    library.clear_away()
    library.require_all_fetchable()


@pytest.mark.parametrize("backend", ["memory", "sqlite", "postgres"])
def test_no_order_of_ingest_work_forget_and_gc_loses_anything_in_a_queue_of_rows(
    backend: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """One queue for all orders: each finds what those before it have left, and leaves it alone."""
    open_store: OpenStore = request.getfixturevalue(f"open_{backend}_store")
    blobs = DirectoryBlobStore(tmp_path / "blobs", durable=False)
    clock = FakeClock()
    coordinator = CoordinationService(open_store(), clock=clock, archive_after=None)
    library = Library(coordinator, GarbageCollector(coordinator, blobs), blobs, tmp_path)

    in_every_order("ingest, work, forget, gc", lambda: library)


@pytest.mark.parametrize("backend", ["memory", "sqlite", "postgres"])
def test_no_order_of_a_run_that_dies_forget_and_gc_loses_a_result_in_a_queue_of_rows(
    backend: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    open_store: OpenStore = request.getfixturevalue(f"open_{backend}_store")
    blobs = DirectoryBlobStore(tmp_path / "blobs", durable=False)
    coordinator = CoordinationService(open_store(), clock=FakeClock(), archive_after=None)
    library = Library(coordinator, GarbageCollector(coordinator, blobs), blobs, tmp_path)
    library.ingest()
    library.work()

    in_every_order("die again, forget, gc", lambda: library)


def test_no_order_of_a_run_that_dies_forget_and_gc_loses_a_result_in_a_bucket(tmp_path: Path) -> None:
    """Of ours and of another program."""
    with ExitStack() as opened:

        def make() -> Library:
            bucket = SimulatedBucket(start=HEARD_AT + timedelta(hours=1))
            library = _library_in(bucket, tmp_path, opened)
            content = b"the done one"
            for made in foreign_objects(done=content):
                bucket.objects().put(made.name, made.body, metadata=made.metadata)
            library.expected.add(JobKey("default", "pdf", SourceHash(sha256(content).hexdigest())))
            library.adopt()
            return library

        in_every_order("die again, forget, gc", make)


def test_no_order_of_adopt_ingest_work_forget_and_gc_loses_anything_in_a_bucket(tmp_path: Path) -> None:
    """The bucket was written by another program after document 000, before anything else happens."""
    with ExitStack() as opened:

        def make() -> Library:
            bucket = SimulatedBucket(start=HEARD_AT + timedelta(hours=1))
            library = _library_in(bucket, tmp_path, opened)
            contents = {state: f"the {state} one".encode() for state in STATES}
            for made in foreign_objects(**contents):
                bucket.objects().put(made.name, made.body, metadata=made.metadata)
            hashes = (SourceHash(sha256(content).hexdigest()) for content in contents.values())
            library.expected |= {JobKey("default", "pdf", source_hash) for source_hash in hashes}
            return library

        in_every_order("adopt, ingest, work, forget, gc", make)


def _library_in(bucket: SimulatedBucket, folder: Path, opened: ExitStack) -> Library:
    staging = opened.enter_context(closing(BucketStaging(bucket.objects())))
    objects = bucket.objects()
    store = BucketJobStore(objects, staging=staging, pool=ThreadPool(1))
    coordinator = CoordinationService(store, clock=objects)
    blobs = LibraryBlobStore(staging.objects, staging)
    manifest = ShardedManifest(BucketShards(objects), clock=objects)
    return Library(coordinator, GarbageCollector(coordinator, blobs, manifest), blobs, folder)
