"""The same requests from an event loop."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, BinaryIO

import httpx2

from blobforge.client.conversation import (
    CHUNK,
    CONNECT_SECONDS,
    LIMITS,
    SECONDS,
    TRANSFER_SECONDS,
    Conversation,
    Credentials,
    Readable,
    error_in,
    place_of,
    reason,
)
from blobforge.domain.errors import StoreUnavailable


class AsyncConnection(Conversation):
    """Belongs to one event loop. Raises StoreUnavailable where the server does not answer, or not now."""

    def __init__(
        self, url: str, credentials: Credentials, *, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        super().__init__(url, credentials)
        timeout = httpx2.Timeout(SECONDS, connect=CONNECT_SECONDS)
        self._http = httpx2.AsyncClient(
            base_url=self.url, headers=self.headers, timeout=timeout, limits=LIMITS, transport=transport
        )
        patience = httpx2.Timeout(TRANSFER_SECONDS, connect=CONNECT_SECONDS)
        self._plain = httpx2.AsyncClient(timeout=patience, transport=transport)

    async def send(self, method: str, path: str, *, seconds: float = SECONDS, **request: Any) -> httpx2.Response:
        """As `Connection.send`."""
        self.require_leave()
        timeout = httpx2.Timeout(seconds, connect=CONNECT_SECONDS)
        try:
            answer = await self._http.request(method, path, timeout=timeout, **request)
        except httpx2.TransportError as error:
            raise self.is_away(error) from error
        return self.require_success(answer)

    async def read_into(self, url: str, target: BinaryIO) -> None:
        """The body at a signed URL. Raises StoreUnavailable, and the error that is answered."""
        try:
            async with self._plain.stream("GET", url) as answer:
                if answer.is_error:
                    await answer.aread()
                    raise error_in(answer, place_of(url))
                async for chunk in answer.aiter_bytes(CHUNK):
                    await asyncio.to_thread(target.write, chunk)
        except httpx2.TransportError as error:
            raise StoreUnavailable(f"{place_of(url)}: {reason(error)}") from error

    async def put(self, url: str, file: Readable, *, headers: Mapping[str, str]) -> None:
        """As `Connection.put`."""
        try:
            answer = await self._plain.put(url, content=_chunks(file), headers=dict(headers))
        except httpx2.TransportError as error:
            raise StoreUnavailable(f"{place_of(url)}: {reason(error)}") from error
        if answer.is_error:
            raise error_in(answer, place_of(url))

    async def close(self) -> None:
        await self._http.aclose()
        await self._plain.aclose()


async def _chunks(file: Readable) -> AsyncIterator[bytes]:
    while chunk := await asyncio.to_thread(file.read, CHUNK):
        yield chunk
