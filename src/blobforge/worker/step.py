"""One request of a job's run, as a task for a slot."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blobforge.domain.errors import ChildError, OutputError
from blobforge.ports.processor import Progress, Slice
from blobforge.worker.child import ChildSpec
from blobforge.worker.messages import Operation, Reply, Request

if TYPE_CHECKING:
    from blobforge.worker.job_run import JobRun


@dataclass(frozen=True, slots=True)
class RunStep:
    """Asks its run what to send when a slot takes it, and not before: by then the run may be aborted."""

    run: "JobRun"
    operation: Operation
    part: Slice | None = None

    @property
    def spec(self) -> ChildSpec:
        return self.run.spec

    @property
    def aborted(self) -> bool:
        return self.run.aborted

    def prepare(self) -> tuple[Request, float] | None:
        return self.run.prepare(self)

    def progress(self, progress: Progress) -> None:
        self.run.progress(self, progress)

    def done(self, reply: Reply) -> None:
        self.run.done(self, reply)

    def died(self, error: ChildError | OutputError) -> None:
        self.run.died(self, error)

    def released(self) -> None:
        self.run.released()
