"""Requests that wait: until they are woken, until their time is over, or until their client is gone."""

import asyncio
from contextlib import suppress
from typing import Self

from starlette.requests import Request

from blobforge.server.hub import Waiter

LONGEST_SECONDS = 60.0


def clamped(seconds: float) -> float:
    """What is no number is no time at all."""
    return min(seconds, LONGEST_SECONDS) if seconds > 0 else 0.0


class LongPoll:
    """One waiting request; a context manager, within which it is known whether its client is still there."""

    def __init__(self, request: Request, *, seconds: float) -> None:
        self._request = request
        self._deadline = asyncio.get_running_loop().time() + clamped(seconds)
        self._gone: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._gone = asyncio.create_task(self._until_gone())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._gone is not None
        self._gone.cancel()
        with suppress(asyncio.CancelledError):
            await self._gone

    @property
    def is_gone(self) -> bool:
        return self._gone is not None and self._gone.done()

    async def wait(self, waiter: Waiter) -> bool:
        """Whether it is worth to look again."""
        assert self._gone is not None
        left = self._deadline - asyncio.get_running_loop().time()
        woken = asyncio.create_task(waiter.wait(left))
        try:
            await asyncio.wait({woken, self._gone}, return_when=asyncio.FIRST_COMPLETED)
            return woken.result() if woken.done() else False
        finally:
            woken.cancel()

    async def _until_gone(self) -> None:
        while (await self._request.receive())["type"] != "http.disconnect":
            pass  # the body of a request that has none to speak of
