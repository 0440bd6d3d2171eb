"""One line a request, with an id by which it is found again in the log of the worker that sent it."""

import re
import time
from collections.abc import Callable
from secrets import token_hex

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from blobforge.server.metrics import ServerMetrics
from blobforge.telemetry.lazy import LazyLogger
from blobforge.wire.paths import REQUEST_ID

log = LazyLogger(__name__)

_WELL_FORMED = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_SELDOM_OF_INTEREST = frozenset({"/livez", "/readyz", "/metrics"})
"""What programs ask every few seconds."""
UNKNOWN_ROUTE = "unknown"


class AccessLog:
    """Around all routes. It names the template of a route and never the address, which may hold a signature, nor any
    header but the request's id."""

    def __init__(self, app: ASGIApp, *, metrics: ServerMetrics, seconds: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._metrics = metrics
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = request_id_in(Headers(scope=scope).get(REQUEST_ID))
        scope.setdefault("state", {})["request_id"] = request_id
        began, status = self._seconds(), 500

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers[REQUEST_ID] = request_id
                # Answers tell the state of a moment; the few that may be kept say so themselves.
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            await self._app(scope, receive, send_noted)
        finally:
            self._tell(scope, status, self._seconds() - began)

    def _tell(self, scope: Scope, status: int, seconds: float) -> None:
        method, route, state = scope["method"], route_of(scope), scope["state"]
        self._metrics.answered(method=method, route=route, status=status, seconds=seconds)
        tell = log.debug if route in _SELDOM_OF_INTEREST else log.info
        tell(
            "request answered",
            method=method,
            route=route,
            status=status,
            ms=round(seconds * 1000, 1),
            who=asker.name if (asker := state.get("asker")) is not None else None,
            request_id=state["request_id"],
        )


def request_id_in(given: str | None) -> str:
    """The client's own where it is well-formed, so that nobody writes into our log; else a new one."""
    return given if given is not None and _WELL_FORMED.fullmatch(given) else token_hex(8)


def route_of(scope: Scope) -> str:
    """Without the values in it: metrics by address would have no end."""
    return getattr(scope.get("route"), "path", UNKNOWN_ROUTE)
