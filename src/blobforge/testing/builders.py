"""Jobs for tests, with defaults for what a test does not care about."""

import hashlib
from datetime import datetime, timedelta
from typing import Any

from blobforge.domain import lifecycle
from blobforge.domain.ids import DEFAULT_PROJECT, JobId, SourceHash, WorkerId
from blobforge.domain.job import Failure, Job, NewJob, State, created, lease_of
from blobforge.domain.retry import RetryPolicy
from blobforge.testing.clock import START

ALICE = WorkerId("alice")
BOB = WorkerId("bob")
LEASE = timedelta(seconds=180)


def hash_of(text: str) -> SourceHash:
    return SourceHash(hashlib.sha256(text.encode()).hexdigest())


def new_job(name: str = "a document", **facts: Any) -> NewJob:
    return NewJob(**{"project": DEFAULT_PROJECT, "type": "pdf", "source_hash": hash_of(name), **facts})


def a_job(name: str = "a document", *, job_id: int = 1, now: datetime = START, **facts: Any) -> Job:
    return created(new_job(name), job_id=JobId(job_id), now=now)._replace(**facts)


def job_in(state: State, *, now: datetime = START) -> Job:
    """A job in this state, by transitions at `now`; its worker, if any, was Alice."""
    pending = a_job(now=now)
    held = lifecycle.claim(pending, worker_id=ALICE, now=now, until=now + LEASE)
    failing = Failure("timed_out", "it took too long", retryable=state is State.FAILED)
    failed = lifecycle.fail(held, lease_of(held), failing, policy=RetryPolicy(jitter=0), roll=0, now=now)
    return {
        State.PENDING: pending,
        State.RUNNING: held,
        State.COMPLETED: lifecycle.complete(held, lease_of(held), result="{}", now=now),
        State.FAILED: failed,
        State.DEAD: failed,
        State.CANCELLED: lifecycle.cancel(pending, now=now),
    }[state]
