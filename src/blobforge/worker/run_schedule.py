"""When a worker may take jobs: always, or within its run windows."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from blobforge.domain.run_window import Local, RunWindow, is_open, next_change
from blobforge.ports.clock import Clock

LONGEST_SLEEP = timedelta(minutes=1)
"""A clock that is set while a worker sleeps is noticed within that time."""


def wall_clock(moment: datetime) -> datetime:
    """By the time zone of this machine."""
    return moment.astimezone()


class RunSchedule:
    """Without windows it is always open."""

    def __init__(self, windows: Sequence[RunWindow], *, clock: Clock, local: Local = wall_clock) -> None:
        self.windows = tuple(windows)
        self._clock = clock
        self._local = local

    def is_open(self) -> bool:
        return not self.windows or is_open(self.windows, now=self._clock.now(), local=self._local)

    def opens_at(self) -> datetime | None:
        """The next opening; None while it is open, or where no window ever opens."""
        return None if self.is_open() else self._next_change()

    def seconds_to_sleep(self) -> float:
        """Until the next opening or closing, but no longer than a while."""
        change = self._next_change() if self.windows else None
        until = LONGEST_SLEEP if change is None else min(change - self._clock.now(), LONGEST_SLEEP)
        return max(until.total_seconds(), 0.001)

    def _next_change(self) -> datetime | None:
        return next_change(self.windows, now=self._clock.now(), local=self._local)
