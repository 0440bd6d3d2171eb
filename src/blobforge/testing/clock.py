"""A clock that a test advances."""

from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


class FakeClock:
    def __init__(self, start: datetime = START) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def advance(self, **by: float) -> datetime:
        """Takes the arguments of timedelta, and returns the new time."""
        self._now += timedelta(**by)
        return self._now
