"""Requests to a server: sent with the credentials, and every answer that is an error raised as the error it is."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from secrets import token_hex
from typing import Any, BinaryIO, TypeVar

import httpx2
from pydantic import BaseModel, ValidationError

from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import InvalidSettings, StoreUnavailable
from blobforge.domain.loose_json import json_in, object_in, text_in
from blobforge.version import __version__
from blobforge.wire.errors import MEDIA_TYPE, error_of, error_with_status
from blobforge.wire.paths import REQUEST_ID

Answer = TypeVar("Answer", bound=BaseModel)

SECONDS = 30.0
TRANSFER_SECONDS = 60.0
"""Without a byte, of a file on its way."""
CHUNK = 1 << 18
LONGEST_TEXT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """Of a person's program, or of a worker; none where a server asks for none."""

    token: str | None = field(default=None, repr=False)
    worker: str | None = None
    secret: str | None = field(default=None, repr=False)

    def headers(self) -> Mapping[str, str]:
        headers = {}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        if self.worker is not None and self.secret is not None:
            headers |= {"X-Worker-ID": self.worker, "X-Worker-Secret": self.secret}
        return headers


def new_request_id() -> str:
    """For both logs, here and at the server."""
    return token_hex(8)


class Connection:
    """Threads may share it. Raises StoreUnavailable where the server does not answer, or not now."""

    def __init__(self, url: str, credentials: Credentials, *, transport: httpx2.BaseTransport | None = None) -> None:
        """`transport` is another way to the server than the network: a test's, or the server in this process."""
        self.url = url.rstrip("/")
        self._ahead = timedelta()
        headers = {"User-Agent": f"blobforge/{__version__}", **credentials.headers()}
        self._http = httpx2.Client(
            base_url=self.url,
            headers=headers,
            timeout=httpx2.Timeout(SECONDS, connect=5.0),
            limits=httpx2.Limits(max_connections=100, max_keepalive_connections=20),
            transport=transport,
        )
        self._plain = httpx2.Client(timeout=httpx2.Timeout(TRANSFER_SECONDS, connect=5.0), transport=transport)

    def now(self) -> datetime:
        """The server's clock, by the Date of its last answer: the clocks of workers may be wrong."""
        return datetime.now(UTC) + self._ahead

    def post(
        self,
        path: str,
        message: BaseModel,
        kind: type[Answer],
        *,
        seconds: float = SECONDS,
        request_id: str | None = None,
    ) -> Answer:
        """`request_id` is what the server's log calls it; without one, the server makes it."""
        content = message.__pydantic_serializer__.to_json(message, warnings=False)
        headers = {"Content-Type": "application/json"}
        if request_id is not None:
            headers[REQUEST_ID] = request_id
        return self._parsed(self.send("POST", path, content=content, headers=headers, seconds=seconds), kind)

    def get(self, path: str, kind: type[Answer], *, seconds: float = SECONDS, **query: str | int) -> Answer:
        return self._parsed(self.send("GET", path, params=query, seconds=seconds), kind)

    def send(self, method: str, path: str, *, seconds: float = SECONDS, **request: Any) -> httpx2.Response:
        """Raises the error that the server gives, or StoreUnavailable."""
        try:
            answer = self._http.request(method, path, timeout=httpx2.Timeout(seconds, connect=5.0), **request)
        except httpx2.TransportError as error:
            raise StoreUnavailable(f"{self._shown} does not answer: {_reason(error)}") from error
        self._read_date(answer)
        if answer.is_error:
            raise _error_in(answer, self._shown)
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
        self._http.close()
        self._plain.close()

    @property
    def _shown(self) -> str:
        return f"the server {shown_address(self.url)}"

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


def _error_in(answer: httpx2.Response, server: str) -> Exception:
    if answer.headers.get("content-type", "").partition(";")[0] == MEDIA_TYPE:
        problem = object_in(json_in(answer.content))
        code, detail = text_in(problem.get("code")), text_in(problem.get("detail"))
        if code is not None and detail is not None:
            return error_of(code, detail)
    text = " ".join(answer.text.split())[:LONGEST_TEXT]
    return error_with_status(answer.status_code, f"{server} answers {answer.status_code}: {text}")


def _reason(error: httpx2.TransportError) -> str:
    return str(error) or type(error).__name__
