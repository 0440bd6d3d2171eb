"""Wakes requests that wait for jobs: one of each line, however many wait, so that a new job makes no herd."""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from blobforge.domain.ids import JobId

KEPT_PROCESSES = 10_000


class ClaimLine(NamedTuple):
    """Those who wait for a job of the same kind: what one of them finds, any other could have."""

    project: str
    types: tuple[str, ...]
    has: frozenset[str]


class JobLine(NamedTuple):
    """Those who wait for the end of the same job."""

    project: str
    job_id: JobId


WaitingLine = ClaimLine | JobLine


class Waiter:
    """A request that waits. First it listens, then it looks, so that nothing falls between."""

    def __init__(self, hub: "Hub", line: WaitingLine) -> None:
        self._hub = hub
        self._line = line
        self._woken = asyncio.Event()

    @property
    def is_woken(self) -> bool:
        return self._woken.is_set()

    def wake(self) -> None:
        self._woken.set()

    def looks_now(self) -> None:
        """What it was woken for so far, it sees now."""
        self._woken.clear()

    def pass_on(self) -> None:
        """Where there was one job there may be more, for the next in line."""
        self._hub.wake(self._line)

    async def wait(self, seconds: float) -> bool:
        """Whether it was woken, at the latest after so many seconds. A server that is about to stop has nobody wait."""
        if self._hub.is_stopping:
            return False
        with suppress(TimeoutError):
            async with asyncio.timeout(max(seconds, 0)):
                await self._woken.wait()
        return self._woken.is_set() and not self._hub.is_stopping


class Hub:
    """Belongs to one event loop; only `…_from_thread` may be called from elsewhere."""

    def __init__(self) -> None:
        self._lines: dict[WaitingLine, deque[Waiter]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._processes: dict[str, set[Waiter]] = {}
        self._leases: OrderedDict[str, int] = OrderedDict()
        self.is_stopping = False
        # Another one after a restart, so that whoever waited before looks once.
        self._version = time.time_ns() // 1_000

    @property
    def version(self) -> int:
        """Another one after each `notify`."""
        return self._version

    def belongs_to(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    @property
    def lines(self) -> list[WaitingLine]:
        return list(self._lines)

    @property
    def waiting(self) -> int:
        """How many requests wait, whatever for."""
        return sum(map(len, self._lines.values()))

    @contextmanager
    def listen(self, line: WaitingLine) -> Iterator[Waiter]:
        waiter = Waiter(self, line)
        self._lines.setdefault(line, deque()).append(waiter)
        try:
            yield waiter
        finally:
            self._leave(line, waiter)

    def notify(self) -> None:
        """Something may have changed: one waiter of each line looks."""
        self._version += 1
        for line in list(self._lines):
            self.wake(line)

    def wake_for_jobs(self) -> None:
        """Those who wait for the end of a job that they know, and not for a new one."""
        for line in list(self._lines):
            if isinstance(line, JobLine):
                self.wake(line)

    def notify_from_thread(self) -> None:
        """A loop that is closed has nobody waiting."""
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self.notify)

    def stop_from_thread(self) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self.stop)

    def leases_of(self, process: str) -> int:
        """Another number after each time that somebody took a lease from it."""
        return self._leases.get(process, 0)

    def lease_was_taken(self, process: str) -> None:
        """Cancelled, or given back by a person: its worker looks at once."""
        self._leases[process] = self._leases.get(process, 0) + 1
        self._leases.move_to_end(process)
        while len(self._leases) > KEPT_PROCESSES:
            self._leases.popitem(last=False)
        for waiter in self._processes.get(process, ()):
            waiter.wake()

    @contextmanager
    def called(self, process: str, waiter: Waiter) -> Iterator[None]:
        """The waiter is woken by what concerns this process, too."""
        waiters = self._processes.setdefault(process, set())
        waiters.add(waiter)
        try:
            yield
        finally:
            waiters.discard(waiter)
            if not waiters:
                self._processes.pop(process, None)

    def wake(self, line: WaitingLine) -> None:
        """The one that has waited longest and does not know yet."""
        waiting = self._lines.get(line, deque())
        for waiter in waiting:
            if not waiter.is_woken:
                waiter.wake()
                # It may find nothing: then others come first when something is there again.
                waiting.remove(waiter)
                waiting.append(waiter)
                return

    def stop(self) -> None:
        """Everyone ends what they wait for, and nobody waits any more."""
        self.is_stopping = True
        self._version += 1
        for waiting in self._lines.values():
            for waiter in waiting:
                waiter.wake()

    def _leave(self, line: WaitingLine, waiter: Waiter) -> None:
        waiting = self._lines[line]
        waiting.remove(waiter)
        if not waiting:
            del self._lines[line]
        if waiter.is_woken:
            # It goes without having looked.
            self.wake(line)
