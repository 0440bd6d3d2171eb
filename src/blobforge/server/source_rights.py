"""Whether a project has a right to the bytes of a document: it brought them. To know their hash is none."""

from collections.abc import Sequence

from blobforge.domain.errors import BlobForgeError, InvalidMove
from blobforge.domain.files import FileRole
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Job, State, title
from blobforge.domain.lifecycle import lacks_source
from blobforge.ports.coordinator import Coordinator

MOST_TYPES = 50
"""Jobs of one document in one project: one a type."""


def has_source(job: Job, coordinator: Coordinator) -> bool:
    """Whether the bytes came for this job. One that was announced and then cancelled never had them."""
    if lacks_source(job):
        return False
    if job.lease_number or job.state not in (State.CANCELLED, State.DEAD):
        return True  # it was claimed, or can be: so they were there
    return any(record.role is FileRole.SOURCE for record in coordinator.files(job.id))


def brought_by(project: str, source_hash: SourceHash, coordinator: Coordinator) -> bool:
    jobs = coordinator.find_by_prefix(source_hash, project=project, limit=MOST_TYPES)
    return any(has_source(job, coordinator) for job in jobs)


def with_sources(jobs: Sequence[Job | BlobForgeError], coordinator: Coordinator) -> list[Job | BlobForgeError]:
    """An error in the place of each job that has none: it would run by what others brought."""
    return [
        job
        if isinstance(job, BlobForgeError) or has_source(job, coordinator)
        else InvalidMove(f"{title(job)}: its document never came; submit that again")
        for job in jobs
    ]
