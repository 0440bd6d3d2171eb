"""Every error as problem+json: what happened, to which thing, what to do."""

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from blobforge.domain.access_errors import NotSignedIn, TooManyRequests
from blobforge.domain.errors import BlobForgeError, InvalidValue
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
    app.add_exception_handler(Exception, _unforeseen)


def problem_response(error: BlobForgeError, **more: object) -> Response:
    return _response(problem_of(error, **more), error)


def _response(problem: Problem, error: BlobForgeError | None = None) -> Response:
    headers = {"Cache-Control": "no-store"}
    if isinstance(error, NotSignedIn):
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, TooManyRequests) or problem.status in (429, 503):
        headers["Retry-After"] = str(RETRY_SECONDS)
    content = problem.model_dump_json()
    return Response(content, status_code=problem.status, media_type=MEDIA_TYPE, headers=headers)


async def _deliberate(request: Request, error: Exception) -> Response:
    assert isinstance(error, BlobForgeError)
    request.app.state.parts.metrics.ended([error])
    return problem_response(error)


async def _invalid(request: Request, error: Exception) -> Response:  # noqa: ARG001 - the form of a handler
    """Which field, and what is wrong with it; never its value, which may be a secret."""
    assert isinstance(error, RequestValidationError)
    faults = [f"{_place(fault['loc'])}: {fault['msg']}" for fault in error.errors()[:MOST_FAULTS]]
    return problem_response(InvalidValue(on_one_line("; ".join(faults))))


async def _of_the_framework(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    what = f"{request.method} {request.url.path}: {error.detail}"
    title = str(error.detail)
    problem = Problem(title=title, status=error.status_code, detail=on_one_line(what), code="http", error=title)
    response = _response(problem)
    response.headers.update(error.headers or {})
    return response


async def _unforeseen(request: Request, error: Exception) -> Response:
    log.error("a request failed", error=type(error).__name__, request_id=request.state.request_id, exc_info=error)
    response = problem_response(BlobForgeError("the server failed at this request; its log says how"))
    # Sent from outside of all that answers otherwise pass through.
    response.headers[REQUEST_ID] = request.state.request_id
    return response


def _place(steps: tuple[int | str, ...]) -> str:
    return ".".join(str(step) for step in steps if step != "body") or "body"
