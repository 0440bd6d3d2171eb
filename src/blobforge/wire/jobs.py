"""A job on the wire: every field as the queue has it, the JSON texts as texts."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import JobId, JobKey, SourceHash, WorkerId
from blobforge.domain.job import Job, NewJob, State


class JobRow(BaseModel):
    """For programs that are a part of the queue. Nothing that comes from the wire is taken for the job itself: a server
    moves its own copy."""

    id: int
    project: str
    type: str
    source_hash: str
    source_path: str | None
    source_size: int | None
    state: State
    priority: int
    attempts: int
    max_attempts: int
    lease_number: int
    worker_id: str | None
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

    @classmethod
    def of(cls, job: Job) -> "JobRow":
        # Our own values need no validation.
        return cls.model_construct(**job._asdict())

    def as_job(self) -> Job:
        facts = dict(self)
        # A subclass of the same values: ids are types of their own, and cost nothing.
        facts |= {"id": JobId(self.id), "source_hash": SourceHash(self.source_hash)}
        facts["worker_id"] = None if self.worker_id is None else WorkerId(self.worker_id)
        return Job(**facts)


class NewJobRow(BaseModel):
    """A job to be queued."""

    project: str
    type: str
    source_hash: str
    source_path: str | None = None
    source_size: int | None = None
    priority: int = 3
    max_attempts: int = 3
    tags: str = "[]"
    metadata: str = "{}"
    source_expected_by: datetime | None = None
    receipt: Annotated[str, Field(max_length=200)] | None = None
    """Of its source: to know a hash is no right to its content."""

    @classmethod
    def of(cls, job: NewJob, *, receipt: str | None = None) -> "NewJobRow":
        return cls.model_construct(**job._asdict(), receipt=receipt)

    def as_new_job(self) -> NewJob:
        facts = {name: value for name, value in dict(self).items() if name != "receipt"}
        return NewJob(**{**facts, "source_hash": SourceHash(self.source_hash)})


class KeyRow(BaseModel):
    """What makes a job unique."""

    project: str
    type: str
    source_hash: str

    @classmethod
    def of(cls, key: JobKey) -> "KeyRow":
        return cls.model_construct(**key._asdict())

    def as_key(self) -> JobKey:
        return JobKey(self.project, self.type, SourceHash(self.source_hash))


class FileRow(BaseModel):
    """What is recorded of one file of a job."""

    role: FileRole
    key: str
    size: int
    content_type: str
    checksum: str

    @classmethod
    def of(cls, record: FileRecord) -> "FileRow":
        return cls.model_construct(**record._asdict())

    def as_record(self) -> FileRecord:
        return FileRecord(**dict(self))
