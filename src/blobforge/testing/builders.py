"""Jobs for tests, with everything said that a test does not care about."""

import hashlib
from datetime import datetime
from typing import Any

from blobforge.domain.ids import DEFAULT_PROJECT, JobId, SourceHash, WorkerId
from blobforge.domain.job import Job, NewJob, created
from blobforge.testing.clock import START

ALICE = WorkerId("alice")
BOB = WorkerId("bob")


def hash_of(text: str) -> SourceHash:
    return SourceHash(hashlib.sha256(text.encode()).hexdigest())


def new_job(name: str = "a document", **facts: Any) -> NewJob:
    return NewJob(**{"project": DEFAULT_PROJECT, "type": "pdf", "source_hash": hash_of(name), **facts})


def a_job(name: str = "a document", *, job_id: int = 1, now: datetime = START, **facts: Any) -> Job:
    return created(new_job(name), job_id=JobId(job_id), now=now)._replace(**facts)
