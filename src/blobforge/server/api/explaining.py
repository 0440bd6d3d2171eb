"""What became of one job, and why: its attempts, its error log, and what it waits for."""

from dataclasses import asdict

from starlette.responses import Response

from blobforge.domain.access import Action
from blobforge.domain.errors import NotFound
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job
from blobforge.domain.why import Explanation, explain
from blobforge.ports.blob_store import error_log_key
from blobforge.ports.coordinator import Coordinator
from blobforge.server.api.looking import workers_for
from blobforge.server.auth.asking import Asker
from blobforge.server.bodies import json_router
from blobforge.server.parts import ServerParts
from blobforge.server.routing import Parts, PathId, Reader, answer, says
from blobforge.server.visible_blobs import require_visible
from blobforge.wire import paths
from blobforge.wire.explaining import AttemptsView, ErrorLogView, FailedAttemptView, WhyView
from blobforge.wire.looking import AttemptRow
from blobforge.worker.error_log import FailedAttempt, all_failed, read_error_log
from blobforge.worker.surroundings import surroundings_of

router = json_router("jobs")


@router.get(f"{paths.JOB}/attempts", **says(AttemptsView))
async def attempts(job_id: PathId, asker: Reader, parts: Parts) -> Response:
    """The attempts of a job that have ended, and how each did."""
    job = await _seen(job_id, asker, parts)
    history = await parts.read(lambda queue: queue.history(job.id))
    told = [AttemptRow.model_construct(**attempt._asdict()) for attempt in history.attempts]
    return answer(AttemptsView.model_construct(attempts=told))


@router.get(f"{paths.JOB}/log", **says(ErrorLogView))
async def log(job_id: PathId, asker: Reader, parts: Parts) -> Response:
    """The failed attempts of a job with what their workers left in the store: stage, page and traceback. The log of a
    discreet type, such as lab reports, is for operators."""
    job = await _seen(job_id, asker, parts)
    if job.type in parts.discreet_types:
        asker.require(Action.READ_DISCREET)
    history = await parts.read(lambda queue: queue.history(job.id))
    written = await _written(job, asker, parts)
    told = [FailedAttemptView(**asdict(attempt)) for attempt in all_failed(job, history, written)]
    return answer(ErrorLogView(attempts=told))


@router.get(f"{paths.JOB}/why", **says(WhyView))
async def why(job_id: PathId, asker: Reader, parts: Parts) -> Response:
    """Why a job does not run, or what became of it, and the commands that change it."""
    job = await _seen(job_id, asker, parts)

    def explained(queue: Coordinator) -> Explanation:
        around = surroundings_of(
            job,
            queue,
            workers=workers_for(asker, queue),
            now=parts.clock.now(),
            silent_after=parts.worker_timeout,
        )
        return explain(job, around, called=f"#{job.id}")

    found = await parts.read(explained)
    return answer(WhyView(reason=found.reason.value, explanation=found.text, commands=list(found.commands)))


async def _seen(job_id: int, asker: Asker, parts: ServerParts) -> Job:
    return asker.require_seen(await parts.read(lambda queue: queue.get(JobId(job_id))))


async def _written(job: Job, asker: Asker, parts: ServerParts) -> list[FailedAttempt]:
    """None where the file may not be seen: it tells of all jobs of its document. Raises StoreUnavailable."""
    named = error_log_key(job.source_hash)
    try:
        key = await parts.crossing.read(lambda: require_visible(named, asker, parts, project=job.project, held=None))
    except NotFound:
        return []
    return await parts.crossing.ask_store(lambda: read_error_log(parts.files.blobs, job, key=key))
