"""Requests to a server: sent with the credentials, and every answer that is an error raised as the error it is."""

import json
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, BinaryIO, TypeVar

import httpx2
from pydantic import BaseModel, ValidationError

from blobforge.domain.access_errors import Forbidden, NotSignedIn
from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import InvalidSettings, StoreUnavailable
from blobforge.ports.queue_backend import ServerAccess
from blobforge.version import __version__
from blobforge.wire.errors import MEDIA_TYPE, error_of, error_with_status

Answer = TypeVar("Answer", bound=BaseModel)

SECONDS = 30.0
TRANSFER_SECONDS = 60.0
"""Without a byte, of a file on its way."""
CHUNK = 1 << 18
LONGEST_TEXT = 200
LONGEST_QUIET_SECONDS = 60


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


class Connection:
    """Threads may share it. Raises StoreUnavailable where the server does not answer, or not now."""

    def __init__(
        self,
        url: str,
        credentials: Credentials,
        *,
        transport: httpx2.BaseTransport | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`transport` is another way to the server than the network: a test's, or the server in this process."""
        self.url = url.rstrip("/")
        self._who = credentials.told
        self._ahead = timedelta()
        self._monotonic = monotonic
        self._quiet_until = 0.0
        headers = {"User-Agent": f"blobforge/{__version__}", **credentials.headers()}
        self._http = httpx2.Client(
            base_url=self.url,
            headers=headers,
            timeout=httpx2.Timeout(SECONDS, connect=5.0),
            limits=httpx2.Limits(max_connections=100, max_keepalive_connections=20),
            transport=transport,
        )
        self._plain = httpx2.Client(timeout=httpx2.Timeout(TRANSFER_SECONDS, connect=5.0), transport=transport)
        # Who opens a store or a manifest for one question has nothing to close it by.
        self._end = weakref.finalize(self, _close, self._http, self._plain)

    def now(self) -> datetime:
        """The server's clock, by the Date of its last answer: the clocks of workers may be wrong."""
        return datetime.now(UTC) + self._ahead

    def post(self, path: str, message: BaseModel, kind: type[Answer], *, seconds: float = SECONDS) -> Answer:
        content = message.__pydantic_serializer__.to_json(message, warnings=False)
        headers = {"Content-Type": "application/json"}
        return self._parsed(self.send("POST", path, content=content, headers=headers, seconds=seconds), kind)

    def tell(self, path: str, message: BaseModel) -> None:
        """For what has no answer."""
        self.send("POST", path, content=message.model_dump_json(), headers={"Content-Type": "application/json"})

    def get(self, path: str, kind: type[Answer], *, seconds: float = SECONDS, **query: str | int) -> Answer:
        return self._parsed(self.send("GET", path, params=query, seconds=seconds), kind)

    def send(self, method: str, path: str, *, seconds: float = SECONDS, **request: Any) -> httpx2.Response:
        """Raises the error that the server gives, or StoreUnavailable, also while it asked to be left alone."""
        self._require_leave()
        try:
            answer = self._http.request(method, path, timeout=httpx2.Timeout(seconds, connect=5.0), **request)
        except httpx2.TransportError as error:
            raise StoreUnavailable(
                f"{self._shown} does not answer ({_reason(error)}): is it running, and is BLOBFORGE_SERVER_URL right?"
            ) from error
        self._read_date(answer)
        if answer.is_error:
            raise self._refusal(answer)
        return answer

    def chunks(self, url: str) -> Iterator[bytes]:
        """The body at a signed URL, as it arrives. Raises StoreUnavailable, and the error that is answered."""
        try:
            # The signature is the whole right: a bucket would refuse our own credentials beside it.
            with self._plain.stream("GET", url) as answer:
                if answer.is_error:
                    answer.read()
                    raise _error_in(answer, shown_address(url.partition("?")[0]))
                yield from answer.iter_bytes(CHUNK)
        except httpx2.TransportError as error:
            raise StoreUnavailable(f"{shown_address(url.partition('?')[0])}: {_reason(error)}") from error

    def put(self, url: str, file: BinaryIO, *, headers: Mapping[str, str]) -> None:
        """Sends a file to a signed URL. Raises StoreUnavailable, and the error that is answered."""
        where = shown_address(url.partition("?")[0])
        try:
            answer = self._plain.put(url, content=iter(lambda: file.read(CHUNK), b""), headers=dict(headers))
        except httpx2.TransportError as error:
            raise StoreUnavailable(f"{where}: {_reason(error)}") from error
        if answer.is_error:
            raise _error_in(answer, where)

    def close(self) -> None:
        self._end()

    @property
    def _shown(self) -> str:
        return f"the server {shown_address(self.url)}"

    def _require_leave(self) -> None:
        left = self._quiet_until - self._monotonic()
        if left > 0:
            raise StoreUnavailable(f"{self._shown} asked to be left alone for another {left:.0f} seconds")

    def _refusal(self, answer: httpx2.Response) -> Exception:
        """What the server could not do now is no fault of the request, whatever went wrong there."""
        error = _error_in(answer, self._shown)
        if answer.status_code in (429, 503) and (seconds := _seconds(answer.headers.get("retry-after"))):
            self._quiet_until = self._monotonic() + min(seconds, LONGEST_QUIET_SECONDS)
        if answer.status_code == 429 or (answer.status_code >= 500 and not isinstance(error, StoreUnavailable)):
            return StoreUnavailable(f"{self._shown}: {error}")
        if isinstance(error, NotSignedIn | Forbidden):
            return type(error)(f"{error}; {self._who}")
        return error

    def _parsed(self, answer: httpx2.Response, kind: type[Answer]) -> Answer:
        try:
            return kind.model_validate_json(answer.content)
        except ValidationError as error:
            raise InvalidSettings(
                f"{self._shown} answers {answer.request.url.path} with what is no {kind.__name__}: is it a BlobForge "
                "server, and of this release?"
            ) from error

    def _read_date(self, answer: httpx2.Response) -> None:
        if date := answer.headers.get("date"):
            try:
                self._ahead = parsedate_to_datetime(date) - datetime.now(UTC)
            except ValueError:
                return  # a proxy's own idea of a date


def _close(*clients: httpx2.Client) -> None:
    for client in clients:
        client.close()


def _error_in(answer: httpx2.Response, server: str) -> Exception:
    if answer.headers.get("content-type", "").partition(";")[0] == MEDIA_TYPE:
        try:
            problem = json.loads(answer.content)
            return error_of(str(problem["code"]), str(problem["detail"]))
        except (ValueError, KeyError, TypeError):
            pass  # told as what it is below
    text = " ".join(answer.text.split())[:LONGEST_TEXT]
    return error_with_status(answer.status_code, f"{server} answers {answer.status_code}: {text}")


def _seconds(text: str | None) -> int:
    """Of a Retry-After; a date is not understood, and nobody here sends one."""
    return int(text) if text is not None and text.isascii() and text.isdecimal() else 0


def _reason(error: httpx2.TransportError) -> str:
    return str(error) or type(error).__name__
