"""A job: the work on one document, and the lease of the worker that holds it."""

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from blobforge.domain.errors import InvalidValue
from blobforge.domain.ids import JobId, JobKey, SourceHash, WorkerId
from blobforge.domain.loose_json import json_in
from blobforge.domain.needs import needs_of
from blobforge.domain.priority import Priority, check_priority


class State(StrEnum):
    """Where a job is on its way; `lifecycle` has the picture of all transitions."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    DEAD = "dead"
    CANCELLED = "cancelled"


FINAL_STATES = frozenset({State.COMPLETED, State.DEAD, State.CANCELLED})


class Lease(NamedTuple):
    """A worker's right to write to a job. The number is the fencing token: it grows at each claim and never resets."""

    job_id: JobId
    worker_id: WorkerId
    number: int


class Failure(NamedTuple):
    """Why an attempt ended badly, in terms that a person and a program can act on."""

    code: str
    message: str
    retryable: bool = False
    stage: str | None = None
    page: int | None = None


class Job(NamedTuple):
    """One row of the queue.

    A NamedTuple because stores make it by the hundred thousand (a frozen dataclass costs nine
    times as much). `tags`, `metadata` and `result` are JSON text, decoded when someone looks.
    """

    id: JobId
    project: str
    type: str
    source_hash: SourceHash
    source_path: str | None
    source_size: int | None
    state: State
    priority: int
    attempts: int
    max_attempts: int
    lease_number: int
    worker_id: WorkerId | None
    lease_expires_at: datetime | None
    available_at: datetime | None
    created_at: datetime
    updated_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    error_code: str | None
    last_error: str | None
    tags: str
    metadata: str
    result: str | None
    rev: int
    """The last field: the SQL stores count it up themselves, and write what stands before it."""

    @property
    def key(self) -> JobKey:
        return JobKey(self.project, self.type, self.source_hash)

    @property
    def needs(self) -> str:
        """The abilities that its worker must have (`blobforge.domain.needs`); mostly none."""
        return needs_of(self.metadata)


_PLACES = {name: place for place, name in enumerate(Job._fields)}


def _changed(job: Job, /, **facts: object) -> Job:
    """Like `_replace` of a NamedTuple, in less than half the time: every transition of every job calls it."""
    values: list[object] = list(job)
    for name, value in facts.items():
        values[_PLACES[name]] = value
    return tuple.__new__(Job, values)


Job._replace = _changed  # type: ignore[method-assign, assignment]


class NewJob(NamedTuple):
    """A job as it is submitted; the store and the clock add the rest."""

    project: str
    type: str
    source_hash: SourceHash
    source_path: str | None = None
    source_size: int | None = None
    priority: int = Priority.NORMAL
    max_attempts: int = 3
    tags: str = "[]"
    metadata: str = "{}"
    source_expected_by: datetime | None = None
    """By when the source comes that is not there yet; None where it is there."""

    @property
    def key(self) -> JobKey:
        return JobKey(self.project, self.type, self.source_hash)


def is_ready(job: Job) -> bool:
    """Whether a worker may claim it: pending, and its source is there."""
    return job.state is State.PENDING and job.available_at is None


CLAIM_ORDER = ("priority", "created_at", "id")
"""The fields by which jobs of a lane are claimed: the most urgent first, of these the oldest, and none at random."""


def claim_order(job: Job) -> tuple[int, datetime, JobId]:
    return job.priority, job.created_at, job.id


def awaits_source(job: Job) -> bool:
    """Whether it was announced and its source did not come yet: it is pending, and may be claimed once that came.

    `available_at` is then the moment by which it must have come.
    """
    return job.state is State.PENDING and job.available_at is not None


def lease_of(job: Job) -> Lease:
    """The lease that a claim gave to the worker of this job."""
    assert job.worker_id is not None, "only a claimed job has a lease"
    return Lease(job.id, job.worker_id, job.lease_number)


def title(job: Job) -> str:
    """How messages call a job: `job #7 (report.pdf)`."""
    return f"job #{job.id} ({name_of(job)})"


def name_of(job: Job) -> str:
    """The file name of its document, or the beginning of its hash."""
    return (job.source_path or "").rpartition("/")[2] or job.source_hash[:12]


def tags_of(job: Job) -> list[str]:
    """Tolerates what other programs wrote: a text that is no list is one tag."""
    said = json_in(job.tags)
    return [str(tag) for tag in said] if isinstance(said, list) else [job.tags]


def created(new: NewJob, *, job_id: JobId, now: datetime) -> Job:
    """A new job: pending, never claimed; it may wait for its source. Raises InvalidValue."""
    if new.max_attempts < 1:
        raise InvalidValue(f"max_attempts is {new.max_attempts}: a job needs at least one attempt")
    # In the order of the fields: by their names it takes three times as long, and a library has many documents.
    return tuple.__new__(
        Job,
        (
            *(job_id, new.project, new.type, new.source_hash, new.source_path, new.source_size),
            *(State.PENDING, check_priority(new.priority), 0, new.max_attempts, 0, None, None, new.source_expected_by),
            *(now, now, None, None, None, None, new.tags, new.metadata, None, 0),
        ),
    )
