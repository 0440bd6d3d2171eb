"""What is told of a place that does not answer or has no room: at once, then ever more seldom, and when it is back."""

import time
from collections.abc import Callable

from blobforge.telemetry.lazy import LazyLogger

log = LazyLogger(__name__)

FIRST_SECONDS = 10.0
LONGEST_SECONDS = 600.0


class Outage:
    """Of one place, as one thread sees it."""

    def __init__(
        self,
        place: str,
        *,
        lacks: str = "does not answer",
        has: str = "answers again",
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        # Fixed phrases, one for each place.
        self._begins = f"{place} {lacks}; waiting"
        self._lasts = f"{place} still {lacks}; waiting"
        self._ends = f"{place} {has}"
        self._seconds = seconds
        self._since: float | None = None
        self._tell_at = 0.0
        self._wait = FIRST_SECONDS

    def goes_on(self, problem: Exception) -> None:
        now = self._seconds()
        if self._since is None:
            self._since, self._wait = now, FIRST_SECONDS
            log.warning(self._begins, error=str(problem))
        elif now >= self._tell_at:
            self._wait = min(self._wait * 2, LONGEST_SECONDS)
            away = round(now - self._since)
            log.warning(self._lasts, error=str(problem), seconds=away)
        else:
            return
        self._tell_at = now + self._wait

    def is_over(self) -> None:
        """No news for who was told of no outage."""
        if self._since is not None:
            log.info(self._ends, seconds=round(self._seconds() - self._since))
            self._since = None
