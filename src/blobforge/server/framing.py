"""Requests whose length is told in two ways: none of our clients sends one."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from blobforge.domain.errors import InvalidValue
from blobforge.server.problems import problem_response


class OneLength:
    """Refuses them before anything else looks at them, and ends the connection: a proxy may have gone by the one length
    and this server by the other, and what is left over would be taken for a request of whoever comes next."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and {"content-length", "transfer-encoding"} <= set(Headers(scope=scope).keys()):
            response = problem_response(
                InvalidValue("this request has both Content-Length and Transfer-Encoding: send it with one of them")
            )
            response.headers["Connection"] = "close"
            await response(scope, receive, send)
            return
        await self._app(scope, receive, send)
