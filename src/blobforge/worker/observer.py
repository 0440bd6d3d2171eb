"""The observer of a worker's loop, and the tally of what the loop did."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from blobforge.domain.endings import Completed, Ending, Failed
from blobforge.domain.errors import BlobForgeError, DiskFull, JobCancelled, StoreUnavailable
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job
from blobforge.domain.result_record import result_record
from blobforge.ports.processor import Progress


class WorkerObserver(Protocol):
    """Observes a worker's loop. Progress is reported on slot threads, everything else on the loop's."""

    def claimed(self, job: Job) -> None: ...

    def progressed(self, job: Job, progress: Progress) -> None: ...

    def ended(self, outcomes: Sequence[tuple[Ending, Job | BlobForgeError]]) -> None:
        """Those that ended in one step, each with the job as the queue has it now, or LeaseLost."""
        ...

    def waiting(self, problem: StoreUnavailable | DiskFull) -> None:
        """The queue or the store does not answer, or a disk is full; the worker keeps retrying."""
        ...


@dataclass(slots=True)
class Tally:
    """`gaps` are those of the completed ones whose result misses pages, `doubts` those of repaired files or with
    doubtful pages; `failed` are documents, and not attempts: one that failed and was done after all is a completed
    one; `lost` are those that another worker has now."""

    completed: int = 0
    failed: int = 0
    lost: int = 0
    cancelled: int = 0
    released: int = 0
    gaps: int = 0
    interrupted: bool = field(default=False, compare=False)
    """Somebody ended it before its work was done."""
    doubts: int = 0
    _failing: set[JobId] = field(default_factory=set, compare=False)

    @property
    def is_whole(self) -> bool:
        """Whether nothing of what it did is missing."""
        return not self.failed and not self.gaps

    def count(self, ending: Ending, outcome: Job | BlobForgeError) -> None:
        if isinstance(outcome, JobCancelled):
            self.cancelled += 1
        elif not isinstance(outcome, Job):
            self.lost += 1
        elif isinstance(ending, Completed):
            self.completed += 1
            record = result_record(outcome)
            self.gaps += record.has_gaps
            self.doubts += record.has_doubts
            self._failing.discard(outcome.id)
        elif isinstance(ending, Failed):
            self._failing.add(outcome.id)
        else:
            self.released += 1
        self.failed = len(self._failing)
