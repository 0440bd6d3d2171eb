"""What one document may cost: time over all its steps, processor time, and children that die on it."""

import threading
from collections.abc import Callable

from blobforge.domain.errors import ChildTimedOut, DocumentCpuLimit
from blobforge.worker.limits import ChildLimits
from blobforge.worker.messages import Operation

MOST_DEATHS_BEFORE_PLAN = 3
"""A processor that knows where the last child died plans around that place."""


class DocumentBudget:
    """Time counts while at least one slot works on the document, and not while it is queued."""

    def __init__(self, limits: ChildLimits, *, monotonic: Callable[[], float]) -> None:
        self._limits = limits
        self._monotonic = monotonic
        self._began = monotonic()
        self._lock = threading.Lock()
        self._at_work = 0
        self._since = 0.0
        self._spent = 0.0
        self._cpu_seconds = 0.0

    @property
    def seconds_since_claim(self) -> float:
        """By this machine: the times of a queue may have whole seconds only."""
        return self._monotonic() - self._began

    def step_begins(self) -> None:
        with self._lock:
            if not self._at_work:
                self._since = self._monotonic()
            self._at_work += 1

    def seconds_left(self) -> float:
        """For a step that has begun. Raises ChildTimedOut, DocumentCpuLimit."""
        with self._lock:
            left = self._limits.timeout_seconds - self._spent - (self._monotonic() - self._since)
        if left <= 0:
            raise self.timed_out()
        self._require_cpu()
        return left

    def step_ends(self) -> None:
        with self._lock:
            self._at_work -= 1
            if not self._at_work:
                self._spent += self._monotonic() - self._since

    def charge(self, cpu_seconds: float) -> None:
        with self._lock:
            self._cpu_seconds += cpu_seconds

    def timed_out(self) -> ChildTimedOut:
        most = self._limits.timeout_seconds
        return ChildTimedOut(f"it took longer than {most:g} s, which is what conversion_timeout_seconds allows")

    def _require_cpu(self) -> None:
        most = self._limits.document_cpu_seconds
        if self._cpu_seconds > most:
            raise DocumentCpuLimit(
                f"it took {self._cpu_seconds:.0f} s of processor time and is not done; "
                f"conversion_cpu_seconds allows {most:g}"
            )


def is_last_try(operation: Operation, deaths: int) -> bool:
    """Whether the document is given up after so many children died on it, the last one during this operation."""
    return operation is Operation.JOIN or (operation is Operation.PLAN and deaths > MOST_DEATHS_BEFORE_PLAN)
