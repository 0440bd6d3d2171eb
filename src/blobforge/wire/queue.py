"""The messages of the queue protocol: the Coordinator's methods for programs that reach it over HTTP."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from blobforge.domain.endings import Completed, Declined, Ending, Failed, Released
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.job import Failure, Job
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.wire.bounds import Id, Moment, Project, Size, Text, Whole, Word
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

    project: Project = None
    types: Annotated[list[Word], Field(min_length=1, max_length=50)]
    has: Annotated[list[Word], Field(max_length=MOST_AT_ONCE)] = []
    limit: Annotated[int, Field(ge=1, le=MOST_AT_ONCE)] = 1
    holding: list[Id] | None = None
    """The jobs that the process knows of: what it holds besides is given again."""
    in_doubt: bool = True
    """Whether an answer to a claim was lost, so that the queue is asked what the process holds. Else the server goes by
    what it remembers: a proxy may have repeated the claim, and nobody has noticed."""


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
    """`source_url` is where its document is had, for an hour, where the server says it at once: an older one does not,
    and none says it for more than a few jobs. Then it is asked for."""

    job: JobRow
    lease_token: str
    source_url: str | None = None


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


class NewJobs(BaseModel):
    jobs: Annotated[list[NewJobRow], Field(max_length=MOST_AT_ONCE)]


class SubmittedJob(BaseModel):
    job: JobRow
    created: bool


class Submitted(BaseModel):
    jobs: list[SubmittedJob]


class JobRequest(BaseModel):
    id: Id


class CancelRequest(JobRequest):
    """`rev`: only while the job is still as its sender saw it; so it is wherever it stands."""

    rev: Whole | None = None


class RetryRequest(CancelRequest):
    reset_attempts: bool = True
    priority: int | None = None
    metadata: Text | None = None
    source_expected_by: Moment | None = None


class ExpectSourceRequest(BaseModel):
    id: Id
    until: Moment
    source_size: Size | None = None


class PriorityRequest(CancelRequest):
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
    repaired: list[str]
    left_alone: list[str]


class WorkerIdMessage(BaseModel):
    id: Word


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

    @classmethod
    def of(cls, worker: Worker) -> "WorkerRow":
        return cls(
            id=worker.id,
            type=worker.type,
            status=worker.status.value,
            last_heartbeat=worker.last_heartbeat,
            current_job_id=worker.current_job_id,
            metadata=worker.metadata,
        )

    def as_worker(self) -> Worker:
        return Worker(
            id=WorkerId(self.id),
            type=self.type,
            status=WorkerStatus(self.status),
            last_heartbeat=self.last_heartbeat,
            current_job_id=None if self.current_job_id is None else JobId(self.current_job_id),
            metadata=self.metadata,
        )


class RenewRequest(BaseModel):
    """With `worker`, a heartbeat: the registration of the process with its report."""

    leases: Annotated[list[Lease], Field(max_length=MOST_AT_ONCE)]
    worker: WorkerRow | None = None


class AddToRecord(BaseModel):
    name: Word
    more: Mapping[str, Any]


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
