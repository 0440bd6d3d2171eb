"""What the tests of a store do again and again."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from blobforge.domain import lifecycle
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Failure, Job, lease_of
from blobforge.domain.retry import RetryPolicy
from blobforge.ports.job_store import Change, JobStore, Queue
from blobforge.testing.builders import ALICE, LEASE, a_job
from blobforge.testing.clock import START

OpenStore = Callable[[], JobStore]

PDFS = Queue("default", ("pdf",))
OUTPUT = FileRecord(FileRole.OUTPUT, "outputs/a.zip", 12, "application/zip", "0" * 64)
TIMED_OUT = Failure("timed_out", "it took too long", retryable=True)
WAIT = RetryPolicy(jitter=0)


def added(store: JobStore, *names: str, **facts: Any) -> list[Job]:
    return [entry.job for entry in store.insert([a_job(name, **facts) for name in names])]


def take(store: JobStore, limit: int = 1, *, worker_id: WorkerId = ALICE, queue: Queue = PDFS) -> list[Job]:
    return store.apply([], take=claiming(worker_id), queue=queue, limit=limit).taken


def claiming(worker_id: WorkerId = ALICE, *, now: datetime = START) -> Change:
    until = now + LEASE
    return lambda job: lifecycle.claim(job, worker_id=worker_id, now=now, until=until)


def renewing(held: Job, *, now: datetime = START) -> Change:
    return lambda job: lifecycle.renew(job, lease_of(held), now=now, until=now + LEASE)


def completing(held: Job, *, now: datetime = START, result: str = "{}") -> Change:
    return lambda job: lifecycle.complete(job, lease_of(held), result=result, now=now)


def failing(held: Job, failure: Failure = TIMED_OUT, *, now: datetime = START) -> Change:
    return lambda job: lifecycle.fail(job, lease_of(held), failure, policy=WAIT, roll=0, now=now)


def releasing(held: Job, *, now: datetime = START) -> Change:
    return lambda job: lifecycle.release(job, lease_of(held), now=now)


def cancelling(job: Job) -> Job:
    return lifecycle.cancel(job, now=START)


def reaping(now: datetime) -> Change:
    return lambda job: lifecycle.reap(job, now=now)


def reap_due(store: JobStore, now: datetime, *, limit: int = 10) -> list[Job]:
    return store.update_due(reaping(now), now=now, limit=limit)
