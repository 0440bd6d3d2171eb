"""The one thread that writes: in the order in which requests came, and together what waits together."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar, cast

Found = TypeVar("Found")

MOST_TOGETHER = 32
"""Each waits for all of its group, however quick it is itself."""


@dataclass(slots=True, eq=False)
class _Work:
    step: Callable[[], Any]
    may_share: bool
    told: "asyncio.Future[Any]"
    outcome: object = None
    error: BaseException | None = None


class WritingThread:
    """Over an executor of one thread. Belongs to one event loop."""

    def __init__(self, thread: Executor, together: Callable[[], AbstractContextManager[None]]) -> None:
        self._thread = thread
        self._together = together
        self._lock = threading.Lock()
        self._waiting: deque[_Work] = deque()
        self._is_busy = False

    async def do(self, step: Callable[[], Found], *, may_share: bool) -> Found:
        """Raises what the step raises, or what the commit does that it shares. Who goes before it began has it left
        out; later it is done all the same."""
        loop = asyncio.get_running_loop()
        work = _Work(step, may_share, loop.create_future())
        with self._lock:
            self._waiting.append(work)
            is_idle, self._is_busy = not self._is_busy, True
        if is_idle:
            self._begin(work, loop)
        return cast("Found", await work.told)

    def _begin(self, work: _Work, loop: asyncio.AbstractEventLoop) -> None:
        """Raises RuntimeError where the thread has ended."""
        try:
            self._thread.submit(self._work_off, loop)
        except RuntimeError:
            with self._lock:
                self._waiting.remove(work)
                self._is_busy = False
            raise

    def _work_off(self, loop: asyncio.AbstractEventLoop) -> None:
        """Until nothing waits. What comes meanwhile, in a commit above all, is the next group."""
        while group := self._next_group():
            self._do_all(group)
            # Of a loop that is closed nobody waits any more.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_tell, group)

    def _next_group(self) -> list[_Work]:
        """The first in line, and those after it that share its commit; none where nothing waits."""
        with self._lock:
            group: list[_Work] = []
            while self._waiting and len(group) < MOST_TOGETHER:
                if group and not (group[0].may_share and self._waiting[0].may_share):
                    break
                group.append(self._waiting.popleft())
            self._is_busy = bool(group)
            return group

    def _do_all(self, group: Sequence[_Work]) -> None:
        if len(group) == 1:
            # Its own transaction is the quickest.
            _do(group[0])
            return
        try:
            with self._together():
                for work in group:
                    _do(work)
        except BaseException as error:  # noqa: BLE001 - told to all who wait for it
            for work in group:
                work.error = work.error or error


def _do(work: _Work) -> None:
    if work.told.cancelled():
        return
    try:
        work.outcome = work.step()
    except BaseException as error:  # noqa: BLE001 - told to who waits for it
        work.error = error


def _tell(group: Sequence[_Work]) -> None:
    for work in group:
        if work.told.done():
            continue
        if work.error is None:
            work.told.set_result(work.outcome)
        else:
            work.told.set_exception(work.error)
