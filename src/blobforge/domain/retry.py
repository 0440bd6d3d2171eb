"""The back-off of a failed job."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Exponential back-off with jitter, so that jobs that failed together do not return together."""

    first: timedelta = timedelta(seconds=10)
    factor: float = 3.0
    longest: timedelta = timedelta(minutes=15)
    jitter: float = 0.25

    def delay(self, attempts: int, *, roll: float) -> timedelta:
        """The back-off after that many attempts; `roll` in [0, 1) is the caller's random number."""
        steps = max(attempts - 1, 0)
        try:
            plain = min(self.first * self.factor**steps, self.longest)
        except OverflowError:
            plain = self.longest
        return plain * (1 + self.jitter * (2 * roll - 1))
