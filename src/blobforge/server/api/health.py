"""For those who watch the server: is it alive, is it ready, which version is it."""

import asyncio

from pydantic import BaseModel
from starlette.responses import Response

from blobforge.domain.errors import BlobForgeError, StoreUnavailable
from blobforge.domain.ids import SourceHash
from blobforge.ports.blob_store import source_key
from blobforge.server.bodies import json_router
from blobforge.server.routing import Parts, answer, says
from blobforge.version import __version__
from blobforge.wire.api import StatusMessage

router = json_router("operate")

READY_SECONDS = 1.0
PROTOCOL = 1
"""Of the queue protocol: a worker says which one it speaks when it registers."""


class VersionMessage(BaseModel):
    version: str
    protocol: int


@router.get("/livez", **says(StatusMessage))
async def livez() -> Response:
    """The process answers. It says nothing of the queue: to restart a server does not mend that."""
    return answer(StatusMessage(status="alive"))


@router.get("/readyz", **says(StatusMessage))
async def readyz(parts: Parts) -> Response:
    """The queue and the store answer within a second."""
    if parts.hub.is_stopping:
        raise StoreUnavailable("the server is about to stop")
    try:
        async with asyncio.timeout(READY_SECONDS):
            await parts.read(lambda queue: queue.get_many([]) or queue.identity())
            await parts.crossing.read(lambda: parts.files.blobs.stat(source_key(SourceHash("0" * 64))))
    except TimeoutError as error:
        raise StoreUnavailable(f"the queue or the store did not answer within {READY_SECONDS:.0f} second") from error
    except BlobForgeError as error:
        raise StoreUnavailable(f"not ready: {error}") from error
    return answer(StatusMessage(status="ready"))


@router.get("/version", **says(VersionMessage))
async def version() -> Response:
    return answer(VersionMessage(version=__version__, protocol=PROTOCOL))
