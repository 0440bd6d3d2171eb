"""Time as a dependency, so that tests can set it."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The time of leases. Where machines share a queue that has a clock, it is the queue's."""

    def now(self) -> datetime:
        """The present in UTC, with its time zone; never runs backwards by more than a correction."""
        ...
