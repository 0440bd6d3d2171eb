"""The messages of the queue protocol: the Coordinator's methods for programs that reach it over HTTP."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from blobforge.domain.endings import Completed, Declined, Ending, Failed, Released
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.ids import SourceHash, WorkerId
from blobforge.domain.job import Failure, Job, State
from blobforge.domain.pairing import QueueIdentity
from blobforge.ports.job_store import JobFilter, References
from blobforge.ports.transfers import SignedUrl
from blobforge.wire.bounds import Id, Moment, Size, Text, Whole, Word
from blobforge.wire.errors import ErrorMessage
from blobforge.wire.jobs import FileRow, JobRow, KeyRow, NewJobRow

MOST_AT_ONCE = 1_000
"""Jobs, keys or leases in one message."""
MOST_COUNTED = 1_000_000


class Lease(BaseModel):
    """The right to end or renew a job, as its claim gave it to a process. Without a token, the process and the state of
    the job decide."""

    job_id: Id
    number: Whole
    process: Word
    token: str | None = None


class FailureMessage(BaseModel):
    code: str
    message: str
    retryable: bool = False
    stage: str | None = None
    page: int | None = None

    @classmethod
    def of(cls, failure: Failure) -> "FailureMessage":
        """A message may quote a file's name, which need not be valid text."""
        message = failure.message.encode("utf-8", "backslashreplace").decode("utf-8")
        return cls(**failure._replace(message=message)._asdict())

    def as_failure(self) -> Failure:
        return Failure(**dict(self))


class _Ending(BaseModel):
    lease: Lease
    again: bool = False
    """It was sent before, and no answer came: where this very lease ended so, that is no loss."""


class UploadedResult(BaseModel):
    """What was uploaded under this lease. Without `publish` it is kept by its recipe, and the published one stays."""

    id: str
    size: Size | None = None
    sha256: str | None = None
    publish: bool = True


class CompletedMessage(_Ending):
    """`result` is JSON text; `upload` names the archive that was uploaded under this lease, if there is one."""

    kind: Literal["completed"] = "completed"
    result: str
    upload: UploadedResult | None = None


class FailedMessage(_Ending):
    kind: Literal["failed"] = "failed"
    failure: FailureMessage


class ReleasedMessage(_Ending):
    kind: Literal["released"] = "released"


class DeclinedMessage(_Ending):
    kind: Literal["declined"] = "declined"
    needs: list[str]
    failure: FailureMessage


EndingMessage = Annotated[
    CompletedMessage | FailedMessage | ReleasedMessage | DeclinedMessage, Field(discriminator="kind")
]


def ending_message(
    ending: Ending, lease: Lease, *, again: bool = False, upload: UploadedResult | None = None
) -> EndingMessage:
    match ending:
        case Completed():
            return CompletedMessage(lease=lease, again=again, result=ending.result, upload=upload)
        case Failed():
            return FailedMessage(lease=lease, again=again, failure=FailureMessage.of(ending.failure))
        case Declined():
            failure = FailureMessage.of(ending.failure)
            return DeclinedMessage(lease=lease, again=again, needs=sorted(ending.needs), failure=failure)
        case Released():
            return ReleasedMessage(lease=lease, again=again)


def ending_of(message: EndingMessage, job: Job) -> Ending:
    """Of the server's own copy of the job; what was uploaded is recorded by the server."""
    match message:
        case CompletedMessage():
            return Completed(job, message.result)
        case FailedMessage():
            return Failed(job, message.failure.as_failure())
        case DeclinedMessage():
            return Declined(job, frozenset(message.needs), message.failure.as_failure())
        case ReleasedMessage():
            return Released(job)


class ClaimNext(BaseModel):
    """The most urgent jobs of some types whose needs the worker meets."""

    project: Word = "default"
    types: Annotated[list[Word], Field(min_length=1, max_length=50)]
    has: Annotated[list[Word], Field(max_length=MOST_AT_ONCE)] = []
    limit: Annotated[int, Field(ge=1, le=MOST_AT_ONCE)] = 1
    holding: list[Id] | None = None
    """The jobs that the process knows of, after an answer to a claim was lost: what it holds besides is given again."""


class SeenJob(BaseModel):
    """A job as its sender last saw it: another revision means that it has changed since."""

    id: Id
    rev: Whole


class SettleRequest(BaseModel):
    """Ends jobs, and claims others for a process in the same step: the next ones, or exactly some."""

    process: Word
    endings: Annotated[list[EndingMessage], Field(max_length=MOST_AT_ONCE)] = []
    claim: ClaimNext | None = None
    exactly: Annotated[list[SeenJob], Field(max_length=MOST_AT_ONCE)] | None = None


class Outcome(BaseModel):
    """What became of one job: as it is now, or why not."""

    job: JobRow | None = None
    error: ErrorMessage | None = None

    @classmethod
    def of(cls, outcome: Job | BlobForgeError) -> "Outcome":
        if isinstance(outcome, Job):
            return cls.model_construct(job=JobRow.of(outcome), error=None)
        return cls(error=ErrorMessage.of(outcome))

    def result(self) -> Job | BlobForgeError:
        if self.job is not None:
            return self.job.as_job()
        return self.error.as_error() if self.error is not None else BlobForgeError("the server gave no outcome")


class Outcomes(BaseModel):
    outcomes: list[Outcome]


class ClaimedJob(BaseModel):
    job: JobRow
    lease_token: str


class Settled(BaseModel):
    """One outcome an ending, in order, and what was claimed."""

    ended: list[Outcome]
    claimed: list[ClaimedJob]


class Ids(BaseModel):
    ids: Annotated[list[Id], Field(max_length=MOST_AT_ONCE)]


class Keys(BaseModel):
    keys: Annotated[list[KeyRow], Field(max_length=MOST_AT_ONCE)]


class SeenJobs(BaseModel):
    jobs: Annotated[list[SeenJob], Field(max_length=MOST_AT_ONCE)]


class JobRows(BaseModel):
    jobs: list[JobRow]


class KeyState(BaseModel):
    key: KeyRow
    state: State


class KeyStates(BaseModel):
    states: list[KeyState]


class NewJobs(BaseModel):
    jobs: Annotated[list[NewJobRow], Field(max_length=MOST_AT_ONCE)]


class SubmittedJob(BaseModel):
    job: JobRow
    created: bool


class Submitted(BaseModel):
    jobs: list[SubmittedJob]


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

    @classmethod
    def of(cls, wanted: JobFilter) -> "FilterMessage":
        return cls(**wanted._asdict())

    def as_filter(self) -> JobFilter:
        worker_id = None if self.worker_id is None else WorkerId(self.worker_id)
        return JobFilter(**{**dict(self), "worker_id": worker_id})


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
    project: Word
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


class JobRequest(BaseModel):
    id: Id


class RetryRequest(BaseModel):
    id: Id
    reset_attempts: bool = True
    priority: int | None = None
    metadata: Text | None = None
    source_expected_by: Moment | None = None


class ExpectSourceRequest(BaseModel):
    id: Id
    until: Moment


class PriorityRequest(BaseModel):
    id: Id
    priority: int


class AmendRequest(BaseModel):
    id: Id
    metadata: Text


class ReprocessedJob(SeenJob):
    metadata: Text


class ReprocessRequest(BaseModel):
    jobs: Annotated[list[ReprocessedJob], Field(max_length=MOST_AT_ONCE)]


class ClearedCounts(BaseModel):
    purged: int
    restored: int


class SweepRequest(BaseModel):
    dry_run: bool = False


class SweptJobs(BaseModel):
    reaped: list[JobRow]
    mended: list[str]
    left_alone: list[str]


class WorkerIdMessage(BaseModel):
    id: Word


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


class RecordedFile(BaseModel):
    job_id: Id
    file: FileRow


class RecordedFiles(BaseModel):
    files: Annotated[list[RecordedFile], Field(max_length=MOST_AT_ONCE)]


class WorkerRow(BaseModel):
    """The registration of a process of a worker, with its status report."""

    id: Word
    type: Word
    status: str
    last_heartbeat: datetime
    current_job_id: Id | None = None
    metadata: Mapping[str, Any] = {}


class RenewRequest(BaseModel):
    """With `worker`, a heartbeat: the registration of the process with its report."""

    leases: Annotated[list[Lease], Field(max_length=MOST_AT_ONCE)]
    worker: WorkerRow | None = None


class WorkerRows(BaseModel):
    workers: list[WorkerRow]


class ServiceRecords(BaseModel):
    """By the names of workers, as `blobforge.domain.service_record.record_json` has them."""

    records: dict[str, Mapping[str, Any]]


class AddToRecord(BaseModel):
    name: Word
    more: Mapping[str, Any]


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


class UploadRequest(BaseModel):
    """An address to upload the result of a job, under its lease."""

    lease: Lease
    recipe: Word | None = None
    size: Size | None = None


class SignedUrlMessage(BaseModel):
    """What its holder may do once, or a few times, until it expires: the request must have the headers."""

    url: str
    method: str
    expires_in: int
    headers: dict[str, str] = {}

    @classmethod
    def of(cls, signed: SignedUrl) -> "SignedUrlMessage":
        return cls(url=signed.url, method=signed.method, expires_in=signed.expires_in, headers=dict(signed.headers))


class UploadAnswer(BaseModel):
    """`upload` is what the ending names."""

    upload: str
    to: SignedUrlMessage


class BlobRequest(BaseModel):
    """A blob by its key. A worker names the lease under which it needs it."""

    key: Annotated[str, Field(max_length=300)]
    project: Word = "default"
    lease: Lease | None = None


class BlobAnswer(BaseModel):
    """None where there is no such blob."""

    size: int | None = None
    modified: datetime | None = None
    source: SignedUrlMessage | None = None


class StatRequest(BaseModel):
    project: Word = "default"
    keys: Annotated[list[Text], Field(max_length=MOST_AT_ONCE)]


class BlobRow(BaseModel):
    key: str
    size: int
    modified: datetime


class BlobRows(BaseModel):
    blobs: list[BlobRow]


class ErrorLogMessage(BaseModel):
    """The error log of a document, as the worker that had the job last has added to it."""

    lease: Lease
    log: Annotated[str, Field(max_length=1_000_000)]


class NewsRequest(BaseModel):
    """Waits until there may be jobs that were not there at version `since`; without one, it answers at once."""

    since: Whole | None = None
    timeout: Annotated[float, Field(ge=0)] = 30
    project: Word = ""
    types: list[Word] = []
    has: list[Word] = []
    process: Word = ""
    leases: Whole | None = None
    """What the last answer said of the leases of this process."""


class News(BaseModel):
    """Another version than before means that it is worth to ask for jobs; another number of leases, that somebody took
    one from the process that asks."""

    version: int
    leases: int = 0
