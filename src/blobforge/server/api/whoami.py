"""Tells who asks as whom the server takes them."""

from starlette.responses import Response

from blobforge.server.bodies import json_router
from blobforge.server.routing import Parts, WorkerOrReader, answer, says
from blobforge.wire import paths
from blobforge.wire.api import WhoAmI

router = json_router("operate")


@router.get(paths.WHOAMI, **says(WhoAmI))
async def whoami(asker: WorkerOrReader, parts: Parts) -> Response:
    """By which token or secret, with which role, and for which project."""
    role = None if asker.role is None else asker.role.value
    told = WhoAmI(name=asker.name, role=role, project=asker.project, is_open=asker.acts_for_all, now=parts.clock.now())
    return answer(told)
