"""Several requests at once: a listing of a thousand jobs must not wait for a thousand answers one by one."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Thing = TypeVar("Thing")
Result = TypeVar("Result")


class Crew:
    """Threads that come when there is more than one thing to do. With a size of one, everything is done in turn."""

    def __init__(self, size: int = 16) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._threads: ThreadPoolExecutor | None = None

    def each(self, do: Callable[[Thing], Result], things: Iterable[Thing]) -> list[Result]:
        """In the order of the things; the first error is raised after all have ended."""
        todo = list(things)
        if self._size <= 1 or len(todo) <= 1:
            return [do(thing) for thing in todo]
        futures = [self._pool().submit(do, thing) for thing in todo]
        errors = [error for future in futures if (error := future.exception()) is not None]
        if errors:
            raise errors[0]
        return [future.result() for future in futures]

    def close(self) -> None:
        with self._lock:
            threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown()

    def _pool(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._threads is None:
                self._threads = ThreadPoolExecutor(self._size, thread_name_prefix="bucket")
            return self._threads
