"""A wake-up says that there may be new jobs. It may come too often, and it may be lost, without harm."""

from collections.abc import Callable
from typing import Protocol


class Subscription(Protocol):
    def close(self) -> None:
        """No call of the listener begins after this returns. Closing twice is no error."""
        ...


class Wakeup(Protocol):
    """Never relied on: who misses one finds the job at the next poll."""

    def subscribe(self, listener: Callable[[], None]) -> Subscription:
        """Calls the listener, on a thread of its own, when something may have changed since this call."""
        ...
