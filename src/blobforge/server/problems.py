"""Every error as problem+json: what happened, to which thing, what to do."""

import errno
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from blobforge.domain.errors import (
    BlobForgeError,
    DiskFull,
    InvalidValue,
    NotSignedIn,
    RequestUnderWay,
    TooManyRequests,
)
from blobforge.server.auth.limits import WITHIN_SECONDS
from blobforge.server.told_errors import FULL, told
from blobforge.telemetry.lazy import LazyLogger
from blobforge.telemetry.safe_text import on_one_line
from blobforge.wire.errors import MEDIA_TYPE, Problem, problem_of
from blobforge.wire.paths import REQUEST_ID

log = LazyLogger(__name__)

MOST_FAULTS = 5
RETRY_SECONDS = 5


def add_problems(app: FastAPI) -> None:
    app.add_exception_handler(BlobForgeError, _deliberate)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _of_the_framework)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(OSError, _of_the_disk)
    app.add_exception_handler(Exception, _unforeseen)


def problem_response(error: BlobForgeError, **more: object) -> Response:
    return _response(problem_of(error, **more), error)


def _response(problem: Problem, error: BlobForgeError | None = None) -> Response:
    headers = {"Cache-Control": "no-store"}
    if isinstance(error, NotSignedIn):
        headers["WWW-Authenticate"] = "Bearer"
    if problem.status in (429, 503):
        seconds = WITHIN_SECONDS if isinstance(error, TooManyRequests) else RETRY_SECONDS
        headers["Retry-After"] = f"{seconds:.0f}"
    if isinstance(error, RequestUnderWay):
        headers["Retry-After"] = "1"
    content = problem.model_dump_json()
    return Response(content, status_code=problem.status, media_type=MEDIA_TYPE, headers=headers)


async def _deliberate(request: Request, error: Exception) -> Response:
    assert isinstance(error, BlobForgeError)
    request.app.state.parts.metrics.ended([error])
    return problem_response(told(error, request_id=getattr(request.state, "request_id", None)))


async def _invalid(request: Request, error: Exception) -> Response:  # noqa: ARG001 - the form of a handler
    """Which field, and what is wrong with it; never its value, which may be a secret."""
    assert isinstance(error, RequestValidationError)
    faults = [f"{_place(fault['loc'])}: {_said(fault)}" for fault in error.errors()[:MOST_FAULTS]]
    return problem_response(InvalidValue(on_one_line("; ".join(faults))))


async def _of_the_framework(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    what = f"{request.method} {request.url.path}: {error.detail}"
    title = str(error.detail)
    problem = Problem(title=title, status=error.status_code, detail=on_one_line(what), code="http", error=title)
    response = _response(problem)
    response.headers.update(error.headers or {})
    return response


async def _gone(request: Request, error: Exception) -> Response:  # noqa: ARG001
    """Nobody hears this; a proxy may write it down."""
    return problem_response(InvalidValue("the body ended before it was whole: send it again"))


async def _of_the_disk(request: Request, error: Exception) -> Response:
    assert isinstance(error, OSError)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        log.error("the disk of the server is full", file=error.filename)
        return problem_response(DiskFull(FULL))
    return await _unforeseen(request, error)


async def _unforeseen(request: Request, error: Exception) -> Response:
    log.error("a request failed", error=type(error).__name__, request_id=request.state.request_id, exc_info=error)
    response = problem_response(BlobForgeError("the server failed at this request; its log says how"))
    # Sent from outside of all that answers otherwise pass through.
    response.headers[REQUEST_ID] = request.state.request_id
    return response


def _said(fault: Mapping[str, Any]) -> str:
    """Why a body is no JSON is said apart."""
    why = fault.get("ctx", {}).get("error") if fault["type"] == "json_invalid" else None
    return f"{fault['msg']}: {why}" if why else str(fault["msg"])


def _place(steps: tuple[int | str, ...]) -> str:
    return ".".join(str(step) for step in steps if step != "body") or "body"
