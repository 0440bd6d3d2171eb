"""The settings of a worker's loop."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from blobforge.domain.ids import WorkerId


class OnTerm(StrEnum):
    """What SIGTERM does to running jobs: release them at once, or finish them within the grace time."""

    RELEASE = "release"
    FINISH = "finish"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopSettings:
    worker_id: WorkerId
    slots: int
    name: str = ""
    """Stays the same over restarts; the id is used where it is empty."""
    prefetch: int = 0
    """At most so many jobs are claimed beyond the slots, so that no child waits for the queue."""
    prefetch_for: timedelta = timedelta(milliseconds=200)
    """Prefetched jobs may last for so long: other workers must not wait for jobs that one hoards."""
    may_oversubscribe: bool = True
    """Whether more jobs than slots may be held while long documents occupy them; they share the slots then."""
    heartbeat: timedelta = timedelta(seconds=60)
    check: timedelta = timedelta(seconds=2)
    poll_interval: timedelta = timedelta(seconds=1)
    """How long an idle worker waits without a wake-up before it polls the queue; doubled by each empty poll."""
    longest_poll_interval: timedelta = timedelta(seconds=4)
    on_term: OnTerm = OnTerm.RELEASE
    grace: timedelta = timedelta(seconds=30)
    abort_outside_window: bool = False
    """Whether running jobs are released when the run windows close, and not finished."""
    report_delay: timedelta = timedelta(milliseconds=50)
    """How long an ending may wait to be reported with others, while the slots have enough to do."""
    release_timeout: timedelta = timedelta(seconds=10)
    """How long the release of jobs is retried at the end when the queue does not answer."""
