"""What all routes share: how a handler learns who asks, and how it answers."""

from dataclasses import replace
from types import UnionType
from typing import Annotated, Any

from fastapi import Depends, Request
from pydantic import AfterValidator, BaseModel
from starlette.responses import Response

from blobforge.domain.access import Action
from blobforge.domain.errors import InvalidValue, NotFound
from blobforge.domain.ids import JobId
from blobforge.domain.loose_json import LARGEST
from blobforge.server.auth.asking import Asker
from blobforge.server.parts import ServerParts

NO_STORE = {"Cache-Control": "no-store"}


class Requires:
    """A dependency of a route: who asks, if they may do one of these. The matrix of the tests reads `actions`."""

    def __init__(self, *actions: Action) -> None:
        self.actions = actions

    async def __call__(self, request: Request) -> Asker:
        asker: Asker = await (await parts_of(request)).doorman.asker(request)
        # For the access log, also of who is refused.
        request.state.asker = asker
        asker.require(*self.actions)
        return replace(asker, request_id=getattr(request.state, "request_id", None))


async def parts_of(request: Request) -> ServerParts:
    parts: ServerParts = request.app.state.parts
    return parts


def _possible(job_id: int) -> int:
    """Beyond what a queue can count, there is no job. Raises NotFound."""
    if not 0 <= job_id <= LARGEST:
        raise NotFound(f"there is no job #{job_id}")
    return job_id


PathId = Annotated[int, AfterValidator(_possible)]
Parts = Annotated[ServerParts, Depends(parts_of)]
Reader = Annotated[Asker, Depends(Requires(Action.READ))]
Submitter = Annotated[Asker, Depends(Requires(Action.SUBMIT))]
Pauser = Annotated[Asker, Depends(Requires(Action.PAUSE))]
Steerer = Annotated[Asker, Depends(Requires(Action.STEER))]
WorkerAsks = Annotated[Asker, Depends(Requires(Action.WORK))]
WorkerOrReader = Annotated[Asker, Depends(Requires(Action.WORK, Action.READ))]
AccountManager = Annotated[Asker, Depends(Requires(Action.MANAGE_WORKERS))]
TokenManager = Annotated[Asker, Depends(Requires(Action.MANAGE_TOKENS))]
AuditReader = Annotated[Asker, Depends(Requires(Action.READ_AUDIT))]
WorkerOrSteerer = Annotated[Asker, Depends(Requires(Action.WORK, Action.STEER))]
WorkerManager = Annotated[Asker, Depends(Requires(Action.MANAGE_WORKERS))]


def answer(message: BaseModel, *, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Written once, without the validation of what is our own."""
    content = message.__pydantic_serializer__.to_json(message, warnings=False)
    return Response(content, status, headers={**NO_STORE, **(headers or {})}, media_type="application/json")


def says(model: type[BaseModel] | UnionType, *, status: int = 200) -> dict[str, Any]:
    """For the decorator of a route whose handler gives a Response: what the OpenAPI document says of it."""
    return {"responses": {status: {"model": model}}, "response_class": Response, "status_code": status}


def takes_bytes(media_type: str) -> dict[str, Any]:
    """For the decorator of a route that reads its body as it comes."""
    content = {media_type: {"schema": {"type": "string", "format": "binary"}}}
    return {"requestBody": {"required": True, "content": content}}


def cursor_in(text: str | None) -> JobId | None:
    """Raises InvalidValue."""
    if text is None:
        return None
    if not text.isdecimal() or not text.isascii():
        raise InvalidValue(f"{text!r} is no cursor: it is the 'next' of the page before")
    return JobId(min(int(text), LARGEST))
