"""The queue protocol for those who submit and steer."""

from collections.abc import Callable, Sequence
from pathlib import Path

from starlette.responses import Response

from blobforge.domain.access import Action
from blobforge.domain.errors import BlobForgeError, InvalidValue, NotFound, StoreUnavailable
from blobforge.domain.files import FileRole
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.job import Job, NewJob, State
from blobforge.domain.lifecycle import lacks_source
from blobforge.domain.loose_json import json_in
from blobforge.ports.blob_store import source_key
from blobforge.ports.coordinator import Cleared
from blobforge.ports.job_store import Inserted, JobFilter
from blobforge.server.auth.asking import Asker
from blobforge.server.bodies import json_router
from blobforge.server.orders import require_no_files
from blobforge.server.parts import ServerParts
from blobforge.server.routing import Parts, Steerer, Submitter, WorkerManager, WorkerOrSteerer, answer, says
from blobforge.server.source_rights import brought_by, has_source, with_sources
from blobforge.server.sources_in import EXPECTED_WITHIN, source_record
from blobforge.server.steered_jobs import Move, SteeredTogether, let_know, steered_together
from blobforge.server.told_errors import outcome_for_clients
from blobforge.server.trail import tell, tell_of_worker
from blobforge.telemetry.lazy import LazyLogger
from blobforge.wire import paths
from blobforge.wire.jobs import JobRow, NewJobRow
from blobforge.wire.many import CancelMany, RetryMany
from blobforge.wire.queue import (
    MOST_AT_ONCE,
    AmendRequest,
    CancelRequest,
    ClearedCounts,
    ExpectSourceRequest,
    JobRequest,
    JobRows,
    NewJobs,
    Outcomes,
    PriorityRequest,
    RecordedFiles,
    ReprocessRequest,
    RetryRequest,
    SeenJob,
    SeenJobs,
    Submitted,
    SubmittedJob,
    SweepRequest,
    SweptJobs,
    WorkerIdMessage,
)

log = LazyLogger(__name__)
router = json_router("queue protocol")


@router.post(paths.SUBMIT, **says(Submitted))
async def submit(request: NewJobs, asker: Submitter, parts: Parts) -> Response:
    """Queues jobs: one entry each, in order; a job of the same key is given back as it is."""
    for row in request.jobs:
        require_no_files(json_in(row.metadata))
        if ".." in Path(row.source_path or "").parts:
            raise InvalidValue(f"the path of a document has no '..' in it, as {row.source_path!r} has")
    wanted = [(row, row.as_new_job(asker.project_of(row.project))) for row in request.jobs]

    def submitted() -> list[Inserted]:
        new = [_with_its_source(row, job, asker, parts) for row, job in wanted]
        found = parts.coordinator.submit(new)
        brought = [
            job
            for row, (job, created) in zip(request.jobs, found, strict=True)
            if _has_bytes(job) and (created or _is_first_proof(row, job, parts))
        ]
        parts.coordinator.record_many([(job, source_record(job, job.source_size or 0)) for job in brought])
        tell("job.submit", [entry.job for entry in found if entry.created], asker, parts)
        return found

    found = await parts.crossing.write(submitted)
    parts.hub.notify()
    counted_on = {source_key(job.source_hash) for job, created in found if created and _has_bytes(job)}
    if counted_on:
        # A `gc` that asked for the jobs before may be deleting one of them: who brings them asks for them again then.
        await parts.crossing.transfer(lambda: parts.files.blobs.keep(counted_on))
    told = [SubmittedJob.model_construct(job=JobRow.of(job), created=created) for job, created in found]
    return answer(Submitted.model_construct(jobs=told))


def _with_its_source(row: NewJobRow, job: NewJob, asker: Asker, parts: ServerParts) -> NewJob:
    """Who shows no right to the bytes may announce the job: it waits until they were uploaded for it."""
    if job.source_expected_by is not None or asker.acts_for_all or _may_use(row, job, parts):
        return job
    return job._replace(source_expected_by=parts.clock.now() + EXPECTED_WITHIN)


def _may_use(row: NewJobRow, job: NewJob, parts: ServerParts) -> bool:
    if parts.files.receipts.counts(row.receipt, job.project, job.source_hash):
        return True
    return brought_by(job.project, job.source_hash, parts.coordinator)


def _is_first_proof(row: NewJobRow, job: Job, parts: ServerParts) -> bool:
    """Whether the bytes of a job that had ended without them are there now: it may run again by them."""
    has_receipt = parts.files.receipts.counts(row.receipt, job.project, job.source_hash)
    return has_receipt and not has_source(job, parts.coordinator)


def _has_bytes(job: Job) -> bool:
    return job.source_size is not None and not lacks_source(job)


@router.post(paths.RECORD_FILES, **says(Outcomes))
async def record_files(request: RecordedFiles, asker: WorkerManager, parts: Parts) -> Response:
    """Records the sources of jobs that are in the store; all others, and unknown jobs, are passed over. Which key, size
    and checksum they have is what the server finds, whatever its client says: a result is recorded when it comes. For
    those who put files there themselves: a record is taken for a proof that a project has brought its document."""

    def record() -> None:
        ids = [JobId(entry.job_id) for entry in request.files if entry.file.role is FileRole.SOURCE]
        jobs = [job for job in parts.coordinator.get_many(ids) if asker.sees(job.project)]
        stored = parts.files.blobs.stat_many([source_key(job.source_hash) for job in jobs])
        parts.coordinator.record_many(
            [
                (job, source_record(job, stored[key].size))
                for job in jobs
                if (key := source_key(job.source_hash)) in stored
            ]
        )

    await parts.crossing.write(record)
    return answer(Outcomes(outcomes=[]))


async def steer(parts: ServerParts, job_id: int, asker: Asker, action: str, move: Callable[[JobId], Job]) -> Response:
    def moved() -> tuple[Job, Job]:
        before = asker.require_seen(parts.coordinator.get(JobId(job_id)))
        after = move(JobId(job_id))
        tell(action, [after], asker, parts)
        return before, after

    before, after = await parts.crossing.write(moved)
    parts.hub.notify()
    if before.worker_id is not None and after.worker_id is None:
        parts.hub.lease_was_taken(before.worker_id)
    return answer(JobRow.of(after))


@router.post(paths.CANCEL, **says(JobRow))
async def cancel(request: CancelRequest, asker: Steerer, parts: Parts) -> Response:
    """Cancels a job; one that runs is ended by its worker."""

    def cancelled(job_id: JobId) -> Job:
        return parts.coordinator.cancel(job_id, rev=request.rev)

    return await steer(parts, request.id, asker, "job.cancel", cancelled)


@router.post(paths.REQUEUE, **says(JobRow))
async def requeue(request: JobRequest, asker: Steerer, parts: Parts) -> Response:
    """Returns a running job to the queue, without counting its attempt."""
    return await steer(parts, request.id, asker, "job.requeue", parts.coordinator.requeue)


@router.post(paths.RETRY, **says(JobRow))
async def retry(request: RetryRequest, asker: Steerer, parts: Parts) -> Response:
    """Runs a job again, also a completed one."""
    require_no_files(json_in(request.metadata))

    def again(job_id: JobId) -> Job:
        until = request.source_expected_by
        if not asker.acts_for_all and not has_source(parts.coordinator.get(job_id), parts.coordinator):
            until = until or parts.clock.now() + EXPECTED_WITHIN
        return parts.coordinator.retry(
            job_id,
            reset_attempts=request.reset_attempts,
            priority=request.priority,
            metadata=request.metadata,
            source_expected_by=until,
            rev=request.rev,
        )

    return await steer(parts, request.id, asker, "job.retry", again)


@router.post(paths.SOURCE_ARRIVED, **says(JobRow))
async def source_arrived(request: JobRequest, asker: WorkerManager, parts: Parts) -> Response:
    """The source of an announced job is in the store: for programs that put it there themselves."""
    return await steer(parts, request.id, asker, "job.source_arrived", parts.coordinator.source_arrived)


@router.post(paths.EXPECT_SOURCE, **says(JobRow))
async def expect_source(request: ExpectSourceRequest, asker: Submitter, parts: Parts) -> Response:
    """Another time by which the source of an announced job must have come, and its size, if that was told wrongly."""
    if request.source_size is not None:
        parts.require_size(request.source_size)
    return await steer(
        parts,
        request.id,
        asker,
        "job.expect_source",
        lambda job_id: parts.coordinator.expect_source(job_id, until=request.until, source_size=request.source_size),
    )


@router.post(paths.REPRIORITIZE, **says(JobRow))
async def reprioritize(request: PriorityRequest, asker: Steerer, parts: Parts) -> Response:
    """Gives a waiting job another priority."""
    return await steer(
        parts,
        request.id,
        asker,
        "job.prioritize",
        lambda job_id: parts.coordinator.reprioritize(job_id, priority=request.priority, rev=request.rev),
    )


@router.post(paths.AMEND, **says(JobRow))
async def amend(request: AmendRequest, asker: Steerer, parts: Parts) -> Response:
    """Another order for a waiting job."""
    require_no_files(json_in(request.metadata))

    def amended(job_id: JobId) -> Job:
        return parts.coordinator.amend(job_id, metadata=request.metadata)

    return await steer(parts, request.id, asker, "job.amend", amended)


@router.post(paths.CANCEL_MANY, **says(Outcomes))
async def cancel_many(request: CancelMany, asker: Steerer, parts: Parts) -> Response:
    """Cancels jobs: one outcome each, in order."""
    still = request.as_filter()

    def cancelled(job_ids: Sequence[JobId]) -> list[Job | BlobForgeError]:
        return parts.coordinator.cancel_many(job_ids, still=still)

    return await _together("job.cancel", request, cancelled, asker, parts, by_sources=False)


@router.post(paths.RETRY_MANY, **says(Outcomes))
async def retry_many(request: RetryMany, asker: Steerer, parts: Parts) -> Response:
    """Retries jobs: one outcome each, in order."""
    still = request.as_filter()

    def again(job_ids: Sequence[JobId]) -> list[Job | BlobForgeError]:
        return parts.coordinator.retry_many(
            job_ids, reset_attempts=request.reset_attempts, priority=request.priority, still=still
        )

    return await _together("job.retry", request, again, asker, parts, by_sources=True)


async def _together(
    action: str, request: CancelMany, move: Move, asker: Asker, parts: ServerParts, *, by_sources: bool
) -> Response:
    def moved() -> SteeredTogether:
        ids = [JobId(job_id) for job_id in request.ids]
        return steered_together(ids, move, asker, parts, action=action, by_sources=by_sources)

    steered = await parts.crossing.write(moved)
    let_know(steered, parts)
    return answer(Outcomes.model_construct(outcomes=[outcome_for_clients(outcome) for outcome in steered.outcomes]))


@router.post(paths.RETRY_UNCHANGED, **says(Outcomes))
async def retry_unchanged(request: SeenJobs, asker: Steerer, parts: Parts) -> Response:
    """Retries jobs as their sender saw them; an error in the place of one that changed."""

    def again() -> list[Job | BlobForgeError]:
        seen = _seen_with_sources(request.jobs, asker, parts)
        return _told("job.retry", _in_place(seen, parts.coordinator.retry_unchanged), asker, parts)

    return _outcomes(await parts.crossing.write(again), parts.hub.notify)


@router.post(paths.REPROCESS, **says(Outcomes))
async def reprocess(request: ReprocessRequest, asker: Steerer, parts: Parts) -> Response:
    """Runs jobs by another order, as their sender saw them; an error in the place of one that changed, or runs."""
    orders = {job.id: job.metadata for job in request.jobs}
    for order in orders.values():
        require_no_files(json_in(order))

    def again() -> list[Job | BlobForgeError]:
        seen = _seen_with_sources(request.jobs, asker, parts)
        moved = _in_place(seen, lambda jobs: parts.coordinator.reprocess(jobs, lambda job: orders[job.id]))
        return _told("job.reprocess", moved, asker, parts)

    return _outcomes(await parts.crossing.write(again), parts.hub.notify)


@router.post(paths.CLEAR_DEAD, **says(ClearedCounts))
async def clear_dead(request: SeenJobs, asker: Steerer, parts: Parts) -> Response:
    """Dead jobs leave the queue for good, with their error logs; one with an earlier result is completed again."""

    def clear() -> tuple[Cleared, list[Job]]:
        seen = _as_seen(request.jobs, parts.coordinator.get_many(_ids(request.jobs)), asker)
        dead = [job for job in seen if isinstance(job, Job)]
        cleared = parts.coordinator.clear_dead(dead)
        tell("job.clear", dead, asker, parts)
        stayed = {job.id for job in parts.coordinator.get_many([job.id for job in dead])}
        return cleared, [job for job in dead if job.id not in stayed]

    cleared, gone = await parts.crossing.write(clear)
    await parts.crossing.transfer(lambda: _remove_logs(gone, parts))
    return answer(ClearedCounts(purged=cleared.purged, restored=cleared.restored))


def _remove_logs(gone: Sequence[Job], parts: ServerParts) -> None:
    """What cannot be removed does no harm: the next attempt of the document replaces it."""
    try:
        for job in gone:
            parts.files.blobs.delete(parts.files.names.log(job.project, job.source_hash))
    except StoreUnavailable as error:
        log.warning("error logs of jobs that are gone are left behind", error=str(error))


@router.post(paths.SWEEP, **says(SweptJobs))
async def sweep(request: SweepRequest, asker: Steerer, parts: Parts) -> Response:
    """One pass of the reaper, over all projects; a dry run only tells."""
    swept = await parts.write(lambda queue: queue.sweep(dry_run=request.dry_run))
    parts.hub.notify()
    reaped = [JobRow.of(job) for job in swept.reaped if asker.sees(job.project)]
    return answer(SweptJobs.model_construct(reaped=reaped, repaired=swept.repaired, left_alone=swept.left_alone))


@router.post(paths.EXPIRE_WORKER, **says(JobRows))
async def expire_worker(request: WorkerIdMessage, asker: WorkerOrSteerer, parts: Parts) -> Response:
    """Frees the jobs of a process that is known to be gone. A worker says so of its own processes alone."""
    if not asker.may(Action.STEER):
        asker.require_name(request.id)

    def expired() -> list[Job]:
        _require_seen_all(request.id, asker, parts)
        freed = parts.coordinator.expire_worker(WorkerId(request.id))
        tell_of_worker("worker.expire", request.id, asker, parts)
        return freed

    freed = await parts.crossing.write(expired)
    parts.hub.notify()
    return answer(JobRows.model_construct(jobs=[JobRow.of(job) for job in freed if asker.sees(job.project)]))


def _require_seen_all(process: str, asker: Asker, parts: ServerParts) -> None:
    """What frees the jobs of a process frees all of them. Raises Forbidden."""
    for job in parts.coordinator.page(JobFilter(state=State.RUNNING, worker_id=WorkerId(process)), limit=MOST_AT_ONCE):
        asker.require_project(job.project)


def _told(
    action: str, outcomes: list[Job | BlobForgeError], asker: Asker, parts: ServerParts
) -> list[Job | BlobForgeError]:
    tell(action, [outcome for outcome in outcomes if isinstance(outcome, Job)], asker, parts)
    return outcomes


def _seen_with_sources(seen: Sequence[SeenJob], asker: Asker, parts: ServerParts) -> list[Job | BlobForgeError]:
    found = _as_seen(seen, parts.coordinator.get_many(_ids(seen)), asker)
    return found if asker.acts_for_all else with_sources(found, parts.coordinator)


def _ids(seen: Sequence[SeenJob]) -> list[JobId]:
    return [JobId(job.id) for job in seen]


def _as_seen(seen: Sequence[SeenJob], there: Sequence[Job], asker: Asker) -> list[Job | BlobForgeError]:
    """The server's own copy of each, with the revision that the sender saw: where that is old, the Coordinator says
    that it has changed."""
    by_id = {job.id: job for job in there if asker.sees(job.project)}
    return [
        by_id[JobId(job.id)]._replace(rev=job.rev) if job.id in by_id else NotFound(f"there is no job #{job.id}")
        for job in seen
    ]


def _in_place(
    seen: Sequence[Job | BlobForgeError], move: Callable[[Sequence[Job]], list[Job | BlobForgeError]]
) -> list[Job | BlobForgeError]:
    """Moves the jobs, and leaves the errors where they are."""
    jobs = [job for job in seen if isinstance(job, Job)]
    moved = iter(move(jobs) if jobs else [])
    return [next(moved) if isinstance(job, Job) else job for job in seen]


def _outcomes(outcomes: Sequence[Job | BlobForgeError], notify: Callable[[], None]) -> Response:
    notify()
    return answer(Outcomes.model_construct(outcomes=[outcome_for_clients(outcome) for outcome in outcomes]))
