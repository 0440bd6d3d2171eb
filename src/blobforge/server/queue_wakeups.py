"""What the queue's wake-up means for those who wait: on SQLite it comes with every write, heartbeats included."""

import asyncio
from contextlib import suppress

from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.job import State
from blobforge.ports.job_store import JobFilter
from blobforge.server.parts import ServerParts


class QueueWakeups:
    """Belongs to one event loop. Where no job is pending, nobody is woken to look for one: a thousand idle workers
    would keep each other awake by their heartbeats. Where nobody waits, nothing is asked: who comes looks first."""

    def __init__(self, parts: ServerParts) -> None:
        self._parts = parts
        self._loop = asyncio.get_running_loop()
        self._looking: asyncio.Task[None] | None = None
        self._is_asked_again = False

    def from_thread(self) -> None:
        """A loop that is closed has nobody waiting."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._ask)

    def _ask(self) -> None:
        self._is_asked_again = True
        if self._looking is None or self._looking.done():
            self._looking = self._loop.create_task(self._look())

    async def _look(self) -> None:
        """What is written while it looks, it looks for once more."""
        while self._is_asked_again:
            self._is_asked_again = False
            if not self._parts.hub.waiting or await self._is_pending():
                self._parts.hub.notify()
            else:
                self._parts.hub.wake_for_jobs()

    async def _is_pending(self) -> bool:
        try:
            return bool(await self._parts.read(lambda queue: queue.page(JobFilter(state=State.PENDING), limit=1)))
        except (StoreUnavailable, RuntimeError):
            return True  # who asks is told what is wrong; a server that has ended asks nobody
