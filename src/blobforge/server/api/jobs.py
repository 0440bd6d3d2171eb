"""Jobs for people and their programs: announced, found, steered."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from blobforge.domain.errors import AlreadyExists, InvalidValue, NotFound
from blobforge.domain.ids import JobId, parse_name, parse_source_hash
from blobforge.domain.job import Job, NewJob, State
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.domain.lifecycle import lacks_source
from blobforge.domain.priority import check_priority
from blobforge.domain.result_record import result_record
from blobforge.ports.blob_store import BlobKey, source_key
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import Inserted, JobFilter
from blobforge.server.auth.asking import Asker
from blobforge.server.bodies import json_router
from blobforge.server.conditions import IfMatch, IfNoneMatch, job_headers, required_rev, unchanged
from blobforge.server.idempotency import REPLAYED, IdempotencyKey, KeyedRequest, MadeBefore, once_by_key
from blobforge.server.orders import require_no_files, require_plain_path
from blobforge.server.parts import ServerParts
from blobforge.server.problems import problem_response
from blobforge.server.results_in import VALID_FOR
from blobforge.server.routing import Parts, PathId, Reader, Steerer, Submitter, answer, cursor_in, says
from blobforge.server.source_rights import has_source
from blobforge.server.sources_in import EXPECTED_WITHIN
from blobforge.server.trail import tell
from blobforge.server.visible_blobs import require_visible
from blobforge.wire import paths
from blobforge.wire.api import (
    MOST_ON_A_PAGE,
    CreatedJob,
    FileUrl,
    JobList,
    JobView,
    NewJobMessage,
    PriorityMessage,
    RetryMessage,
    StatusMessage,
)

router = json_router("jobs")

COUNTED = 10_000
"""Totals are exact up to here; to count on would read the whole table."""
COUNTED_OF_A_SEARCH = 1_000
"""Each of them is read whole."""
SEARCHED = 5_000
"""How many jobs one request reads for words and tags: about as long as the rest of it takes."""


@router.post(paths.JOBS, **says(CreatedJob, status=201))
async def create(
    message: NewJobMessage, asker: Submitter, parts: Parts, idempotency_key: IdempotencyKey = None
) -> Response:
    """Announces a document, which is processed once its bytes were uploaded; a known one answers 409 with its job. One
    whose bytes did not come is taken in the size that was announced last. With an `Idempotency-Key` the same request,
    sent again within a day, is answered as at first."""
    message = message.model_copy(update={"project": (project := asker.project_of(message.project))})
    if message.source_size is not None:
        parts.require_size(message.source_size)
    new = _new_job(message, project, parts)
    request: JsonObject = {"route": "POST /api/jobs", "message": message.model_dump(mode="json")}
    async with once_by_key(parts, asker, idempotency_key, request) as sent:
        if sent.before is not None:
            return await _created_before(sent.before, asker, parts)
        return await _created(new, sent, asker, parts)


async def _created_before(before: MadeBefore, asker: Asker, parts: ServerParts) -> Response:
    """With another address for its bytes, where they did not come."""
    job = asker.require_seen(await parts.read(lambda queue: queue.get(JobId(before.job_id))))
    url = parts.files.sources.begin(job).url if lacks_source(job) else None
    return answer(CreatedJob(job_id=job.id, upload_url=url, status=before.status), status=201, headers=REPLAYED)


async def _created(new: NewJob, sent: KeyedRequest, asker: Asker, parts: ServerParts) -> Response:
    def submitted() -> Inserted:
        (entry,) = parts.coordinator.submit([new])
        if entry.created:
            tell("job.submit", [entry.job], asker, parts)
        return entry

    entry = await parts.crossing.write(submitted)
    job = entry.job
    if entry.created or sent.made_by_an_earlier_one(job):
        sent.made = job
        url = parts.files.sources.begin(job).url if lacks_source(job) else None
        return answer(CreatedJob(job_id=job.id, upload_url=url, status=job.state.value), status=201)
    if not lacks_source(job):
        error = AlreadyExists("job already exists")
        return problem_response(error, job_id=job.id, job_status=job.state.value)
    until = parts.clock.now() + EXPECTED_WITHIN
    job = await parts.write(lambda queue: queue.expect_source(job.id, until=until, source_size=new.source_size))
    url = parts.files.sources.begin(job).url
    return problem_response(
        AlreadyExists("job already exists"), job_id=job.id, job_status=job.state.value, upload_url=url
    )


@router.post(f"{paths.JOB}/uploaded", **says(JobView))
async def uploaded(job_id: PathId, asker: Submitter, parts: Parts) -> Response:
    """Says that the bytes of an announced job were uploaded: they are looked at, and the job is ready."""
    job = asker.require_seen(await parts.read(lambda queue: queue.get(JobId(job_id))))
    arrival = await parts.crossing.transfer(lambda: parts.files.sources.look(job))
    if not arrival.has_arrived:
        raise NotFound(f"nothing was uploaded for job #{job_id} yet; POST …/upload-url gives another address")
    parts.hub.notify()
    return answer(JobView.of(arrival.job))


@router.post(f"{paths.JOB}/upload-url", **says(FileUrl))
async def upload_url(job_id: PathId, asker: Submitter, parts: Parts) -> Response:
    """Another address for the bytes of an announced job."""
    asker.require_seen(await parts.read(lambda queue: queue.get(JobId(job_id))))
    until = parts.clock.now() + EXPECTED_WITHIN
    job = await parts.write(lambda queue: queue.expect_source(JobId(job_id), until=until))
    signed = parts.files.sources.begin(job)
    return answer(FileUrl(url=signed.url, expires_in=signed.expires_in))


@router.get(paths.JOBS, **says(JobList))
async def listed(
    asker: Reader,
    parts: Parts,
    status: Annotated[str | None, Query()] = None,
    type: Annotated[str | None, Query()] = None,  # noqa: A002 - the name of the query
    q: Annotated[str | None, Query(max_length=200)] = None,
    tag: Annotated[str | None, Query(max_length=200)] = None,
    project: Annotated[str | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_ON_A_PAGE)] = 50,
    after: Annotated[str | None, Query(max_length=20)] = None,
) -> Response:
    """Jobs, newest first, by status, type, tag and words of their path. Words and tags are in no index: they are looked
    for among some of the newest jobs, and `next` goes on with those before."""
    if project is not None:
        asker.require_project(project)
    wanted = JobFilter(project=project or asker.project, type=type, state=_state(status), tag=tag, search=q or None)
    cursor = cursor_in(after)
    return answer(await parts.read(lambda queue: _page(queue, wanted, cursor, limit)))


def _page(queue: Coordinator, wanted: JobFilter, cursor: JobId | None, limit: int) -> JobList:
    newest = _newest(queue) if _is_in_no_index(wanted) else None
    end = _end_of_search(newest, cursor)
    jobs = queue.page(wanted._replace(beyond=end), after=cursor, limit=limit + 1)
    counted_from = _end_of_search(newest, None)
    most = COUNTED if newest is None else COUNTED_OF_A_SEARCH
    total = queue.count(wanted._replace(beyond=counted_from), most=most)
    shown = jobs[:limit]
    goes_on_after = shown[-1].id if len(jobs) > limit else _just_above(end)
    return JobList.model_construct(
        jobs=[JobView.of(job) for job in shown],
        total=min(total, most),
        total_is_exact=total <= most and counted_from is None,
        next=None if goes_on_after is None else str(goes_on_after),
        searched=None if end is None else SEARCHED,
    )


def _is_in_no_index(wanted: JobFilter) -> bool:
    return wanted.name_part is not None or wanted.tag is not None


def _newest(queue: Coordinator) -> JobId | None:
    newest = queue.page(JobFilter(), limit=1)
    return newest[0].id if newest else None


def _just_above(end: JobId | None) -> JobId | None:
    return None if end is None else JobId(end + 1)


def _end_of_search(newest: JobId | None, cursor: JobId | None) -> JobId | None:
    """The job at which it stops; None where it looks at all that are left."""
    if newest is None:
        return None
    first = newest if cursor is None else min(cursor - 1, newest)
    return JobId(first - SEARCHED) if first > SEARCHED else None


@router.get(paths.JOB, **says(JobView))
async def one(job_id: PathId, asker: Reader, parts: Parts, if_none_match: IfNoneMatch = None) -> Response:
    """One job. Its ETag is its revision: with `If-None-Match` there is nothing to read while it has not changed."""
    job = asker.require_seen(await parts.read(lambda queue: queue.get(JobId(job_id))))
    return unchanged(job, if_none_match) or answer(JobView.of(job), headers=job_headers(job))


@router.post(f"{paths.JOB}/retry", **says(StatusMessage))
async def retry(
    job_id: PathId, message: RetryMessage, asker: Steerer, parts: Parts, if_match: IfMatch = None
) -> Response:
    """Runs a job again, also a completed one; its result stays until there is a new one."""

    def again(rev: int | None) -> Job:
        job = parts.coordinator.get(JobId(job_id))
        is_there = asker.acts_for_all or has_source(job, parts.coordinator)
        return parts.coordinator.retry(
            job.id,
            reset_attempts=message.reset_attempts,
            priority=message.priority,
            source_expected_by=None if is_there else parts.clock.now() + EXPECTED_WITHIN,
            rev=rev,
        )

    return await _moved("job.retry", job_id, again, asker, parts, if_match)


@router.delete(paths.JOB, **says(StatusMessage))
async def cancel(job_id: PathId, asker: Steerer, parts: Parts, if_match: IfMatch = None) -> Response:
    """Cancels a job; one that runs is ended by its worker. To cancel twice is no error."""

    def cancelled(rev: int | None) -> Job:
        return parts.coordinator.cancel(JobId(job_id), rev=rev)

    return await _moved("job.cancel", job_id, cancelled, asker, parts, if_match)


@router.patch(f"{paths.JOB}/priority", **says(StatusMessage))
async def prioritize(
    job_id: PathId, message: PriorityMessage, asker: Steerer, parts: Parts, if_match: IfMatch = None
) -> Response:
    """Gives a waiting job another priority, 1 (critical) to 5 (background)."""
    priority = check_priority(message.priority)

    def moved(rev: int | None) -> Job:
        return parts.coordinator.reprioritize(JobId(job_id), priority=priority, rev=rev)

    return await _moved("job.prioritize", job_id, moved, asker, parts, if_match)


@router.get(f"{paths.FILES_OF}/source", **says(FileUrl))
async def source(job_id: PathId, asker: Reader, parts: Parts) -> Response:
    """An address of the document itself."""
    job = asker.require_seen(await parts.read(lambda queue: queue.get(JobId(job_id))))
    return await _file(source_key(job.source_hash), job, asker, parts)


@router.get(f"{paths.FILES_OF}/output", **says(FileUrl))
async def output(job_id: PathId, asker: Reader, parts: Parts) -> Response:
    """An address of the published result, a zip file."""
    job = asker.require_seen(await parts.read(lambda queue: queue.get(JobId(job_id))))
    record = result_record(job)
    if record.key is None:
        raise NotFound(f"job #{job_id} has no result: it is {job.state}")
    return await _file(BlobKey(record.key), job, asker, parts)


async def _file(key: BlobKey, job: Job, asker: Asker, parts: ServerParts) -> Response:
    await parts.crossing.read(lambda: require_visible(key, asker, parts, project=job.project, held=None))
    if await parts.crossing.ask_store(lambda: parts.files.blobs.stat(key)) is None:
        raise NotFound(f"the store has no {key} for job #{job.id}")
    signed = parts.files.urls.signed(key, method="GET", valid_for=VALID_FOR)
    return answer(FileUrl(url=signed.url, expires_in=signed.expires_in))


async def _moved(
    action: str, job_id: int, move: Callable[[int | None], Job], asker: Asker, parts: ServerParts, if_match: str | None
) -> Response:
    """`move` is told which revision the job must still have."""

    def moved() -> tuple[Job, Job]:
        before = asker.require_seen(parts.coordinator.get(JobId(job_id)))
        after = move(required_rev(before, if_match))
        tell(action, [after], asker, parts)
        return before, after

    before, job = await parts.crossing.write(moved)
    parts.hub.notify()
    if before.worker_id is not None and job.worker_id is None:
        parts.hub.lease_was_taken(before.worker_id)
    return answer(StatusMessage(status=job.state.value), headers={"ETag": job_headers(job)["ETag"]})


def _new_job(message: NewJobMessage, project: str, parts: ServerParts) -> NewJob:
    """Raises InvalidValue."""
    require_no_files(message.metadata)
    require_plain_path(message.source_path)
    return NewJob(
        project=project,
        type=parse_name(message.type, of="job type"),
        source_hash=parse_source_hash(message.source_hash),
        source_path=message.source_path,
        source_size=message.source_size,
        priority=check_priority(message.priority),
        max_attempts=message.max_attempts or parts.max_attempts,
        tags=canonical_json(message.tags),
        metadata=canonical_json(message.metadata),
        source_expected_by=parts.clock.now() + EXPECTED_WITHIN,
    )


def _state(text: str | None) -> State | None:
    """Raises InvalidValue."""
    if text is None:
        return None
    try:
        return State(text)
    except ValueError as error:
        raise InvalidValue(f"{text[:40]!r} is no status: there are {', '.join(State)}") from error
