"""Threads for work that mostly waits for answers: a map over a pool, and tasks whose results come in order."""

import threading
import time
from collections.abc import Callable, Iterable
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Generic, Self, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class ThreadPool:
    """Starts its threads with the first call that has more than one item; a size of one runs everything in turn."""

    def __init__(self, size: int = 16) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._threads: ThreadPoolExecutor | None = None

    def each(self, do: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """Results in the order of the items; the first error is raised after all have ended."""
        todo = list(items)
        if self._size <= 1 or len(todo) <= 1:
            return [do(item) for item in todo]
        futures = [self._pool().submit(do, item) for item in todo]
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


class OrderedTasks(Generic[Result]):
    """Runs up to `size` tasks at once, each in a thread of its own; a size of one runs them in turn.

    Results come in batches of `limit`, in the order in which the tasks began. A result waits for those before it, but
    not longer than `seconds`: then it overtakes them.
    """

    def __init__(self, *, size: int, limit: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._size = size
        self._limit = limit
        self._seconds = seconds
        self._clock = clock
        self._entries: list[Future[Result]] = []
        self._under_way: list[Future[Result]] = []
        """Those of the entries that had not ended at the last look."""
        self._closes_at: float | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, _error: object, _where: TracebackType | None) -> None:
        """What was begun is finished; only who interrupts or turns away does not wait for it."""
        if kind is None or issubclass(kind, Exception):
            futures.wait(self._under_way)

    def begin(self, do: Callable[[], Result]) -> "Future[Result]":
        """Call it when there is room."""
        if self._size <= 1:
            return self.add(do())
        entry: Future[Result] = Future()
        self._entries.append(entry)
        self._under_way.append(entry)
        # Not of a pool, which would keep a process from its end until they have ended.
        threading.Thread(target=_run, args=(do, entry), name="ordered-tasks", daemon=True).start()
        return entry

    def add(self, result: Result) -> "Future[Result]":
        """What is known already, in its place."""
        entry: Future[Result] = Future()
        entry.set_result(result)
        self._entries.append(entry)
        self._note_an_end()
        return entry

    def has_room(self) -> bool:
        return len(self._under_way) < self._size

    def is_idle(self) -> bool:
        return not self._under_way

    def wait(self) -> None:
        """Until something has ended or is due. Raises what went wrong with a thing."""
        left = None if self._closes_at is None else max(self._closes_at - self._clock(), 0)
        ended, _ = futures.wait(self._under_way, timeout=left, return_when=futures.FIRST_COMPLETED)
        if not ended:
            return
        self._under_way = [entry for entry in self._under_way if entry not in ended]
        self._note_an_end()
        for entry in ended:
            entry.result()

    def is_due(self) -> bool:
        return self._closes_at is not None and (self._is_late() or self._leading() >= self._limit)

    def take(self) -> list[Result]:
        """Of those that have ended, the first; or all where one has waited long enough."""
        upto = len(self._entries) if self._is_late() else self._leading()
        taken = [entry for entry in self._entries[:upto] if entry not in self._under_way]
        self._entries = [entry for entry in self._entries[:upto] if entry in self._under_way] + self._entries[upto:]
        # What has ended behind one that is under way has waited as long as those that are told now.
        if len(self._entries) == len(self._under_way):
            self._closes_at = None
        return [entry.result() for entry in taken]

    def _note_an_end(self) -> None:
        if self._closes_at is None:
            self._closes_at = self._clock() + self._seconds

    def _leading(self) -> int:
        """So many have ended, from the first on."""
        return self._entries.index(self._under_way[0]) if self._under_way else len(self._entries)

    def _is_late(self) -> bool:
        return self._closes_at is not None and self._clock() >= self._closes_at


def _run(do: Callable[[], Result], entry: "Future[Result]") -> None:
    try:
        result = do()
    except BaseException as error:  # noqa: BLE001 - whoever waits for it is told
        entry.set_exception(error)
    else:
        entry.set_result(result)
