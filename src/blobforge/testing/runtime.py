"""A runtime in virtual time: no test sleeps, and the same test runs in the same order each time.

Threads are real, but only one of them runs at a time, until it waits for something of the runtime. When all of them
wait, the time moves on to the next time-out. The thread that makes a FakeRuntime is one of them.
"""

import threading
from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from types import TracebackType
from typing import Generic, TypeVar

from blobforge.testing.clock import START

Item = TypeVar("Item")

NEVER = float("inf")


class FakeRuntime:
    """A Runtime, and a Clock of the same time. With a `seed`, which thread runs next is drawn by lot."""

    def __init__(self, *, start: datetime = START, seed: int | None = None) -> None:
        self._start = start
        self._seconds = 0.0
        self._lots = None if seed is None else Random(seed)
        self._nonces = 0
        self._main = _Turn()
        self._running = self._main
        self._waiting: list[_Turn] = []

    def monotonic(self) -> float:
        return self._seconds

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._seconds)

    def advance(self, seconds: float) -> None:
        """For tests without threads: the time moves, and nobody else runs."""
        self._seconds += seconds

    def sleep(self, seconds: float) -> None:
        self.wait_for(lambda: False, seconds)

    def event(self) -> "FakeEvent":
        return FakeEvent(self)

    def condition(self) -> "FakeCondition":
        return FakeCondition(self)

    def inbox(self) -> "FakeInbox[Item]":
        return FakeInbox(self)

    def thread(self, run: Callable[[], object], *, name: str) -> "FakeThread":
        return FakeThread(self, run, name)

    def call_later(self, seconds: float, act: Callable[[], object]) -> None:
        """Calls it at that time, on a thread of its own."""

        def later() -> None:
            self.sleep(seconds)
            act()

        self.thread(later, name="later").start()

    def nonce(self, size: int) -> str:
        self._nonces += 1
        return f"{self._nonces:0{2 * size}x}"

    def wait_for(self, is_ready: Callable[[], bool], seconds: float | None = None) -> bool:
        """Lets the others run until it is ready or the time is over, and says which."""
        turn = self._running
        turn.is_ready = is_ready
        turn.deadline = NEVER if seconds is None else self._seconds + max(seconds, 0.0)
        self._waiting.append(turn)
        self._hand_on()
        turn.take()
        if turn.is_stuck:
            turn.is_stuck = False
            raise AssertionError("every thread waits for another one, and none for the time")
        return is_ready()

    def add(self, turn: "_Turn") -> None:
        """A thread that has not run yet."""
        self._waiting.append(turn)

    def leave(self) -> None:
        """The thread that runs has ended."""
        self._hand_on()

    def _hand_on(self) -> None:
        ready = self._ready()
        if not ready:
            next_deadline = min(turn.deadline for turn in self._waiting)
            if next_deadline < NEVER:
                self._seconds = next_deadline
                ready = self._ready()
            else:
                self._main.is_stuck, ready = True, [self._main]
        chosen = ready[0] if self._lots is None else self._lots.choice(ready)
        self._waiting.remove(chosen)
        self._running = chosen
        chosen.give()

    def _ready(self) -> list["_Turn"]:
        """In the order in which they began to wait."""
        return [turn for turn in self._waiting if turn.deadline <= self._seconds or turn.is_ready()]


class _Turn:
    """The right of one thread to run."""

    def __init__(self) -> None:
        self.is_ready: Callable[[], bool] = lambda: True
        self.deadline = NEVER
        self.is_stuck = False
        self._given = threading.Semaphore(0)

    def give(self) -> None:
        self._given.release()

    def take(self) -> None:
        self._given.acquire()


class FakeEvent:
    def __init__(self, runtime: FakeRuntime) -> None:
        self._runtime = runtime
        self._is_set = False

    def set(self) -> None:
        self._is_set = True

    def is_set(self) -> bool:
        return self._is_set

    def wait(self, seconds: float | None = None, /) -> bool:
        return self._runtime.wait_for(self.is_set, seconds)


class FakeCondition:
    """Holding it needs no lock: nobody else runs before it waits."""

    def __init__(self, runtime: FakeRuntime) -> None:
        self._runtime = runtime
        self._sleepers: deque[FakeEvent] = deque()

    def __enter__(self) -> bool:
        return True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Nothing was taken."""

    def wait(self) -> bool:
        self._sleepers.append(woken := self._runtime.event())
        return woken.wait()

    def notify(self) -> None:
        if self._sleepers:
            self._sleepers.popleft().set()

    def notify_all(self) -> None:
        while self._sleepers:
            self.notify()


class FakeInbox(Generic[Item]):
    def __init__(self, runtime: FakeRuntime) -> None:
        self._runtime = runtime
        self._messages: deque[Item] = deque()

    def put(self, item: Item) -> None:
        self._messages.append(item)

    def get(self, seconds: float | None = None) -> Item | None:
        if not self._messages and seconds != 0:
            self._runtime.wait_for(lambda: bool(self._messages), seconds)
        return self._messages.popleft() if self._messages else None


class FakeThread:
    def __init__(self, runtime: FakeRuntime, run: Callable[[], object], name: str) -> None:
        self._runtime = runtime
        self._run = run
        self._turn = _Turn()
        self._thread = threading.Thread(target=self._run_in_turn, name=name, daemon=True)
        self._is_alive = False

    def start(self) -> None:
        self._is_alive = True
        self._runtime.add(self._turn)
        self._thread.start()

    def is_alive(self) -> bool:
        return self._is_alive

    def join(self, seconds: float | None = None) -> None:
        if self._is_alive and threading.current_thread() is not self._thread:
            self._runtime.wait_for(lambda: not self._is_alive, seconds)

    def _run_in_turn(self) -> None:
        self._turn.take()
        try:
            self._run()
        finally:
            self._is_alive = False
            self._runtime.leave()
