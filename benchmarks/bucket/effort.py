"""How much is measured: all that a figure needs, or little, to see that everything still runs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    backlog: int
    """Jobs that wait while the cost of one is counted."""
    crowd: int
    """Jobs that many workers share."""
    idle_minutes: int
    files: int
    real_jobs: int


FULL = Effort(backlog=10_000, crowd=50_000, idle_minutes=60, files=10_000, real_jobs=2_000)
QUICK = Effort(backlog=10_000, crowd=4_000, idle_minutes=20, files=1_000, real_jobs=100)
