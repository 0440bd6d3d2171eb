"""A worker with one slot as an actor: the real queue and blob store, and conversions that take virtual time."""

import json
import random
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import NamedTuple, Self

from benchmarks.bucket.large_bucket import LargeBucket
from benchmarks.bucket.simulation import Actor, Simulation
from benchmarks.queue import QUEUE
from blobforge.blobs.library_store import BucketStaging, LibraryBlobStore
from blobforge.coordination.bucket.backend import intervals_for
from blobforge.coordination.bucket.reaper_election import ReaperElection
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain import lifecycle
from blobforge.domain.endings import Completed, Ending, Failed
from blobforge.domain.ids import DEFAULT_PROJECT, RecipeId, WorkerId
from blobforge.domain.job import Failure, Job, NewJob
from blobforge.domain.priority import Priority
from blobforge.ports.blob_store import result_key, source_key
from blobforge.ports.queue_backend import QueueOptions
from blobforge.testing.builders import hash_of
from blobforge.thread_pool import ThreadPool

INTERVALS = intervals_for(QueueOptions().lease)
LATENCY = 0.02
RECIPE = RecipeId("bench")
PASSING = Failure("timed_out", "made for the bench", retryable=True)
FIRST_WAIT = 1.0
"""Of a worker that found nothing; it doubles from there to the longest of the pace."""
_EMPTY_ZIP = b"PK\x05\x06" + b"\0" * 18


class Claimed(NamedTuple):
    """Who took which job, and when."""

    worker: int
    job: Job
    at: float


def filled(jobs: Iterable[tuple[str, Priority]]) -> LargeBucket:
    """A bucket with these jobs, by name, and their documents."""
    bucket = LargeBucket()
    simulation = Simulation(bucket, latency=0.0)
    wanted = [NewJob(DEFAULT_PROJECT, "pdf", hash_of(name), priority=priority) for name, priority in jobs]

    def submit(actor: Actor) -> None:
        with BenchWorker(actor, 0) as worker:
            worker.service.submit(wanted)

    simulation.cast(submit)
    simulation.run()
    for job in wanted:
        bucket.add(f"store/raw/{job.source_hash}.pdf", b"%PDF-")
    bucket.requests.clear()
    return bucket


class BenchWorker:
    def __init__(self, actor: Actor, number: int) -> None:
        self.actor = actor
        self.number = number
        self.chance = random.Random(number)
        self._id = WorkerId(f"worker-{number}")
        self._folder = TemporaryDirectory(prefix="bench-")
        self._staging = BucketStaging(actor.objects)
        self._blobs = LibraryBlobStore(actor.objects, self._staging)
        self.store = BucketJobStore(actor.objects, staging=self._staging, pool=ThreadPool(1))
        self.service = CoordinationService(
            self.store,
            clock=actor.objects,
            lease_for=QueueOptions().lease,
            sweep_every=INTERVALS.sweep,
            reconcile_every=INTERVALS.reconcile,
            may_reap=ReaperElection(actor.objects).try_to_win,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._staging.close()
        self._folder.cleanup()

    def step(self, endings: list[Ending]) -> Job | None:
        """Ends what there is to end and claims the next one, as the loop of a worker does."""
        claimed = self.service.end_and_claim(endings, QUEUE, worker_id=self._id, limit=1).claimed
        return claimed[0] if claimed else None

    def claim(self) -> Job | None:
        """Without a sweep before it, which may be due."""
        now = self.actor.objects.now()
        change = partial(lifecycle.claim, worker_id=self._id, now=now, until=now + QueueOptions().lease)
        return next(iter(self.store.apply([], take=change, queue=QUEUE, limit=1).taken), None)

    def convert(self, job: Job, seconds: float) -> Ending:
        """Fetches the document, takes its time, and leaves a result."""
        self._blobs.fetch(source_key(job.source_hash), Path(self._folder.name, "source"))
        self.actor.wait(seconds)
        archive = Path(self._folder.name, "result.zip")
        archive.write_bytes(_EMPTY_ZIP)
        key = result_key(job.source_hash, RECIPE)
        self._blobs.adopt(key, archive)
        return Completed(job, json.dumps({"key": key, "recipe": RECIPE}))

    def fail(self, job: Job, seconds: float) -> Ending:
        self._blobs.fetch(source_key(job.source_hash), Path(self._folder.name, "source"))
        self.actor.wait(seconds)
        return Failed(job, PASSING)


def drain(
    worker: BenchWorker,
    *,
    seconds: Callable[[random.Random], float],
    is_over: Callable[[], bool],
    on_claim: Callable[[Claimed], None],
    on_end: Callable[[], None],
) -> None:
    """Until somebody says that it is over; with the waits of an idle worker where nothing is found."""
    endings: list[Ending] = []
    idle = 0
    while not is_over():
        job = worker.step(endings)
        for _ in endings:
            on_end()
        if job is not None:
            on_claim(Claimed(worker.number, job, worker.actor.seconds))
            endings, idle = [worker.convert(job, seconds(worker.chance))], 0
            continue
        endings = []
        worker.actor.wait(min(FIRST_WAIT * 2**idle, INTERVALS.idle.total_seconds()))
        idle += 1
