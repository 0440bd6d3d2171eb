"""What every way to a server shares: who asks, what an answer says, and what a refusal means."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Protocol, TypeVar

import httpx2
from pydantic import BaseModel, ValidationError

from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import Forbidden, InvalidSettings, NotSignedIn, StoreUnavailable
from blobforge.domain.loose_json import json_in, object_in, text_in
from blobforge.ports.queue_backend import ServerAccess
from blobforge.version import __version__
from blobforge.wire.errors import MEDIA_TYPE, error_of, error_with_status


class Readable(Protocol):
    """What is sent."""

    def read(self, size: int, /) -> bytes: ...


Answer = TypeVar("Answer", bound=BaseModel)

SECONDS = 30.0
CONNECT_SECONDS = 5.0
TRANSFER_SECONDS = 60.0
"""Without a byte, of a file on its way."""
CHUNK = 1 << 18
LONGEST_TEXT = 200
LONGEST_QUIET_SECONDS = 60
LIMITS = httpx2.Limits(max_connections=100, max_keepalive_connections=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """Of a person's program, or of a worker; none where a server asks for none."""

    token: str | None = field(default=None, repr=False)
    worker: str | None = None
    secret: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, access: ServerAccess) -> "Credentials":
        """A worker's secret comes first: a process that has one works. Raises InvalidSettings."""
        if access.secret is None:
            return cls(token=access.token)
        if access.worker is None:
            raise InvalidSettings("BLOBFORGE_WORKER_SECRET is set, and BLOBFORGE_WORKER_ID says of which worker it is")
        return cls(worker=access.worker, secret=access.secret)

    def headers(self) -> Mapping[str, str]:
        headers = {}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        if self.worker is not None and self.secret is not None:
            headers |= {"X-Worker-ID": self.worker, "X-Worker-Secret": self.secret}
        return headers

    @property
    def told(self) -> str:
        """By which settings, for who is refused."""
        if self.worker is not None and self.secret is not None:
            return "it was told BLOBFORGE_WORKER_ID and BLOBFORGE_WORKER_SECRET"
        if self.token is not None:
            return "it was told BLOBFORGE_TOKEN"
        return "set BLOBFORGE_TOKEN, or for a worker BLOBFORGE_WORKER_ID and BLOBFORGE_WORKER_SECRET"


class Conversation:
    """With one server. Threads may share it."""

    def __init__(self, url: str, credentials: Credentials, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.url = url.rstrip("/")
        self.headers = {"User-Agent": f"blobforge/{__version__}", **credentials.headers()}
        self._who = credentials.told
        self._ahead: timedelta | None = None
        self._monotonic = monotonic
        self._quiet_until = 0.0
        self.own_project: str | None = None
        """The one that is meant where none is said, once the server was asked."""

    def now(self) -> datetime:
        """The server's clock, by the Date of its last answer: the clocks of workers may be wrong. Before the first one,
        that of this machine."""
        return datetime.now(UTC) + (self._ahead or timedelta())

    @property
    def knows_the_time(self) -> bool:
        """Whether `now` is the server's."""
        return self._ahead is not None

    def require_leave(self) -> None:
        """Raises StoreUnavailable while the server asked to be left alone."""
        left = self._quiet_until - self._monotonic()
        if left > 0:
            raise StoreUnavailable(f"{self._shown} asked to be left alone for another {left:.0f} seconds")

    def require_success(self, answer: httpx2.Response) -> httpx2.Response:
        """Raises the error that the server gives. What it could not do now is no fault of the request, whatever went
        wrong there: that is StoreUnavailable."""
        self._read_date(answer)
        if not answer.is_error:
            return answer
        error = error_in(answer, self._shown)
        if answer.status_code in (429, 503) and (seconds := _seconds(answer.headers.get("retry-after"))):
            self._quiet_until = self._monotonic() + min(seconds, LONGEST_QUIET_SECONDS)
        if answer.status_code == 429 or (answer.status_code >= 500 and not isinstance(error, StoreUnavailable)):
            raise StoreUnavailable(f"{self._shown}: {error}")
        if isinstance(error, NotSignedIn | Forbidden):
            raise type(error)(f"{error}; {self._who}")
        raise error

    def parsed(self, answer: httpx2.Response, kind: type[Answer]) -> Answer:
        """Raises InvalidSettings for what is no such answer."""
        try:
            return kind.model_validate_json(answer.content)
        except ValidationError as error:
            raise InvalidSettings(
                f"{self._shown} answers {answer.request.url.path} with what is no {kind.__name__}: is it a BlobForge "
                "server, and of this release?"
            ) from error

    def is_away(self, error: httpx2.TransportError) -> StoreUnavailable:
        """It says what to look at."""
        return StoreUnavailable(
            f"{self._shown} does not answer ({reason(error)}): is it running, and is BLOBFORGE_SERVER_URL right?"
        )

    @property
    def _shown(self) -> str:
        return f"the server {shown_address(self.url)}"

    def _read_date(self, answer: httpx2.Response) -> None:
        if date := answer.headers.get("date"):
            try:
                self._ahead = parsedate_to_datetime(date) - datetime.now(UTC)
            except ValueError:
                return  # a proxy's own idea of a date


def error_in(answer: httpx2.Response, server: str) -> Exception:
    """What went wrong, as the server has it."""
    if answer.headers.get("content-type", "").partition(";")[0] == MEDIA_TYPE:
        problem = object_in(json_in(answer.content))
        code, detail = text_in(problem.get("code")), text_in(problem.get("detail"))
        if code is not None and detail is not None:
            return error_of(code, detail)
    text = " ".join(answer.text.split())[:LONGEST_TEXT]
    return error_with_status(answer.status_code, f"{server} answers {answer.status_code}: {text}")


def _seconds(text: str | None) -> int:
    """Of a Retry-After; a date is not understood, and nobody here sends one."""
    return int(text) if text is not None and text.isascii() and text.isdecimal() else 0


def reason(error: httpx2.TransportError) -> str:
    """Some of them say nothing but their name."""
    return str(error) or type(error).__name__


def place_of(url: str) -> str:
    """For messages: without the signature."""
    return shown_address(url.partition("?")[0])
