"""Logs an outage: when it begins, then with a growing interval, and when it is over."""

from collections.abc import Callable

from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.telemetry.lazy import LazyLogger

log = LazyLogger(__name__)

FIRST_SECONDS = 10.0
LONGEST_SECONDS = 600.0


class Outage:
    """Of one service or disk. Not thread-safe."""

    def __init__(
        self,
        place: str,
        *,
        lacks: str = "does not answer",
        has: str = "answers again",
        seconds: Callable[[], float] = SYSTEM_RUNTIME.monotonic,
    ) -> None:
        # Fixed event phrases, one set for each place.
        self._begins = f"{place} {lacks}; waiting"
        self._lasts = f"{place} still {lacks}; waiting"
        self._ends = f"{place} {has}"
        self._seconds = seconds
        self._since: float | None = None
        self._next_log_at = 0.0
        self._wait = FIRST_SECONDS

    def goes_on(self, problem: Exception) -> None:
        now = self._seconds()
        if self._since is None:
            self._since, self._wait = now, FIRST_SECONDS
            log.warning(self._begins, error=str(problem))
        elif now >= self._next_log_at:
            self._wait = min(self._wait * 2, LONGEST_SECONDS)
            away = round(now - self._since)
            log.warning(self._lasts, error=str(problem), seconds=away)
        else:
            return
        self._next_log_at = now + self._wait

    def is_over(self) -> None:
        """Logs nothing where no outage was logged."""
        if self._since is not None:
            log.info(self._ends, seconds=round(self._seconds() - self._since))
            self._since = None
