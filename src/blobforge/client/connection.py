"""Requests to a server: sent with the credentials, and every answer that is an error raised as the error it is."""

import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from secrets import token_hex
from typing import Any

import httpx2
from pydantic import BaseModel

from blobforge.client.conversation import (
    CHUNK,
    CONNECT_SECONDS,
    LIMITS,
    SECONDS,
    TRANSFER_SECONDS,
    Answer,
    Conversation,
    Credentials,
    Readable,
    error_in,
    place_of,
    reason,
)
from blobforge.domain.errors import StoreUnavailable
from blobforge.wire.paths import REQUEST_ID

__all__ = ["Connection", "Credentials", "new_request_id"]


def new_request_id() -> str:
    """For both logs, here and at the server."""
    return token_hex(8)


class Connection(Conversation):
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
        super().__init__(url, credentials, monotonic=monotonic)
        timeout = httpx2.Timeout(SECONDS, connect=CONNECT_SECONDS)
        self._http = httpx2.Client(
            base_url=self.url, headers=self.headers, timeout=timeout, limits=LIMITS, transport=transport
        )
        patience = httpx2.Timeout(TRANSFER_SECONDS, connect=CONNECT_SECONDS)
        self._plain = httpx2.Client(timeout=patience, transport=transport)
        # Who opens a store or a manifest for one question has nothing to close it by.
        self._end = weakref.finalize(self, _close, self._http, self._plain)

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
        return self.parsed(self.send("POST", path, content=content, headers=headers, seconds=seconds), kind)

    def tell(self, path: str, message: BaseModel) -> None:
        """For what has no answer."""
        self.send("POST", path, content=message.model_dump_json(), headers={"Content-Type": "application/json"})

    def get(self, path: str, kind: type[Answer], *, seconds: float = SECONDS, **query: str | int) -> Answer:
        return self.parsed(self.send("GET", path, params=query, seconds=seconds), kind)

    def send(self, method: str, path: str, *, seconds: float = SECONDS, **request: Any) -> httpx2.Response:
        """Raises the error that the server gives, or StoreUnavailable, also while it asked to be left alone."""
        self.require_leave()
        timeout = httpx2.Timeout(seconds, connect=CONNECT_SECONDS)
        try:
            answer = self._http.request(method, path, timeout=timeout, **request)
        except httpx2.TransportError as error:
            raise self.is_away(error) from error
        return self.require_success(answer)

    def chunks(self, url: str) -> Iterator[bytes]:
        """The body at a signed URL, as it arrives. Raises StoreUnavailable, and the error that is answered."""
        try:
            # The signature is the whole right: a bucket would refuse our own credentials beside it.
            with self._plain.stream("GET", url) as answer:
                if answer.is_error:
                    answer.read()
                    raise error_in(answer, place_of(url))
                yield from answer.iter_bytes(CHUNK)
        except httpx2.TransportError as error:
            raise StoreUnavailable(f"{place_of(url)}: {reason(error)}") from error

    def put(self, url: str, file: Readable, *, headers: Mapping[str, str]) -> None:
        """Sends a file to a signed URL. Raises StoreUnavailable, and the error that is answered."""
        try:
            answer = self._plain.put(url, content=iter(lambda: file.read(CHUNK), b""), headers=dict(headers))
        except httpx2.TransportError as error:
            raise StoreUnavailable(f"{place_of(url)}: {reason(error)}") from error
        if answer.is_error:
            raise error_in(answer, place_of(url))

    def close(self) -> None:
        self._end()


def _close(*clients: httpx2.Client) -> None:
    for client in clients:
        client.close()
