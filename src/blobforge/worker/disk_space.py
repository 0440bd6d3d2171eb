"""Waiting for room on the disk of the store or of the worker: a full one is the machine's trouble, not a document's."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from blobforge.domain.errors import DiskFull, WorkGivenUp
from blobforge.worker.outage import Outage

FIRST_SECONDS = 1.0
LONGEST_SECONDS = 8.0
"""A try costs as much writing as there is room, so those that fail are tried ever more seldom."""

Done = TypeVar("Done")


class DiskSpace:
    """All slots of a worker share one: it is told once, and over when nobody waits any more."""

    def __init__(self, on_wait: Callable[[DiskFull], None], *, first_seconds: float | None = None) -> None:
        """`on_wait` hears of every try that failed, on the thread of its slot."""
        self._on_wait = on_wait
        self._first_seconds = FIRST_SECONDS if first_seconds is None else first_seconds
        self._lock = threading.Lock()
        self._outage = Outage("the disk", lacks="has no room", has="has room again")
        self._waiting = 0

    def retry_until_free(self, act: Callable[[], Done], *, rest: Callable[[float], bool]) -> Done:
        """Tries until it is done. `rest` waits, and says whether it is not wanted any more. Raises WorkGivenUp."""
        try:
            return act()
        except DiskFull as error:
            problem = error
        with self._one_more():
            wait = self._first_seconds
            while True:
                self._tell(problem)
                if rest(wait):
                    raise WorkGivenUp(f"given up while it waited for room: {problem}")
                wait = min(wait * 2, LONGEST_SECONDS)
                try:
                    return act()
                except DiskFull as error:
                    problem = error

    def _tell(self, problem: DiskFull) -> None:
        with self._lock:
            self._outage.goes_on(problem)
        self._on_wait(problem)

    @contextmanager
    def _one_more(self) -> Iterator[None]:
        with self._lock:
            self._waiting += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1
                if not self._waiting:
                    self._outage.is_over()
