"""A job on the wire: every field as the queue has it, the JSON texts as texts."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from blobforge.domain.errors import InvalidValue
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import JobId, JobKey, SourceHash, WorkerId, parse_name, parse_source_hash
from blobforge.domain.job import Job, NewJob, State
from blobforge.domain.loose_json import json_in
from blobforge.domain.priority import check_priority
from blobforge.wire.bounds import Moment, Project, Size, Text, Whole, Word


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

    project: Project = None
    type: Word
    source_hash: Word
    source_path: Text | None = None
    source_size: Size | None = None
    priority: Whole = 3
    max_attempts: Annotated[int, Field(ge=1, le=100)] = 3
    tags: Text = "[]"
    metadata: Text = "{}"
    source_expected_by: Moment | None = None
    receipt: Annotated[Text, Field(max_length=200)] | None = None
    """Of its source: to know a hash is no right to its content."""

    @classmethod
    def of(cls, job: NewJob, *, receipt: str | None = None) -> "NewJobRow":
        return cls.model_construct(**job._asdict(), receipt=receipt)

    def as_new_job(self, project: str) -> NewJob:
        """In the project that it names, or that is meant where it names none. Raises InvalidValue."""
        parse_name(project, of="project")
        parse_name(self.type, of="job type")
        check_priority(self.priority)
        if not (isinstance(json_in(self.metadata), dict) and isinstance(json_in(self.tags), list)):
            raise InvalidValue("the metadata of a job is a JSON object, and its tags are a list")
        facts = {name: value for name, value in dict(self).items() if name != "receipt"}
        return NewJob(**{**facts, "project": project, "source_hash": parse_source_hash(self.source_hash)})


class KeyRow(BaseModel):
    """What makes a job unique."""

    project: Word
    type: Word
    source_hash: Word

    @classmethod
    def of(cls, key: JobKey) -> "KeyRow":
        return cls.model_construct(**key._asdict())

    def as_key(self) -> JobKey:
        return JobKey(self.project, self.type, SourceHash(self.source_hash))


class FileRow(BaseModel):
    """What is recorded of one file of a job."""

    role: FileRole
    key: Text
    size: Size
    content_type: Word
    checksum: Word

    @classmethod
    def of(cls, record: FileRecord) -> "FileRow":
        return cls.model_construct(**record._asdict())

    def as_record(self) -> FileRecord:
        return FileRecord(**dict(self))
