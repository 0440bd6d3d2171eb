"""Many jobs in one request: by their ids, or all that match."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from starlette.responses import Response

from blobforge.domain.errors import BlobForgeError, InvalidValue, NotFound
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job
from blobforge.domain.priority import check_priority
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import ANY, JobFilter
from blobforge.server.auth.asking import Asker
from blobforge.server.bodies import json_router
from blobforge.server.parts import ServerParts
from blobforge.server.routing import Parts, Steerer, answer, cursor_in, says
from blobforge.server.steered_jobs import SteeredTogether, let_know, steered_together
from blobforge.wire import paths
from blobforge.wire.errors import status_of
from blobforge.wire.many import JobChoice, JobProblem, ManyJobs, RetryJobs, SteeredJobs

router = json_router("jobs")

MoveAll = Callable[[Sequence[JobId], JobFilter], list[Job | BlobForgeError]]
"""Moves those jobs that are still what was wanted."""


class Chosen(NamedTuple):
    """`still` is what they must be when it happens; `next` is where more of them may come."""

    ids: list[JobId]
    still: JobFilter
    next: str | None = None


@router.post(paths.RETRY_JOBS, **says(SteeredJobs))
async def retry_jobs(request: RetryJobs, asker: Steerer, parts: Parts) -> Response:
    """Runs many jobs again, by their ids or all that match. One that cannot be, or is another by then, is among the
    problems; the others are retried."""
    if request.priority is not None:
        check_priority(request.priority)

    def again(job_ids: Sequence[JobId], still: JobFilter) -> list[Job | BlobForgeError]:
        return parts.coordinator.retry_many(
            job_ids, reset_attempts=request.reset_attempts, priority=request.priority, still=still
        )

    return await _steered("job.retry", request, again, asker, parts, by_sources=True)


@router.post(paths.CANCEL_JOBS, **says(SteeredJobs))
async def cancel_jobs(request: ManyJobs, asker: Steerer, parts: Parts) -> Response:
    """Cancels many jobs, by their ids or all that match; those that run are ended by their workers."""

    def cancelled(job_ids: Sequence[JobId], still: JobFilter) -> list[Job | BlobForgeError]:
        return parts.coordinator.cancel_many(job_ids, still=still)

    return await _steered("job.cancel", request, cancelled, asker, parts, by_sources=False)


async def _steered(
    action: str, request: ManyJobs, move: MoveAll, asker: Asker, parts: ServerParts, *, by_sources: bool
) -> Response:
    chosen = await parts.read(lambda queue: _chosen(request, asker, queue))
    if request.dry_run:
        return answer(_message(chosen, await parts.read(lambda queue: _seen(chosen, asker, queue)), is_dry_run=True))

    def moved() -> SteeredTogether:
        return steered_together(
            chosen.ids, lambda ids: move(ids, chosen.still), asker, parts, action=action, by_sources=by_sources
        )

    steered = await parts.crossing.write(moved)
    let_know(steered, parts)
    return answer(_message(chosen, steered.outcomes, is_dry_run=False))


def _chosen(request: ManyJobs, asker: Asker, queue: Coordinator) -> Chosen:
    """Raises InvalidValue, Forbidden."""
    if (request.ids is None) == (request.where is None):
        raise InvalidValue("name the jobs by 'ids', or say by 'where' which: one of both")
    if request.where is not None:
        return _matching(request, request.where, asker, queue)
    if request.after is not None:
        raise InvalidValue("'after' goes on with 'where', and not with 'ids'")
    return Chosen([JobId(job_id) for job_id in dict.fromkeys(request.ids or ())], ANY)


def _matching(request: ManyJobs, choice: JobChoice, asker: Asker, queue: Coordinator) -> Chosen:
    if choice.project is not None:
        asker.require_project(choice.project)
    wanted = choice.as_filter()._replace(project=choice.project or asker.project)
    found = queue.page(wanted, after=cursor_in(request.after), limit=request.limit + 1)
    ids = [job.id for job in found[: request.limit]]
    return Chosen(ids, wanted, str(ids[-1]) if len(found) > request.limit else None)


def _seen(chosen: Chosen, asker: Asker, queue: Coordinator) -> list[Job | BlobForgeError]:
    there = {job.id: job for job in queue.get_many(chosen.ids) if asker.sees(job.project)}
    return [there.get(job_id) or NotFound(f"there is no job #{job_id}") for job_id in chosen.ids]


def _message(chosen: Chosen, outcomes: Sequence[Job | BlobForgeError], *, is_dry_run: bool) -> SteeredJobs:
    jobs = [outcome.id for outcome in outcomes if isinstance(outcome, Job)]
    problems = [
        JobProblem(job_id=job_id, status=status_of(outcome), code=outcome.code, error=str(outcome))
        for job_id, outcome in zip(chosen.ids, outcomes, strict=True)
        if isinstance(outcome, BlobForgeError)
    ]
    unknown = sum(problem.code == NotFound.code for problem in problems)
    return SteeredJobs(
        matched=len(chosen.ids) - unknown,
        done=0 if is_dry_run else len(jobs),
        jobs=[int(job_id) for job_id in jobs],
        problems=problems,
        dry_run=is_dry_run,
        next=chosen.next,
    )
