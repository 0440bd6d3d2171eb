"""Messages that steer many jobs: those that are named, or those that match."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from blobforge.domain.job import State
from blobforge.ports.job_store import ANY, JobFilter
from blobforge.wire.bounds import Id, Moment, Text, Word
from blobforge.wire.looking import FilterMessage
from blobforge.wire.queue import MOST_AT_ONCE

Ids = Annotated[list[Id], Field(max_length=MOST_AT_ONCE)]


class CancelMany(BaseModel):
    """Of the queue protocol: `still` is what the jobs must be when it happens; None is anything."""

    ids: Ids
    still: FilterMessage | None = None

    def as_filter(self) -> JobFilter:
        return ANY if self.still is None else self.still.as_filter()


class RetryMany(CancelMany):
    reset_attempts: bool = True
    priority: int | None = None


class JobChoice(BaseModel):
    """Which jobs: all of this must hold. `q` is the beginning of a hash, or words of the path; `since` is changed then
    or later; `gaps` and `doubts` are of their results."""

    model_config = ConfigDict(extra="forbid")

    status: State
    project: Word | None = None
    type: Word | None = None
    code: Word | None = None
    tag: Annotated[Text, Field(max_length=200)] | None = None
    q: Annotated[Text, Field(max_length=200)] | None = None
    since: Moment | None = None
    gaps: bool = False
    doubts: bool = False

    def as_filter(self) -> JobFilter:
        return JobFilter(
            project=self.project,
            type=self.type,
            state=self.status,
            code=self.code,
            since=self.since,
            tag=self.tag,
            gaps=self.gaps,
            doubts=self.doubts,
            search=self.q or None,
        )


class ManyJobs(BaseModel):
    """Jobs by their `ids`, or those that match `where`, newest first: up to `limit` in one request. `after` is the
    `next` of the answer before. With `dry_run` nothing is changed."""

    model_config = ConfigDict(extra="forbid")

    ids: Annotated[list[Id], Field(min_length=1, max_length=MOST_AT_ONCE)] | None = None
    where: JobChoice | None = None
    after: Annotated[Text, Field(max_length=20)] | None = None
    limit: Annotated[int, Field(ge=1, le=MOST_AT_ONCE)] = MOST_AT_ONCE
    dry_run: bool = False


class RetryJobs(ManyJobs):
    reset_attempts: bool = True
    priority: int | None = None


class JobProblem(BaseModel):
    """Why one of them stayed as it was; `status` is what it would be as an answer of its own."""

    job_id: int
    status: int
    code: str
    error: str


class SteeredJobs(BaseModel):
    """`matched` were found, `done` of them were steered: those in `jobs`. What kept the others is in `problems`. Where
    `next` is given there may be more that match."""

    matched: int
    done: int
    jobs: list[int]
    problems: list[JobProblem]
    dry_run: bool = False
    next: str | None = None
