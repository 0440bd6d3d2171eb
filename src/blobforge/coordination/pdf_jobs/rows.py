"""A row of `pdf_jobs` as a Job."""

from datetime import UTC, datetime

from blobforge.domain.ids import JobId, SourceHash, WorkerId
from blobforge.domain.job import Job, NewJob, State, created
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.domain.upload import Upload

PROJECT, TYPE = "pdf_jobs", "lab_report"


def claimed_job(
    job_id: JobId,
    upload: Upload,
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
