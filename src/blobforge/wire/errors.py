"""Errors on the wire: an HTTP status for people and proxies, a stable code for programs."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict

from blobforge.domain import errors
from blobforge.domain.error_codes import all_errors
from blobforge.domain.errors import BlobForgeError, BodyTooLarge, Forbidden, NotSignedIn, TooManyRequests

MEDIA_TYPE = "application/problem+json"

STATUS: Mapping[type[BlobForgeError], int] = {
    BlobForgeError: 500,
    errors.InvalidValue: 400,
    errors.IdempotencyKeyReused: 422,
    NotSignedIn: 401,
    Forbidden: 403,
    errors.QueueError: 409,
    errors.NotFound: 404,
    errors.ChangedMeanwhile: 412,
    errors.StoreUnavailable: 503,
    TooManyRequests: 429,
    BodyTooLarge: 413,
    errors.SourceError: 422,
    errors.SourceMissing: 404,
    errors.SourceTooLarge: 413,
    errors.ProcessingError: 422,
    errors.OutputError: 500,
    errors.ResultDamaged: 409,
    errors.DiskFull: 507,
    errors.Interrupted: 503,
}


class Problem(BaseModel):
    """An error as RFC 9457 has it. `error` is its text once more, where older clients look for it."""

    model_config = ConfigDict(extra="allow")

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    error: str


class ErrorMessage(BaseModel):
    """The error in the place of one outcome among several."""

    code: str
    message: str

    @classmethod
    def of(cls, error: BlobForgeError) -> "ErrorMessage":
        return cls(code=error.code, message=str(error))

    def as_error(self) -> BlobForgeError:
        return error_of(self.code, self.message)


def status_of(error: BlobForgeError) -> int:
    """The entry of the error's class, or of the nearest class above it."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def problem_of(error: BlobForgeError, **more: object) -> Problem:
    """`more` are members that a program needs, such as the id of the job that is in the way."""
    text = str(error)
    problem = Problem(title=_title(type(error)), status=status_of(error), detail=text, code=error.code, error=text)
    return problem.model_copy(update=more)


def error_of(code: str, message: str) -> BlobForgeError:
    """The error that has this code; an unknown one, perhaps of a newer server, keeps its code in the text."""
    kind = all_errors().get(code)
    return kind(message) if kind is not None else BlobForgeError(f"{message} [{code}]")


def error_with_status(status: int, message: str) -> BlobForgeError:
    """For an answer that is no problem of ours: a proxy's page, or another program's."""
    if status == 401:
        return NotSignedIn(message)
    if status == 403:
        return Forbidden(message)
    if status == 404:
        return errors.NotFound(message)
    return errors.StoreUnavailable(message) if status == 429 or status >= 500 else errors.InvalidValue(message)


def _title(kind: type[BlobForgeError]) -> str:
    return (kind.__doc__ or kind.__name__).partition("\n")[0].partition(";")[0].rstrip(".")
