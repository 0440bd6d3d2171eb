"""A row of `pdf_jobs`: as a Job, with the fence that proves who holds it, and after its ending."""

from datetime import UTC, datetime
from typing import NamedTuple

from blobforge.domain.errors import (
    DamagedSource,
    EmptySource,
    EncryptedSource,
    InvalidOptions,
    NoPages,
    NotAPdf,
    NoText,
    SourceForbidden,
    SourceTooLarge,
)
from blobforge.domain.ids import JobId, SourceHash, WorkerId
from blobforge.domain.job import Failure, Job, NewJob, State, created
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.domain.uploaded_document import UploadedDocument

PROJECT, TYPE = "pdf_jobs", "lab_report"
LONGEST_MESSAGE = 2_000
_FINAL = frozenset(
    error.code
    for error in (
        *(NotAPdf, EmptySource, DamagedSource, EncryptedSource, NoPages, NoText),
        *(SourceTooLarge, SourceForbidden, InvalidOptions),
    )
)
"""Failures that no retry changes. All others are retried, as the contract of the table demands."""


def claimed_job(
    job_id: JobId,
    upload: UploadedDocument,
    *,
    attempts: int,
    max_attempts: int,
    lease_number: int,
    worker_id: WorkerId,
    locked_at: datetime,
    options: JsonObject,
) -> Job:
    now = locked_at.replace(tzinfo=UTC)
    new = NewJob(
        PROJECT,
        TYPE,
        surrogate_hash(job_id, upload.document_id),
        source_path=upload.path,
        max_attempts=max_attempts,
        metadata=canonical_json({"options": options, "upload": upload.as_json()}),
    )
    return created(new, job_id=job_id, now=now)._replace(
        state=State.RUNNING, attempts=attempts, lease_number=lease_number, worker_id=worker_id, started_at=now
    )


def surrogate_hash(job_id: JobId, document_id: int) -> SourceHash:
    """The table identifies a document by a number and not by its content: this is as unique, and readable, since
    messages name a document by the first twelve digits."""
    return SourceHash(f"{document_id:012d}{job_id:052d}")


class Holding(NamedTuple):
    """`stamps` are the values that `locked_at` may have: several while the answer to a renewal is missing."""

    job: Job
    document_id: int
    stamps: tuple[datetime, ...]
    since: float

    def fence(self) -> dict[str, object]:
        return {"id": self.job.id, "attempts": self.job.attempts, "stamps": list(self.stamps)}


class RowStatus(NamedTuple):
    """A row after an ending."""

    status: str
    attempts: int


def is_final(job: Job, failure: Failure) -> bool:
    """Whether there is no retry: no attempt is left, or the next one would fail in the same way."""
    return failure.code in _FINAL or job.attempts >= job.max_attempts


def error_message(failure: Failure, document_id: int) -> str:
    """The value of the column: a code for programs, and a message that quotes nothing of the document."""
    where = "" if failure.page is None else f"page {failure.page}: "
    # A processor names a document by the beginning of its hash, which is made of its number here.
    words = failure.message.replace(f"document {document_id:012d}", f"document {document_id}")
    return f"{failure.code}: {where}{words}".replace("\0", "")[:LONGEST_MESSAGE]
