"""The messages of the public API, in the shapes that its document fixes."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from blobforge.domain.job import Job
from blobforge.domain.loose_json import LARGEST, json_in
from blobforge.wire.bounds import Id, Project, Text, Word

MOST_ON_A_PAGE = 500


class JobView(BaseModel):
    """A job for people and their programs: what is JSON in the queue is JSON here."""

    id: int
    project: str
    type: str
    status: str
    priority: int
    source_hash: str
    source_path: str | None
    source_size: int | None
    worker_id: str | None
    attempts: int
    max_attempts: int
    error_code: str | None
    last_error: str | None
    tags: Any
    metadata: Any
    result: Any
    created_at: datetime
    updated_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    available_at: datetime | None
    rev: int

    @classmethod
    def of(cls, job: Job) -> "JobView":
        facts = job._asdict()
        status = facts.pop("state").value
        for name in ("tags", "metadata", "result"):
            facts[name] = shown_json(facts[name])
        for name in ("lease_number", "lease_expires_at"):
            facts.pop(name)
        return cls.model_construct(status=status, **facts)


def shown_json(text: str | None) -> Any:
    """JSON may hold half a character, of a file's name for instance, and an answer may not."""
    said = json_in(text)
    if text is None or "\\ud" not in text.lower():
        return said
    return json_in(json.dumps(said, ensure_ascii=False).encode("utf-8", "replace"))


class NewJobMessage(BaseModel):
    """A document that is to be processed; its bytes are uploaded to the address in the answer."""

    model_config = ConfigDict(extra="forbid")

    type: Word = "pdf"
    source_hash: Word
    source_path: Annotated[Text, Field(max_length=4096)] | None = None
    source_size: Annotated[int, Field(ge=1, le=LARGEST)] | None = None
    priority: int = 3
    tags: Annotated[list[Annotated[Text, Field(max_length=200)]], Field(max_length=100)] = []
    metadata: dict[str, Any] = {}
    project: Project = None
    max_attempts: Annotated[int, Field(ge=1, le=100)] | None = None
    """What it does not say is the server's setting."""


class CreatedJob(BaseModel):
    """`upload_url` is where its bytes go; None where the store has them."""

    job_id: int
    upload_url: str | None = None
    status: str


class JobList(BaseModel):
    """`total` is how many match, on all pages; `total_is_exact` is False where there are more than are counted.
    `next` is the cursor of the next page. `searched` is given where words of a path or a tag were looked for in so many
    of the newest jobs alone: then `total` counts in these, and `next` goes on with those before, also from a page that
    has no job on it."""

    jobs: list[JobView]
    total: int
    total_is_exact: bool = True
    next: str | None = None
    searched: int | None = None


class RetryMessage(BaseModel):
    reset_attempts: bool = True
    priority: int | None = None


class PriorityMessage(BaseModel):
    priority: int


class StatusMessage(BaseModel):
    status: str


class FileUrl(BaseModel):
    """An address of the bytes, for so many seconds."""

    url: str
    expires_in: int


class WhoAmI(BaseModel):
    """As whom the server takes who asks; `is_open` where it lets everyone in. `project` is the only one that they
    see."""

    name: str
    role: str | None = None
    project: str | None = None
    is_open: bool = False
    now: datetime


class ServerVersion(BaseModel):
    version: str
    protocol: int


class RegisterMessage(BaseModel):
    """A worker signs in. Without an id, the server makes one; processes of one worker have ids below its name
    (`rack4.4711.ab12cd34`), by which they are told apart."""

    id: Word | None = None
    type: Word = "pdf"
    metadata: Mapping[str, Any] = {}


class RegisteredMessage(BaseModel):
    id: str
    heartbeat_interval: int


class ProgressMessage(BaseModel):
    stage: Text | None = None
    percent: float | None = None


class HeartbeatMessage(BaseModel):
    current_job_id: Id | None = None
    progress: ProgressMessage | None = None


class HeartbeatAnswer(BaseModel):
    """`lost` are jobs that the worker may hold for its own no more: it ends its work on them."""

    status: str = "ok"
    lost: list[int] = []
    drain: bool = False


class ClaimedView(BaseModel):
    id: int
    type: str
    source_hash: str
    source_path: str | None
    metadata: Any
    lease_number: int
    lease_token: str
    attempts: int


class ClaimAnswer(BaseModel):
    job: ClaimedView
    download_url: str
    upload_url: str


class ClaimsAnswer(BaseModel):
    """The answer to a claim with `max`: one to so many jobs, each as a claim of one has it."""

    jobs: list[ClaimAnswer]


class CompleteMessage(BaseModel):
    worker_id: Word
    result: dict[str, Any] = {}
    lease_number: Id | None = None
    lease_token: str | None = None


class FailMessage(BaseModel):
    worker_id: Word
    error: Annotated[str, Field(max_length=100_000)]
    code: Annotated[str, Field(pattern=r"^[a-z_]{1,64}$")] = "processing_error"
    retryable: bool = True
    lease_number: Id | None = None
    lease_token: str | None = None


class FailAnswer(BaseModel):
    status: str
    attempts: int
    will_retry: bool
