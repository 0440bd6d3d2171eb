"""For those who watch the server: is it alive, is it ready, which version is it, and how busy."""

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from blobforge.domain.errors import Forbidden, StoreUnavailable
from blobforge.server.bodies import json_router
from blobforge.server.problems import problem_response
from blobforge.server.readiness import DepthWatch, Readiness
from blobforge.server.routing import Parts, Reader, answer, says
from blobforge.version import __version__
from blobforge.wire.api import StatusMessage

router = json_router("operate")

PROTOCOL = 1
"""Of the queue protocol: a worker says which one it speaks when it registers."""
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class VersionMessage(BaseModel):
    version: str
    protocol: int


@router.head("/livez", include_in_schema=False)
@router.get("/livez", **says(StatusMessage))
async def livez() -> Response:
    """The process answers. It says nothing of the queue: to restart a server does not mend that."""
    return answer(StatusMessage(status="alive"))


@router.head("/readyz", include_in_schema=False)
@router.get("/readyz", **says(StatusMessage))
async def readyz(request: Request, parts: Parts) -> Response:
    """The queue and the store answer within a second."""
    if parts.hub.is_stopping:
        return problem_response(StoreUnavailable("the server is about to stop"))
    await readiness_of(request).require()
    return answer(StatusMessage(status="ready"))


@router.head("/version", include_in_schema=False)
@router.get("/version", **says(VersionMessage))
async def version() -> Response:
    """Of the server, and of the queue protocol that it speaks."""
    return answer(VersionMessage(version=__version__, protocol=PROTOCOL))


@router.get("/metrics", response_class=Response, responses={200: {"content": {METRICS_TYPE.partition(";")[0]: {}}}})
async def metrics(request: Request, asker: Reader, parts: Parts) -> Response:
    """Figures in the format of Prometheus; they are of all projects, and for those who see all."""
    if asker.project is not None:
        raise Forbidden(f"{asker.name} belongs to one project; the metrics are of all")
    await depth_watch_of(request).look()
    return Response(parts.metrics.text(), media_type=METRICS_TYPE)


def readiness_of(request: Request) -> Readiness:
    found: Readiness = request.app.state.readiness
    return found


def depth_watch_of(request: Request) -> DepthWatch:
    found: DepthWatch = request.app.state.depth_watch
    return found
