"""Jobs for workers in the shapes of the public API: claimed one at a time, completed or failed by their id."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, NamedTuple

from fastapi import Query, Request
from starlette.responses import Response

from blobforge.domain.account import names_instance
from blobforge.domain.endings import Completed, Ending, Failed, Released
from blobforge.domain.errors import BlobForgeError, InvalidValue
from blobforge.domain.ids import JobId, WorkerId, parse_name
from blobforge.domain.job import FINAL_STATES, Failure, Job, State
from blobforge.domain.json_value import canonical_json
from blobforge.ports.blob_store import source_key
from blobforge.ports.job_store import JobFilter, Queue
from blobforge.server.api.settling import SIGNED_AT_ONCE, ended_before
from blobforge.server.auth.asking import Asker
from blobforge.server.bodies import json_router
from blobforge.server.hub import ClaimLine
from blobforge.server.long_poll import LongPoll
from blobforge.server.parts import ServerParts
from blobforge.server.results_in import VALID_FOR
from blobforge.server.routing import NO_STORE, Parts, PathId, WorkerAsks, answer, says
from blobforge.wire import paths
from blobforge.wire.api import (
    ClaimAnswer,
    ClaimedView,
    ClaimsAnswer,
    CompleteMessage,
    FailAnswer,
    FailMessage,
    StatusMessage,
    shown_json,
)
from blobforge.wire.queue import Lease

router = json_router("workers")


@router.get(paths.CLAIM, **says(ClaimAnswer | ClaimsAnswer))
@router.post(paths.CLAIM, **says(ClaimAnswer | ClaimsAnswer))
async def claim(
    request: Request,
    asker: WorkerAsks,
    parts: Parts,
    type: Annotated[str, Query()] = "pdf",  # noqa: A002 - the name of the query
    timeout: Annotated[float, Query(ge=0)] = 0,
    worker_id: Annotated[str | None, Query(max_length=255)] = None,
    project: Annotated[str | None, Query()] = None,
    max: Annotated[int | None, Query(ge=1, le=SIGNED_AT_ONCE)] = None,  # noqa: A002 - the name of the query
) -> Response:
    """The next job of a type; where there is none, waits up to `timeout` seconds (60 at most) and answers 204. With
    `max` as many as there are, up to so many, in a list. Who asks by a name alone is first given what it holds."""
    project = asker.project_of(project)
    process = _process(asker, worker_id)
    queue = Queue(project, asker.types([parse_name(type, of="job type")]))
    take = partial(_next, parts, queue, process, max or 1)
    jobs = await _claimed(request, parts, asker, queue, process, take, seconds=timeout)
    if not jobs:
        return Response(status_code=204, headers=NO_STORE)
    parts.leased.keep(jobs)
    parts.metrics.claimed(jobs)
    told = [_told(job, parts) for job in jobs]
    return answer(told[0] if max is None else ClaimsAnswer(jobs=told))


@router.post(f"{paths.JOB}/complete", **says(StatusMessage))
async def complete(job_id: PathId, message: CompleteMessage, asker: WorkerAsks, parts: Parts) -> Response:
    """Ends a job whose result was uploaded. Told twice by one lease, it answers the same."""
    lease = _lease(job_id, message.worker_id, message.lease_number, message.lease_token)

    found = await parts.crossing.write(lambda: _renewed(lease, asker, parts))
    if found.is_held:
        results = parts.files.results
        ending = Completed(found.job, canonical_json(message.result))
        accepted = await parts.crossing.transfer(lambda: results.accepted_by_name(ending))
        job = await _ended(accepted, parts)
        await parts.crossing.transfer(lambda: results.published(job))
    return answer(StatusMessage(status=State.COMPLETED.value))


@router.post(f"{paths.JOB}/fail", **says(FailAnswer))
async def fail(job_id: PathId, message: FailMessage, asker: WorkerAsks, parts: Parts) -> Response:
    """Ends a job with an error; it is tried again while it has attempts left."""
    lease = _lease(job_id, message.worker_id, message.lease_number, message.lease_token)
    job, is_held = await parts.crossing.read(lambda: _held(lease, asker, parts, kind="failed"))
    if is_held:
        job = await _ended(Failed(job, Failure(message.code, message.error, retryable=message.retryable)), parts)
    will_retry = job.state not in FINAL_STATES
    return answer(FailAnswer(status=State.FAILED.value, attempts=job.attempts, will_retry=will_retry))


@router.post(f"{paths.JOB}/release", **says(StatusMessage))
async def release(job_id: PathId, message: CompleteMessage, asker: WorkerAsks, parts: Parts) -> Response:
    """Gives a job back, without counting its attempt."""
    lease = _lease(job_id, message.worker_id, message.lease_number, message.lease_token)
    job, is_held = await parts.crossing.read(lambda: _held(lease, asker, parts, kind="released"))
    if is_held:
        job = await _ended(Released(job), parts)
    return answer(StatusMessage(status=job.state.value))


async def _claimed(
    request: Request,
    parts: ServerParts,
    asker: Asker,
    queue: Queue,
    process: WorkerId,
    take: Callable[[], list[Job]],
    *,
    seconds: float,
) -> list[Job]:
    """First it listens, then it looks. A client that is gone when its jobs come gives them back at once.

    Who waits may be drained or disabled meanwhile: it is asked who they are whenever it is looked.
    """
    line = ClaimLine(queue.project, queue.types, queue.has)
    with parts.hub.listen(line) as waiter:
        async with LongPoll(request, seconds=seconds) as poll:
            while True:
                waiter.looks_now()
                jobs = [] if asker.is_draining else await parts.crossing.write_together(take)
                if jobs:
                    waiter.pass_on()
                    if not poll.is_gone:
                        return jobs
                    await _given_back(jobs, parts)
                    return []
                if not await poll.wait(waiter):
                    return []
                asker = await parts.doorman.asker(request)
                asker.require_process(process)


def _next(parts: ServerParts, queue: Queue, process: WorkerId, most: int) -> list[Job]:
    """The jobs of a claim whose answer was lost come first: who asks by a name alone ends them before it has others."""
    if not names_instance(process):
        (job_type,) = queue.types
        held = JobFilter(project=queue.project, type=job_type, state=State.RUNNING, worker_id=process)
        if mine := parts.coordinator.page(held, limit=most):
            return list(mine)
    return parts.coordinator.claim(queue, worker_id=process, limit=most)


async def _given_back(jobs: Sequence[Job], parts: ServerParts) -> None:
    """Raises why the first of them could not be."""
    outcomes = await parts.write(lambda queue: queue.end([Released(job) for job in jobs]))
    parts.hub.notify()
    for outcome in outcomes:
        if isinstance(outcome, BlobForgeError):
            raise outcome


async def _ended(ending: Ending, parts: ServerParts) -> Job:
    """Raises what became of it."""
    (outcome,) = await parts.write(lambda queue: queue.end([ending]))
    parts.hub.notify()
    if isinstance(outcome, BlobForgeError):
        raise outcome
    return outcome


def _process(asker: Asker, worker_id: str | None) -> WorkerId:
    """Raises Forbidden, InvalidValue."""
    if worker_id is None and asker.worker is not None:
        worker_id = asker.worker.name
    if not worker_id:
        raise InvalidValue("say who claims: ?worker_id=NAME, or X-Worker-ID with X-Worker-Secret")
    return asker.require_process(worker_id)


def _lease(job_id: PathId, worker_id: str, number: int | None, token: str | None) -> Lease:
    """Without a number, the worker and the state of the job decide."""
    return Lease(job_id=job_id, number=-1 if number is None else number, process=worker_id, token=token)


class _Found(NamedTuple):
    """The job of a lease that holds it; or as it is now, in whose hands ever, where this very lease ended it before."""

    job: Job
    is_held: bool


def _held(lease: Lease, asker: Asker, parts: ServerParts, *, kind: str) -> _Found:
    """Raises Forbidden, LeaseLost, NotFound."""
    asker.require_process(lease.process)
    job = asker.require_seen(parts.coordinator.get(JobId(lease.job_id)))
    if lease.number < 0:
        lease = lease.model_copy(update={"number": job.lease_number})
    checked = parts.leased.checked(lease, job)
    return _Found(checked, is_held=True) if isinstance(checked, Job) else _told_before(lease, kind, parts, checked)


def _told_before(lease: Lease, kind: str, parts: ServerParts, error: BlobForgeError) -> _Found:
    """A lease that is lost may have ended the job itself, and its worker did not hear of it. Raises `error`."""
    ended = ended_before(lease, kind, parts) if parts.leased.tokens.is_right(lease) else None
    if ended is None:
        raise error
    return _Found(ended, is_held=False)


def _renewed(lease: Lease, asker: Asker, parts: ServerParts) -> _Found:
    """It stays so while files are moved. Raises Forbidden, LeaseLost, NotFound."""
    found = _held(lease, asker, parts, kind="completed")
    if not found.is_held:
        return found
    (outcome,) = parts.coordinator.renew([found.job])
    if isinstance(outcome, Job):
        return _Found(outcome, is_held=True)
    return _told_before(lease, "completed", parts, outcome)


def _told(job: Job, parts: ServerParts) -> ClaimAnswer:
    source = parts.files.urls.signed(source_key(job.source_hash), method="GET", valid_for=VALID_FOR)
    result = parts.files.results.begin(job)
    view = ClaimedView(
        id=job.id,
        type=job.type,
        source_hash=job.source_hash,
        source_path=job.source_path,
        metadata=shown_json(job.metadata),
        lease_number=job.lease_number,
        lease_token=parts.leased.tokens.of(job),
        attempts=job.attempts,
    )
    return ClaimAnswer(job=view, download_url=source.url, upload_url=result.url.url)
