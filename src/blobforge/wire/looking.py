"""The messages of the queue protocol for those who look: pages, counts, histories, workers."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from blobforge.domain.ids import JobId, SourceHash, WorkerId
from blobforge.domain.job import State
from blobforge.domain.pairing import QueueIdentity
from blobforge.ports.job_store import JobFilter, References
from blobforge.wire.bounds import Id, Moment, Project, Text, Word
from blobforge.wire.jobs import FileRow, KeyRow
from blobforge.wire.queue import MOST_AT_ONCE, MOST_COUNTED, WorkerRow


class KeyState(BaseModel):
    key: KeyRow
    state: State


class KeyStates(BaseModel):
    states: list[KeyState]


class FilterMessage(BaseModel):
    """As `blobforge.ports.job_store.JobFilter`; None is any."""

    project: Word | None = None
    type: Word | None = None
    state: State | None = None
    worker_id: Word | None = None
    code: Word | None = None
    since: Moment | None = None
    tag: Text | None = None
    recipe: Word | None = None
    engine: Word | None = None
    gaps: bool = False
    doubts: bool = False
    awaits_source: bool = False
    search: Text | None = None
    beyond: Id | None = None

    @classmethod
    def of(cls, wanted: JobFilter) -> "FilterMessage":
        return cls(**wanted._asdict())

    def as_filter(self) -> JobFilter:
        worker_id = None if self.worker_id is None else WorkerId(self.worker_id)
        beyond = None if self.beyond is None else JobId(self.beyond)
        return JobFilter(**{**dict(self), "worker_id": worker_id, "beyond": beyond})


class PageRequest(BaseModel):
    wanted: FilterMessage
    after: Id | None = None
    limit: Annotated[int, Field(ge=1, le=MOST_AT_ONCE)] = 50


class CountRequest(BaseModel):
    wanted: FilterMessage
    most: Annotated[int, Field(ge=0, le=MOST_COUNTED)]


class CountAnswer(BaseModel):
    """`most` + 1 where there are more."""

    count: int


class PrefixRequest(BaseModel):
    prefix: Annotated[str, Field(pattern=r"^[0-9a-f]{1,64}$")]
    project: Project = None
    limit: Annotated[int, Field(ge=1, le=MOST_AT_ONCE)] = 10


class ProjectRequest(BaseModel):
    project: Word | None = None


class Count(BaseModel):
    type: str
    state: State
    count: int


class WaitingCount(BaseModel):
    type: str
    needs: str
    count: int


class Counts(BaseModel):
    """`gaps` and `doubts` are published results that miss pages or are doubtful, by type."""

    counts: list[Count]


class WaitingCounts(BaseModel):
    waiting: list[WaitingCount]


class TypeCounts(BaseModel):
    counts: dict[str, int]


class EventRow(BaseModel):
    job_id: int
    at: datetime
    kind: str
    lease_number: int
    worker_id: str | None = None
    detail: str | None = None


class AttemptRow(BaseModel):
    job_id: int
    lease_number: int
    worker_id: str | None
    started_at: datetime | None
    ended_at: datetime
    outcome: str
    error_code: str | None
    error: str | None


class HistoryMessage(BaseModel):
    attempts: list[AttemptRow]
    events: list[EventRow]


class FileRows(BaseModel):
    files: list[FileRow]


class WorkerRows(BaseModel):
    workers: list[WorkerRow]


class ServiceRecords(BaseModel):
    """By the names of workers, as `blobforge.domain.service_record.record_json` has them."""

    records: dict[str, Mapping[str, Any]]


class ReferencesMessage(BaseModel):
    """Every document that the queue names."""

    documents: list[str]
    not_understood: list[str]

    @classmethod
    def of(cls, references: References) -> "ReferencesMessage":
        return cls(documents=sorted(references.documents), not_understood=list(references.not_understood))

    def as_references(self) -> References:
        return References(frozenset(map(SourceHash, self.documents)), tuple(self.not_understood))


class IdentityMessage(BaseModel):
    """What pairs a queue with its store."""

    id: Text
    store: Text

    @classmethod
    def of(cls, identity: QueueIdentity | None) -> "IdentityMessage | None":
        return None if identity is None else cls(**identity._asdict())

    def as_identity(self) -> QueueIdentity:
        return QueueIdentity(self.id, self.store)


class IdentityRequest(BaseModel):
    proposed: IdentityMessage | None = None
    instead_of: IdentityMessage | None = None


class IdentityAnswer(BaseModel):
    identity: IdentityMessage | None

    def as_identity(self) -> QueueIdentity | None:
        return None if self.identity is None else self.identity.as_identity()
