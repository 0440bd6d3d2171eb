"""Waiting, threads and nonces, as something that is given: so that a test can run them in virtual time.

Locks are no part of it: whoever holds one does not wait for anything here meanwhile.
"""

from collections.abc import Callable
from types import TracebackType
from typing import Generic, Protocol, TypeVar

Item = TypeVar("Item")


class RuntimeEvent(Protocol):
    def set(self) -> None: ...

    def is_set(self) -> bool: ...

    def wait(self, seconds: float | None = None, /) -> bool:
        """Whether it is set, at the latest after so many seconds."""
        ...


class Condition(Protocol):
    """As `threading.Condition`: all methods are called with it held."""

    def __enter__(self) -> bool: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...

    def wait(self) -> bool: ...

    def notify(self) -> None: ...

    def notify_all(self) -> None: ...


class Inbox(Protocol, Generic[Item]):
    """Messages to one thread, in their order."""

    def put(self, item: Item) -> None:
        """Never blocks, and may be called from a signal handler."""
        ...

    def get(self, seconds: float | None = None) -> Item | None:
        """The next message; None when none has come within so many seconds."""
        ...


class Thread(Protocol):
    def start(self) -> None: ...

    def is_alive(self) -> bool: ...

    def join(self, seconds: float | None = None) -> None:
        """Waits for its end, at most so many seconds. On the thread itself, or before its start, it returns at once."""
        ...


class Runtime(Protocol):
    """What is random, or takes time. What is made by one runtime works only with it."""

    def monotonic(self) -> float:
        """Seconds since some moment; never runs backwards."""
        ...

    def sleep(self, seconds: float) -> None: ...

    def event(self) -> RuntimeEvent: ...

    def condition(self) -> Condition: ...

    def inbox(self) -> Inbox[Item]: ...

    def thread(self, run: Callable[[], object], *, name: str) -> Thread:
        """Not started yet. A daemon: it does not keep the process alive."""
        ...

    def nonce(self, size: int) -> str:
        """So many random bytes, as hexadecimal text."""
        ...
