"""The queue protocol for blobs: where their bytes are had, for those who may see them."""

import tempfile
from pathlib import Path

from starlette.responses import Response

from blobforge.domain.errors import LeaseLost, NotFound
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.job import Job
from blobforge.ports.blob_store import BlobKey
from blobforge.server.api.settling import held_by
from blobforge.server.auth.asking import Asker
from blobforge.server.bodies import json_router
from blobforge.server.parts import ServerParts
from blobforge.server.results_in import VALID_FOR
from blobforge.server.routing import Parts, Reader, WorkerAsks, WorkerOrReader, answer, says
from blobforge.server.visible_blobs import blob_named, require_visible
from blobforge.wire import paths
from blobforge.wire.queue import Lease
from blobforge.wire.transfers import (
    BlobAnswer,
    BlobRequest,
    BlobRow,
    BlobRows,
    ErrorLogMessage,
    SignedUrlMessage,
    StatRequest,
)

router = json_router("queue protocol")


@router.post(paths.BLOB_URL, **says(BlobAnswer))
async def blob_url(request: BlobRequest, asker: WorkerOrReader, parts: Parts) -> Response:
    """An address of a source, a result or an error log; none where there is no such blob."""
    key = await parts.crossing.read(lambda: _visible(request, asker, parts))
    found = await parts.crossing.ask_store(lambda: parts.files.blobs.stat(key))
    if found is None:
        return answer(BlobAnswer())
    signed = parts.files.urls.signed(found.key, method="GET", valid_for=VALID_FOR)
    return answer(BlobAnswer(size=found.size, modified=found.modified, source=SignedUrlMessage.of(signed)))


@router.post(paths.BLOB_STATS, **says(BlobRows))
async def blob_stats(request: StatRequest, asker: Reader, parts: Parts) -> Response:
    """Those that exist and may be seen."""

    project = asker.project_of(request.project)

    def visible() -> dict[BlobKey, BlobKey]:
        return {seen: BlobKey(key) for key in request.keys if (seen := _seen(key, project, asker, parts))}

    asked = await parts.crossing.read(visible)
    there = await parts.crossing.ask_store(lambda: parts.files.blobs.stat_many(list(asked)))
    found = [stat._replace(key=asked[key]) for key, stat in there.items()]
    return answer(BlobRows(blobs=[BlobRow(**blob._asdict()) for blob in found]))


@router.post(paths.ERROR_LOG, response_class=Response, status_code=204)
async def error_log(request: ErrorLogMessage, asker: WorkerAsks, parts: Parts) -> Response:
    """Keeps the error log of a document; its sender had the job."""
    await parts.crossing.transfer(lambda: _keep_log(request, asker, parts))
    return Response(status_code=204)


def _visible(request: BlobRequest, asker: Asker, parts: ServerParts) -> BlobKey:
    held = None if request.lease is None else _held(request.lease, request.key, asker, parts)
    project = asker.project_of(request.project) if held is None else held.project
    return require_visible(request.key, asker, parts, project=project, held=held)


def _held(lease: Lease, key: str, asker: Asker, parts: ServerParts) -> Job:
    """An error log is written when the job is not held any more. Raises Forbidden, LeaseLost, NotFound."""
    blob = blob_named(key)
    is_log = blob is not None and blob.kind == "log"
    return _had_by(lease, asker, parts) if is_log else held_by(lease, asker, parts)


def _seen(key: str, project: str, asker: Asker, parts: ServerParts) -> BlobKey | None:
    try:
        return require_visible(key, asker, parts, project=project, held=None)
    except NotFound:
        return None


def _keep_log(request: ErrorLogMessage, asker: Asker, parts: ServerParts) -> None:
    job = _had_by(request.lease, asker, parts)
    with tempfile.TemporaryDirectory(dir=parts.files.workspace) as folder:
        path = Path(folder, "error.json")
        path.write_text(request.log, encoding="utf-8")
        parts.files.blobs.put(parts.files.names.log(job.project, job.source_hash), path)


def _had_by(lease: Lease, asker: Asker, parts: ServerParts) -> Job:
    """A job whose attempt the sender has just ended. Raises Forbidden, LeaseLost, NotFound."""
    asker.require_process(lease.process)
    job_id = JobId(lease.job_id)
    for attempt in parts.coordinator.history(job_id).attempts:
        if (attempt.lease_number, attempt.worker_id) == (lease.number, WorkerId(lease.process)):
            return asker.require_seen(parts.coordinator.get(job_id))
    raise LeaseLost(f"job #{lease.job_id}: {lease.process} never had lease {lease.number}")
