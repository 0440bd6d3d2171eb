"""How a worker's loop goes about its work."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from blobforge.domain.ids import WorkerId


class OnTerm(StrEnum):
    """What a signal to end does to running jobs: hand them back at once, or finish them within the grace time."""

    RELEASE = "release"
    FINISH = "finish"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopSettings:
    worker_id: WorkerId
    slots: int
    name: str = ""
    """By which a worker is known over its restarts; its id where that is empty."""
    ahead: int = 0
    """So many jobs at most are claimed beyond what the slots can take, so that no child waits for the queue."""
    ahead_for: timedelta = timedelta(milliseconds=200)
    """For so long the jobs ahead may last: whoever shares the queue shall not wait for those that one worker hoards."""
    may_claim_beside: bool = True
    """Whether more jobs than slots may be held while long documents have them, which then are shared."""
    heartbeat: timedelta = timedelta(seconds=60)
    check: timedelta = timedelta(seconds=2)
    look_again: timedelta = timedelta(seconds=1)
    """How long an idle worker waits without any news before it asks the queue."""
    look_again_most: timedelta = timedelta(seconds=4)
    on_term: OnTerm = OnTerm.RELEASE
    grace: timedelta = timedelta(seconds=30)
    abort_outside_window: bool = False
    """Whether running jobs are handed back when the run windows close, and not finished."""
    gather: timedelta = timedelta(milliseconds=50)
    """How long an ending waits for others, to be reported with them, while the slots have enough to do."""
    give_up: timedelta = timedelta(seconds=10)
    """How long the release of jobs is tried when the queue does not answer."""
