"""The bodies of JSON routes: read whole, and so limited."""

import json
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from blobforge.domain.errors import BlobForgeError, BodyTooLarge, InvalidValue
from blobforge.domain.loose_json import DEEPEST

LARGEST_BODY = 8 * 1024 * 1024
_NUL = b"%00"


def json_router(tag: str) -> APIRouter:
    """Of a file of routes. What reads its body as a stream, which documents and results do, sets its own limit."""
    return APIRouter(tags=[tag], route_class=JsonRoute)


class JsonRequest(Request):
    async def body(self) -> bytes:
        """Raises BodyTooLarge, before the rest has come."""
        if not hasattr(self, "_body"):
            _require_room(int(self.headers.get("content-length", 0)))
            chunks: list[bytes] = []
            size = 0
            async for chunk in self.stream():
                size += len(chunk)
                _require_room(size)
                chunks.append(chunk)
            self._body = b"".join(chunks)
        return self._body

    async def json(self) -> Any:
        """What no JSON text may hold, and what could be read and not be written again, is refused."""
        body = await self.body()
        text = body.decode("utf-8", "strict")
        if text.count("[") + text.count("{") > DEEPEST and _deepest(text) > DEEPEST:
            raise json.JSONDecodeError(f"lists and objects are nested deeper than {DEEPEST}", "", 0)
        said = json.loads(text, parse_constant=_refused)
        if "\\ud" in text.lower():
            _require_whole_characters(said)
        return said


class JsonRoute(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def limited(request: Request) -> Response:
            if _NUL in request.scope["query_string"]:
                # PostgreSQL has no such character in its texts, and nothing here is named by it.
                raise InvalidValue("the query of this address holds a NUL (%00), which no name or text may have")
            try:
                return await handle(JsonRequest(request.scope, request.receive))
            except HTTPException as error:
                # The framework says "error parsing the body" of all that happens there.
                if isinstance(error.__cause__, BlobForgeError | ClientDisconnect):
                    raise error.__cause__ from None
                raise

        return limited


def _require_room(size: int) -> None:
    if size > LARGEST_BODY:
        raise BodyTooLarge(f"the body of this request may have {LARGEST_BODY:,} bytes, and has more: send it in parts")


def _refused(name: str) -> NoReturn:
    raise json.JSONDecodeError(f"{name} is no number in JSON", "", 0)


def _require_whole_characters(said: Any) -> None:
    """Half of a surrogate pair can be read from JSON, and written nowhere."""
    try:
        json.dumps(said, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise json.JSONDecodeError("half of a character cannot be kept", "", 0) from error


def _deepest(text: str) -> int:
    """How many brackets are open at most; those within strings count too, which only code would care for."""
    depth = deepest = 0
    for character in text:
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest
