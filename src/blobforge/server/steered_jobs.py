"""Many jobs that somebody steers in one step: those that they see, and what became of each."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from blobforge.domain.errors import BlobForgeError, NotFound
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.job import Job
from blobforge.server.auth.asking import Asker
from blobforge.server.parts import ServerParts
from blobforge.server.source_rights import with_sources
from blobforge.server.trail import tell

Move = Callable[[Sequence[JobId]], list[Job | BlobForgeError]]
"""One outcome a job, in order."""


class SteeredTogether(NamedTuple):
    """One outcome a job that was named, in order; and from which processes a lease was taken."""

    outcomes: list[Job | BlobForgeError]
    taken_from: list[WorkerId]


def steered_together(
    job_ids: Sequence[JobId], move: Move, asker: Asker, parts: ServerParts, *, action: str, by_sources: bool
) -> SteeredTogether:
    """`by_sources`: only those whose documents came for them. Runs on the thread that writes."""
    there = {job.id: job for job in parts.coordinator.get_many(job_ids) if asker.sees(job.project)}
    seen: list[Job | BlobForgeError] = [
        there.get(job_id) or NotFound(f"there is no job #{job_id}") for job_id in job_ids
    ]
    if by_sources and not asker.acts_for_all:
        seen = with_sources(seen, parts.coordinator)
    moved = iter(move([job.id for job in seen if isinstance(job, Job)]))
    outcomes = [next(moved) if isinstance(job, Job) else job for job in seen]
    done = {job.id: job for job in outcomes if isinstance(job, Job)}
    tell(action, list(done.values()), asker, parts)
    holders = [there[job.id].worker_id for job in done.values() if job.worker_id is None]
    return SteeredTogether(outcomes, [holder for holder in dict.fromkeys(holders) if holder is not None])


def let_know(steered: SteeredTogether, parts: ServerParts) -> None:
    """Those who wait for jobs, and those who have lost one. Called in the event loop."""
    parts.hub.notify()
    for process in steered.taken_from:
        parts.hub.lease_was_taken(process)
