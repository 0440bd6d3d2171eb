"""Bytes by signed URLs, for a store in a folder. The signature is the whole right: no token is looked at."""

import asyncio
import functools
import os
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO, Annotated

from fastapi import Query, Request
from starlette.responses import FileResponse, Response

from blobforge.domain.errors import InvalidValue, NotFound, SourceTooLarge
from blobforge.domain.ids import JobId
from blobforge.domain.uploads import parse_incoming
from blobforge.ports.blob_store import BlobKey
from blobforge.ports.transfers import Method
from blobforge.server.bodies import json_router
from blobforge.server.file_urls import Grant
from blobforge.server.multipart_in import LARGEST
from blobforge.server.parts import ServerParts
from blobforge.server.routing import NO_STORE, Parts, takes_bytes
from blobforge.wire.paths import BLOBS

router = json_router("signed URLs")

_WRITE_AT_ONCE = 1 << 20


@router.get(f"{BLOBS}/{{key:path}}", response_class=Response)
async def read(
    request: Request,
    key: str,
    parts: Parts,
    method: Annotated[Method, Query()],
    expires: Annotated[int, Query()],
    signature: Annotated[str, Query(max_length=128)],
) -> Response:
    """The bytes of a blob, or a range of them."""
    grant = Grant(method, BlobKey(key), expires, None)
    parts.files.own_urls.require(grant, asked=request.method, signature=signature)
    path = await parts.crossing.read(lambda: parts.files.blobs.local_path(BlobKey(key)))
    if path is None:
        raise NotFound("what this address is for is not there any more")
    return FileResponse(path, media_type="application/octet-stream", headers=NO_STORE)


@router.put(
    f"{BLOBS}/{{key:path}}",
    response_class=Response,
    status_code=201,
    openapi_extra=takes_bytes("application/octet-stream"),
)
async def write(
    request: Request,
    key: str,
    parts: Parts,
    method: Annotated[Method, Query()],
    expires: Annotated[int, Query()],
    signature: Annotated[str, Query(max_length=128)],
    size: Annotated[int | None, Query()] = None,
    part: Annotated[int | None, Query()] = None,
) -> Response:
    """Takes the bytes of a blob, or one part of them: exactly as many as were signed. Fewer leave nothing behind."""
    grant = Grant(method, BlobKey(key), expires, size, part)
    parts.files.own_urls.require(grant, asked=request.method, signature=signature)
    await _take(request.stream(), parts, grant)
    if part is None and (job_id := parse_incoming(key)) is not None:
        await _look(job_id, parts)
    return Response(status_code=201)


async def _look(job_id: JobId, parts: ServerParts) -> None:
    """A client of the document's shape says nothing more when the source of its job is up.

    Raises SourceDamaged.
    """
    for job in await parts.read(lambda queue: queue.get_many([job_id])):
        await parts.crossing.transfer(functools.partial(parts.files.sources.look, job))
        parts.hub.notify()


async def _take(body: AsyncIterator[bytes], parts: ServerParts, grant: Grant) -> None:
    handle, name = await asyncio.to_thread(tempfile.mkstemp, dir=parts.files.workspace, prefix="upload-")
    path = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            await _write(body, file, grant.size, grant.key)
            written = file.tell()
        await parts.crossing.transfer(lambda: _placed(path, parts, grant))
        parts.metrics.uploaded(written)
    finally:
        await asyncio.to_thread(path.unlink, missing_ok=True)


def _placed(path: Path, parts: ServerParts, grant: Grant) -> None:
    if grant.part is None:
        parts.files.blobs.adopt(grant.key, path)
    else:
        parts.files.multipart.take(grant.key, grant.part, path)


async def _write(body: AsyncIterator[bytes], file: IO[bytes], size: int | None, key: BlobKey) -> None:
    """In pieces of a megabyte, so that a slow disk holds nobody else up. Raises SourceTooLarge, InvalidValue."""
    most = LARGEST if size is None else size  # a bucket, too, takes that much in one request
    waiting, length, written = [], 0, 0
    async for chunk in body:
        waiting.append(chunk)
        length += len(chunk)
        if written + length > most:
            raise SourceTooLarge(f"more than the {most} bytes came that this address is for")
        if length >= _WRITE_AT_ONCE:
            await asyncio.to_thread(file.write, b"".join(waiting))
            waiting, length, written = [], 0, written + length
    await asyncio.to_thread(file.write, b"".join(waiting))
    if size is not None and written + length != size:
        raise InvalidValue(f"{written + length} of {size} bytes came for {key}: send it again")
