"""Waits for free space on a full disk, of the store or of the worker: that is no fault of the document."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from blobforge.domain.errors import DiskFull, WorkGivenUp
from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.worker.outage import Outage

FIRST_SECONDS = 1.0
LONGEST_SECONDS = 8.0
"""The longest wait between two tries: each failed attempt has written until the disk was full."""

Done = TypeVar("Done")


class DiskSpace:
    """Shared by all slots of a worker: one outage is logged, from the first waiting slot to the last."""

    def __init__(
        self,
        on_wait: Callable[[DiskFull], None],
        *,
        first_seconds: float = FIRST_SECONDS,
        runtime: Runtime = SYSTEM_RUNTIME,
    ) -> None:
        """`on_wait` is called after every failed attempt, on the thread of its slot."""
        self._on_wait = on_wait
        self.first_seconds = first_seconds
        self._lock = threading.Lock()
        self._outage = Outage("the disk", lacks="has no room", has="has room again", seconds=runtime.monotonic)
        self._waiting = 0
        self._is_short = False

    def retry_until_free(self, act: Callable[[], Done], *, wait: Callable[[float], bool]) -> Done:
        """Tries again, each time later. `wait` sleeps, and returns True when the work was given up.

        Raises WorkGivenUp.
        """
        try:
            return act()
        except DiskFull as error:
            problem = error
        with self._counted():
            seconds = self.first_seconds
            while True:
                self._report_wait(problem)
                if wait(seconds):
                    raise WorkGivenUp(f"given up while it waited for room: {problem}")
                seconds = min(seconds * 2, LONGEST_SECONDS)
                try:
                    return act()
                except DiskFull as error:
                    problem = error

    def lacks_room(self, problem: DiskFull) -> None:
        """No slot waits, but the worker, which begins nothing. Said again at every look."""
        self._is_short = True
        self._report_wait(problem)

    def has_room(self) -> None:
        """The worker waits no longer."""
        with self._lock:
            self._is_short = False
            self._end_outage()

    def _report_wait(self, problem: DiskFull) -> None:
        with self._lock:
            self._outage.goes_on(problem)
        self._on_wait(problem)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._lock:
            self._waiting += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1
                self._end_outage()

    def _end_outage(self) -> None:
        if not self._waiting and not self._is_short:
            self._outage.is_over()
