"""Who looks on while a worker works, and what it counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from blobforge.domain.endings import Completed, Ending, Failed
from blobforge.domain.errors import BlobForgeError, StoreUnavailable
from blobforge.domain.job import Job
from blobforge.ports.processor import Progress


class Watcher(Protocol):
    """Who wants to know how the work goes. Progress comes from slot threads, the rest from the loop's."""

    def claimed(self, job: Job) -> None: ...

    def progressed(self, job: Job, progress: Progress) -> None: ...

    def ended(self, outcomes: Sequence[tuple[Ending, Job | BlobForgeError]]) -> None:
        """Those that ended in one step, each with the job as the queue has it now, or LeaseLost."""
        ...

    def waiting(self, problem: StoreUnavailable) -> None:
        """The queue does not answer; the loop asks it again and again."""
        ...


@dataclass(slots=True)
class Tally:
    completed: int = 0
    failed: int = 0
    lost: int = 0
    released: int = 0

    def count(self, ending: Ending, outcome: Job | BlobForgeError) -> None:
        if not isinstance(outcome, Job):
            self.lost += 1
        elif isinstance(ending, Completed):
            self.completed += 1
        elif isinstance(ending, Failed):
            self.failed += 1
        else:
            self.released += 1
