"""What all routes share: how a handler learns who asks, and how it answers."""

from typing import Annotated, Any

from fastapi import Depends, Request
from pydantic import BaseModel
from starlette.responses import Response

from blobforge.domain.access import Action
from blobforge.server.auth.asking import Asker
from blobforge.server.parts import ServerParts

NO_STORE = {"Cache-Control": "no-store"}


class Requires:
    """A dependency of a route: who asks, if they may do one of these. The matrix of the tests reads `actions`."""

    def __init__(self, *actions: Action) -> None:
        self.actions = actions

    async def __call__(self, request: Request) -> Asker:
        asker: Asker = await (await parts_of(request)).doorman.asker(request)
        asker.require(*self.actions)
        request.state.asker = asker
        return asker


async def parts_of(request: Request) -> ServerParts:
    parts: ServerParts = request.app.state.parts
    return parts


Parts = Annotated[ServerParts, Depends(parts_of)]
Reader = Annotated[Asker, Depends(Requires(Action.READ))]
Submitter = Annotated[Asker, Depends(Requires(Action.SUBMIT))]
Steerer = Annotated[Asker, Depends(Requires(Action.STEER))]
WorkerAsks = Annotated[Asker, Depends(Requires(Action.WORK))]
WorkerOrReader = Annotated[Asker, Depends(Requires(Action.WORK, Action.READ))]
WorkerOrSteerer = Annotated[Asker, Depends(Requires(Action.WORK, Action.STEER))]
WorkerManager = Annotated[Asker, Depends(Requires(Action.MANAGE_WORKERS))]


def answer(message: BaseModel, *, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Written once, without the validation of what is our own."""
    content = message.__pydantic_serializer__.to_json(message, warnings=False)
    return Response(content, status, headers={**NO_STORE, **(headers or {})}, media_type="application/json")


def says(model: type[BaseModel], *, status: int = 200) -> dict[str, Any]:
    """For the decorator of a route whose handler gives a Response: what the OpenAPI document says of it."""
    return {"responses": {status: {"model": model}}, "response_class": Response, "status_code": status}
