"""A document in, its Markdown out: for those who want one answer, and no queue."""

import asyncio
import hashlib
import os
import tempfile
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import IO, Annotated, NamedTuple

from fastapi import Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from blobforge.domain.access import Action
from blobforge.domain.errors import (
    EmptySource,
    InvalidValue,
    NotFound,
    NotReady,
    ProcessingError,
    ResultDamaged,
    SourceTooLarge,
)
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import JobId, SourceHash
from blobforge.domain.job import FINAL_STATES, Job, NewJob, State, title
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.domain.result_record import result_record
from blobforge.ports.blob_store import BlobKey, source_key
from blobforge.ports.job_store import Inserted
from blobforge.server.auth.asking import Asker
from blobforge.server.bodies import json_router
from blobforge.server.hub import JobLine
from blobforge.server.idempotency import IdempotencyKey, once_by_key
from blobforge.server.long_poll import LongPoll
from blobforge.server.orders import require_plain_path
from blobforge.server.parts import ServerParts
from blobforge.server.problems import problem_response
from blobforge.server.routing import Parts, PathId, Reader, Submitter, answer, takes_bytes
from blobforge.server.trail import tell
from blobforge.telemetry.lazy import LazyLogger
from blobforge.wire import paths

log = LazyLogger(__name__)

router = json_router("documents")

MARKDOWN = "text/markdown"
RETRY_SECONDS = 2
PARAMETERS = frozenset({"name", "wait", "project", "priority"})


class DocumentMessage(BaseModel):
    """How a document is doing; `job` is where to ask again."""

    job_id: int
    status: str
    job: str
    gaps: str = ""
    doubts: str = ""
    markdown: str | None = None


class _Received(NamedTuple):
    path: Path
    source_hash: SourceHash
    size: int


@router.post(
    paths.DOCUMENTS,
    response_class=Response,
    responses={200: {"model": DocumentMessage, "content": {MARKDOWN: {}}}, 202: {"model": DocumentMessage}},
    openapi_extra=takes_bytes("application/pdf"),
)
async def convert(
    request: Request,
    asker: Submitter,
    parts: Parts,
    name: Annotated[str, Query(min_length=1, max_length=1024)] = "document.pdf",
    wait: Annotated[float, Query(ge=0)] = 60,
    project: Annotated[str | None, Query()] = None,
    priority: Annotated[int, Query(ge=1, le=5)] = 1,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Takes a PDF as the body of the request and, within `wait` seconds (60 at most), answers with its Markdown; with
    202 and the address of its job where it takes longer. A document that was converted before is answered at once. With
    an `Idempotency-Key` the same request, sent again within a day, is answered by the same job."""
    _require_known(request.query_params)
    project = asker.project_of(project)
    require_plain_path(name)
    received = await _received(request, parts)
    parts.metrics.uploaded(received.size)
    asked: JsonObject = {"name": name, "project": project, "priority": priority, "source_hash": received.source_hash}
    try:
        async with once_by_key(parts, asker, idempotency_key, {"route": "POST /api/documents", **asked}) as sent:
            if sent.before is not None:
                known = JobId(sent.before.job_id)
                job = asker.require_seen(await parts.read(lambda queue: queue.get(known)))
            else:
                job = sent.made = await _queued(received, name, project, priority, asker, parts)
    finally:
        await asyncio.to_thread(received.path.unlink, missing_ok=True)
    job = await _ended(request, job, parts, seconds=wait)
    if job.state in FINAL_STATES or (result_record(job).key is not None and job.state is State.COMPLETED):
        return await _answer(request, job, parts)
    location = _place(job, parts)
    message = DocumentMessage(job_id=job.id, status=job.state.value, job=location)
    return answer(message, status=202, headers={"Location": location, "Retry-After": str(RETRY_SECONDS)})


@router.get(f"{paths.JOB}/markdown", response_class=Response, responses={200: {"content": {MARKDOWN: {}}}})
async def markdown(job_id: PathId, asker: Reader, parts: Parts) -> Response:
    """The Markdown of a job that is completed."""
    job = asker.require_seen(await parts.read(lambda queue: queue.get(JobId(job_id))))
    if job.type in parts.discreet_types:
        asker.require(Action.READ_DISCREET)
    if job.state is not State.COMPLETED:
        raise NotReady(f"{title(job)}: it is {job.state}")
    return Response(await _markdown(job, parts), media_type=MARKDOWN)


async def _received(request: Request, parts: ServerParts) -> _Received:
    """On the disk, with its hash. Raises EmptySource, SourceTooLarge."""
    handle, temporary = await asyncio.to_thread(tempfile.mkstemp, dir=parts.files.workspace, prefix="document-")
    path = Path(temporary)
    try:
        with os.fdopen(handle, "wb") as file:
            source_hash, size = await _write(request.stream(), file, most=parts.largest_document)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    if size == 0:
        path.unlink(missing_ok=True)
        raise EmptySource("the request has no body: send the document with --data-binary @FILE")
    return _Received(path, source_hash, size)


async def _write(body: AsyncIterator[bytes], file: IO[bytes], *, most: int) -> tuple[SourceHash, int]:
    found, size = hashlib.sha256(), 0
    async for chunk in body:
        size += len(chunk)
        if size > most:
            raise SourceTooLarge(f"the document is larger than the {most} bytes of the largest document")
        found.update(chunk)
        await asyncio.to_thread(file.write, chunk)
    return SourceHash(found.hexdigest()), size


async def _queued(received: _Received, name: str, project: str, priority: int, asker: Asker, parts: ServerParts) -> Job:
    """The bytes first, then the job."""
    source_hash, size, key = received.source_hash, received.size, source_key(received.source_hash)

    def store() -> None:
        if parts.files.blobs.renew(key) is None:
            parts.files.blobs.adopt(key, received.path)

    # One that is away is told soon; to renew may take its time, while a `gc` is at this document.
    await parts.crossing.ask_store(lambda: parts.files.blobs.stat(key))
    await parts.crossing.transfer(store)
    new = NewJob(
        project=project,
        type="pdf",
        source_hash=source_hash,
        source_path=Path(name).name or "document.pdf",
        source_size=size,
        priority=priority,
        max_attempts=parts.max_attempts,
        metadata=parts.order_for("pdf"),
        tags=canonical_json([]),
    )

    def submitted() -> Inserted:
        (entry,) = parts.coordinator.submit([new])
        if entry.created:
            record = FileRecord(FileRole.SOURCE, key, size, "application/pdf", source_hash)
            parts.coordinator.record_many([(entry.job, record)])
            tell("job.submit", [entry.job], asker, parts)
        return entry

    entry = await parts.crossing.write(submitted)
    job = entry.job
    if not entry.created and job.state in (State.DEAD, State.CANCELLED):
        job = await parts.write(lambda queue: queue.retry(job.id))
    parts.hub.notify()
    return job


async def _ended(request: Request, job: Job, parts: ServerParts, *, seconds: float) -> Job:
    """The job once it has ended, or as it is when the time is over."""
    line = JobLine(job.project, job.id)
    with parts.hub.listen(line) as waiter:
        async with LongPoll(request, seconds=seconds) as poll:
            while True:
                waiter.looks_now()
                job = await parts.read(lambda queue: queue.get(job.id))  # noqa: B023 - awaited before the next round
                if job.state in FINAL_STATES or not await poll.wait(waiter):
                    return job


async def _answer(request: Request, job: Job, parts: ServerParts) -> Response:
    if job.state is not State.COMPLETED:
        return _failed(job)
    text, record = await _markdown(job, parts), result_record(job)
    facts = {"X-Job-Id": str(job.id)}
    if MARKDOWN in request.headers.get("accept", ""):
        return Response(text, media_type=MARKDOWN, headers=facts)
    message = DocumentMessage(
        job_id=job.id,
        status=job.state.value,
        job=_place(job, parts),
        gaps=record.gaps,
        doubts=record.doubts,
        markdown=text.decode("utf-8", "replace"),
    )
    return answer(message, headers=facts)


def _failed(job: Job) -> Response:
    """By the job's own code, which may be one that only its worker knows."""
    error = ProcessingError(f"{title(job)} is {job.state}: {job.last_error or 'no reason was given'}")
    code = job.error_code if job.state is State.DEAD else None
    return problem_response(error, code=code or error.code, job_id=job.id)


def _require_known(asked: Iterable[str]) -> None:
    """A parameter that is passed over would be a wish that nobody grants. Raises InvalidValue."""
    if unknown := sorted(set(asked) - PARAMETERS):
        there_are = ", ".join(sorted(PARAMETERS))
        raise InvalidValue(f"there is no parameter {', '.join(unknown)[:200]}: there are {there_are}")


def _place(job: Job, parts: ServerParts) -> str:
    return parts.base_path + paths.JOB.format(job_id=job.id)


async def _markdown(job: Job, parts: ServerParts) -> bytes:
    """Raises NotFound, ResultDamaged, StoreUnavailable."""
    key = result_record(job).key
    if key is None:
        raise NotFound(f"{title(job)} has no result")
    # A store that is away is told soon; to read a large result may take its time.
    await parts.crossing.ask_store(lambda: parts.files.blobs.stat(BlobKey(key)))
    try:
        return await parts.crossing.transfer(lambda: parts.markdown_of(BlobKey(key)))
    except ResultDamaged as error:
        log.warning("a result is damaged", job_id=job.id, error=str(error))
        raise ResultDamaged(f"{title(job)}: its result is damaged; run the job again") from error
