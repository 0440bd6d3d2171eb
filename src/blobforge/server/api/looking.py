"""The queue protocol for those who look: jobs, counts, histories."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from blobforge.domain.access import Action
from blobforge.domain.account import is_process_of
from blobforge.domain.errors import Forbidden
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job
from blobforge.domain.loose_json import list_in, object_in, whole_in
from blobforge.domain.service_record import record_json
from blobforge.domain.worker import Worker
from blobforge.domain.worker_report import WorkerReport, read_report
from blobforge.ports.coordinator import Coordinator
from blobforge.server.auth.asking import Asker
from blobforge.server.bodies import json_router
from blobforge.server.routing import Parts, Reader, WorkerManager, WorkerOrReader, answer, says
from blobforge.wire import paths
from blobforge.wire.jobs import FileRow, JobRow, KeyRow
from blobforge.wire.looking import (
    AttemptRow,
    Count,
    CountAnswer,
    CountRequest,
    Counts,
    EventRow,
    FileRows,
    HistoryMessage,
    IdentityAnswer,
    IdentityMessage,
    IdentityRequest,
    KeyState,
    KeyStates,
    PageRequest,
    PrefixRequest,
    ProjectRequest,
    ReferencesMessage,
    ServiceRecords,
    TypeCounts,
    WaitingCount,
    WaitingCounts,
    WorkerRows,
)
from blobforge.wire.queue import MOST_AT_ONCE, Ids, JobRequest, JobRows, Keys, WorkerRow

router = json_router("queue protocol")


@router.post(paths.GET_MANY, **says(JobRows))
async def get_many(request: Ids, asker: WorkerOrReader, parts: Parts) -> Response:
    """Those that exist, in no particular order."""
    found = await parts.read(lambda queue: queue.get_many([JobId(job_id) for job_id in request.ids]))
    return _rows(found, asker)


@router.post(paths.FIND, **says(JobRows))
async def find(request: Keys, asker: Reader, parts: Parts) -> Response:
    """The jobs of these keys; unknown ones are left out."""
    keys = [key.as_key() for key in request.keys if asker.sees(key.project)]
    return _rows(list((await parts.read(lambda queue: queue.find(keys))).values()), asker)


@router.post(paths.STATES, **says(KeyStates))
async def states(request: Keys, asker: Reader, parts: Parts) -> Response:
    """The state of each of these; unknown ones are left out."""
    keys = [key.as_key() for key in request.keys if asker.sees(key.project)]
    found = await parts.read(lambda queue: queue.states(keys))
    told = [KeyState.model_construct(key=KeyRow.of(key), state=state) for key, state in found.items()]
    return answer(KeyStates.model_construct(states=told))


@router.post(paths.FIND_BY_PREFIX, **says(JobRows))
async def find_by_prefix(request: PrefixRequest, asker: Reader, parts: Parts) -> Response:
    """Jobs whose source hash begins so."""
    prefix, project, limit = request.prefix, asker.project_of(request.project), request.limit
    return _rows(await parts.read(lambda queue: queue.find_by_prefix(prefix, project=project, limit=limit)), asker)


@router.post(paths.PAGE, **says(JobRows))
async def page(request: PageRequest, asker: WorkerOrReader, parts: Parts) -> Response:
    """Jobs that match, newest first, from below `after`. A worker asks for what its own processes hold."""
    if not asker.may(Action.READ):
        if not request.wanted.worker_id:
            raise Forbidden(
                f"{asker.name} sees its own jobs alone: what others have needs a token, in BLOBFORGE_TOKEN, and no "
                "worker's secret"
            )
        asker.require_process(request.wanted.worker_id)
    wanted = request.wanted.as_filter()._replace(project=_project(asker, request.wanted.project))
    after = None if request.after is None else JobId(request.after)
    return _rows(await parts.read(lambda queue: queue.page(wanted, after=after, limit=request.limit)), asker)


@router.post(paths.COUNT, **says(CountAnswer))
async def count(request: CountRequest, asker: Reader, parts: Parts) -> Response:
    """How many jobs match, where they are no more than `most`; else one more than that."""
    wanted = request.wanted.as_filter()._replace(project=_project(asker, request.wanted.project))
    return answer(CountAnswer(count=await parts.read(lambda queue: queue.count(wanted, most=request.most))))


@router.post(paths.COUNTS, **says(Counts))
async def counts(request: ProjectRequest, asker: WorkerOrReader, parts: Parts) -> Response:
    """How many jobs there are by type and state."""
    project = _project(asker, request.project)
    found = await parts.read(lambda queue: queue.counts(project=project))
    told = [Count(type=kind, state=state, count=count) for (kind, state), count in found.items()]
    return answer(Counts(counts=told))


@router.post(paths.WAITING, **says(WaitingCounts))
async def waiting(request: ProjectRequest, asker: WorkerOrReader, parts: Parts) -> Response:
    """How many jobs are ready, by type and needs."""
    project = asker.project_of(request.project)
    found = await parts.read(lambda queue: queue.waiting(project=project))
    told = [WaitingCount(type=kind, needs=needs, count=count) for (kind, needs), count in found.items()]
    return answer(WaitingCounts(waiting=told))


@router.post(paths.GAPS, **says(TypeCounts))
async def gaps(request: ProjectRequest, asker: Reader, parts: Parts) -> Response:
    """How many published results miss pages, by type."""
    project = _project(asker, request.project)
    return answer(TypeCounts(counts=dict(await parts.read(lambda queue: queue.gaps(project=project)))))


@router.post(paths.DOUBTS, **says(TypeCounts))
async def doubts(request: ProjectRequest, asker: Reader, parts: Parts) -> Response:
    """How many published results are of repaired files or have doubtful pages, by type."""
    project = _project(asker, request.project)
    return answer(TypeCounts(counts=dict(await parts.read(lambda queue: queue.doubts(project=project)))))


@router.post(paths.HISTORY, **says(HistoryMessage))
async def history(request: JobRequest, asker: Reader, parts: Parts) -> Response:
    """What happened to a job."""
    job_id = JobId(request.id)
    asker.require_seen(await parts.read(lambda queue: queue.get(job_id)))
    found = await parts.read(lambda queue: queue.history(job_id))
    attempts = [AttemptRow.model_construct(**attempt._asdict()) for attempt in found.attempts]
    events = [EventRow.model_construct(**event._asdict()) for event in found.events]
    return answer(HistoryMessage.model_construct(attempts=attempts, events=events))


@router.post(paths.FILES, **says(FileRows))
async def files(request: JobRequest, asker: Reader, parts: Parts) -> Response:
    """What was recorded of a job's source and outputs, oldest first."""
    job_id = JobId(request.id)
    if not [job for job in await parts.read(lambda queue: queue.get_many([job_id])) if asker.sees(job.project)]:
        return answer(FileRows(files=[]))
    found = await parts.read(lambda queue: queue.files(job_id))
    return answer(FileRows.model_construct(files=[FileRow.of(record) for record in found]))


@router.get(paths.WORKERS, **says(WorkerRows))
async def workers(asker: WorkerOrReader, parts: Parts) -> Response:
    """All processes of workers that are registered, with what they do for the projects that are seen. A worker hears
    of others whether they live and what they can do."""
    found = await parts.read(lambda queue: workers_for(asker, queue))
    told = [
        WorkerRow.model_construct(
            id=worker.id,
            type=worker.type,
            status=worker.status,
            last_heartbeat=worker.last_heartbeat,
            current_job_id=worker.current_job_id if (whole := _sees_whole(asker, worker)) else None,
            metadata=worker.metadata if whole else _abilities(worker.metadata),
        )
        for worker in found
    ]
    return answer(WorkerRows.model_construct(workers=told))


@router.get(paths.RECORDS, **says(ServiceRecords))
async def records(asker: Reader, parts: Parts) -> Response:  # noqa: ARG001
    """What workers have done, by their names."""
    found = await parts.read(lambda queue: queue.records())
    return answer(ServiceRecords(records={name: record_json(record) for name, record in found.items()}))


@router.get(paths.REFERENCES, **says(ReferencesMessage))
async def references(asker: WorkerManager, parts: Parts) -> Response:
    """Every document that the queue names, in all projects."""
    asker.require_all_projects()
    return answer(ReferencesMessage.of(await parts.read(lambda queue: queue.references())))


@router.post(paths.IDENTITY, **says(IdentityAnswer))
async def identity(request: IdentityRequest, asker: WorkerManager, parts: Parts) -> Response:
    """What pairs the queue with its store; a proposal is stored only where there is none yet."""
    asker.require_all_projects()
    proposed = None if request.proposed is None else request.proposed.as_identity()
    instead_of = None if request.instead_of is None else request.instead_of.as_identity()
    found = await parts.write(lambda queue: queue.identity(proposed, instead_of=instead_of))
    return answer(IdentityAnswer(identity=IdentityMessage.of(found)))


def workers_for(asker: Asker, queue: Coordinator) -> list[Worker]:
    """A worker may work for all projects; what its documents are called is for those of their project."""
    workers = list(queue.workers())
    if asker.project is None:
        return workers
    running = [JobId(job.job_id) for worker in workers for job in _report(worker).jobs]
    current = [worker.current_job_id for worker in workers if worker.current_job_id is not None]
    seen = {job.id for job in _in_parts(queue, sorted({*running, *current})) if asker.sees(job.project)}
    return [_without_others(worker, seen) for worker in workers]


def _in_parts(queue: Coordinator, ids: Sequence[JobId]) -> Iterator[Job]:
    for start in range(0, len(ids), MOST_AT_ONCE):
        yield from queue.get_many(ids[start : start + MOST_AT_ONCE])


def _without_others(worker: Worker, seen: set[JobId]) -> Worker:
    jobs = [job for job in list_in(worker.metadata.get("jobs")) if whole_in(object_in(job).get("job_id")) in seen]
    metadata = {**worker.metadata, "jobs": jobs} if "jobs" in worker.metadata else worker.metadata
    current = worker.current_job_id if worker.current_job_id in seen else None
    return replace(worker, metadata=metadata, current_job_id=current)


def _report(worker: Worker) -> WorkerReport:
    return read_report(worker.metadata, worker_id=worker.id)


def _sees_whole(asker: Asker, worker: Worker) -> bool:
    own = asker.worker is not None and is_process_of(worker.id, asker.worker.name)
    return own or asker.may(Action.READ)


def _abilities(report: Mapping[str, Any]) -> dict[str, Any]:
    return {name: report[name] for name in ("name", "heartbeat_seconds", "has") if name in report}


def _project(asker: Asker, wanted: str | None) -> str | None:
    """The project that is looked at: where none is named, the only one that the asker sees. Raises Forbidden."""
    if wanted is not None:
        asker.require_project(wanted)
    return wanted or asker.project


def _rows(jobs: Sequence[Job], asker: Asker) -> Response:
    return answer(JobRows.model_construct(jobs=[JobRow.of(job) for job in jobs if asker.sees(job.project)]))
