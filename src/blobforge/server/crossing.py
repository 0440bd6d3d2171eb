"""From the event loop into the synchronous core, and back."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import TypeVar

from blobforge.domain.errors import StoreUnavailable
from blobforge.server.writing_thread import WritingThread

Found = TypeVar("Found")

TRANSFERS = 4
ASKERS = 8
ANSWER_SECONDS = 3.0
"""How long somebody who waits for an answer waits for the store."""


class Crossing:
    """Pools of threads. What is read never waits behind what is written; how many write at a time is the queue's
    choice: threads that fight for the one lock of SQLite wait in steps of its busy handler, so there one writes, and
    may do `together` what waits for it."""

    def __init__(
        self,
        *,
        readers: int,
        writers: int,
        together: Callable[[], AbstractContextManager[None]] | None = None,
        glances: bool = False,
    ) -> None:
        """`glances`: a look at one row of the queue takes less than the way to another thread and back."""
        self._glances = glances
        self._readers = ThreadPoolExecutor(readers, thread_name_prefix="read")
        self._writers = ThreadPoolExecutor(writers, thread_name_prefix="write")
        self._writing = None if together is None else WritingThread(self._writers, together)
        self._transfers = ThreadPoolExecutor(TRANSFERS, thread_name_prefix="transfer")
        self._askers = ThreadPoolExecutor(ASKERS, thread_name_prefix="ask")

    async def read(self, work: Callable[[], Found]) -> Found:
        return await asyncio.get_running_loop().run_in_executor(self._readers, work)

    async def glance(self, work: Callable[[], Found]) -> Found:
        """Reads one row, which is asked for so often that it lies in memory."""
        return work() if self._glances else await self.read(work)

    async def write(self, work: Callable[[], Found]) -> Found:
        if self._writing is not None:
            return await self._writing.do(work, may_share=False)
        return await asyncio.get_running_loop().run_in_executor(self._writers, work)

    async def ask_store(self, work: Callable[[], Found]) -> Found:
        """A short question to the store. One that hangs takes none of the threads that the queue is asked by, and who
        waits is told in time: whoever works on goes on trying for longer. Raises StoreUnavailable."""
        asked = asyncio.get_running_loop().run_in_executor(self._askers, work)
        try:
            return await asyncio.wait_for(asked, ANSWER_SECONDS)
        except TimeoutError:
            raise StoreUnavailable(f"the store did not answer within {ANSWER_SECONDS:g} seconds") from None

    async def write_together(self, work: Callable[[], Found]) -> Found:
        """Of jobs alone: it may share its commit with others who wait. It fails with its own error, or with that of
        the commit, and returns after the commit: what tells of it comes then, and not within it."""
        if self._writing is not None:
            return await self._writing.do(work, may_share=True)
        return await self.write(work)

    async def transfer(self, work: Callable[[], Found]) -> Found:
        """Work on whole files, which may take minutes and must not hold up what takes a moment."""
        return await asyncio.get_running_loop().run_in_executor(self._transfers, work)

    def close(self) -> None:
        """Waits for what is under way."""
        self._readers.shutdown()
        self._writers.shutdown()
        self._transfers.shutdown()
        self._askers.shutdown(cancel_futures=True)
