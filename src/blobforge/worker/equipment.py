"""What all runs of a job type share: the processor and its child, the sources, and the result store."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from blobforge.domain.endings import Declined
from blobforge.domain.errors import InvalidOptions
from blobforge.domain.job import Failure, Job
from blobforge.domain.json_value import JsonObject
from blobforge.domain.needs import NOTHING
from blobforge.domain.result_record import record_in
from blobforge.ports.processor import DocumentLimits, Processor, Task
from blobforge.worker.child import ChildSpec
from blobforge.worker.order import order_of
from blobforge.worker.results import ResultStore
from blobforge.worker.sources import SourceFinder
from blobforge.worker.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """What every run of a job type needs. `is_shared`: its results are for everyone, and so of whole documents."""

    processor: Processor
    spec: ChildSpec
    results: ResultStore
    sources: SourceFinder
    workspaces: Workspace
    is_shared: bool = False
    reads_secret_files: bool = True
    """Whether orders may name files of this machine, such as one with a password: not those from elsewhere."""
    may_decline: bool = False
    """Whether others take jobs from the same queue, who may have what is missing here."""
    others_have: Callable[[frozenset[str]], bool] = lambda _: False
    """Whether one of them does, now."""

    @property
    def work_folders(self) -> tuple[Path, ...]:
        """Where its documents lie while they are at work: the workspaces, and what children in a sandbox write to."""
        sandbox = self.spec.sandbox
        return (self.workspaces.root, *([Path(sandbox.scratch)] if sandbox is not None and sandbox.scratch else []))

    def task_for(self, job: Job, *, source: Path, workspace: Path) -> Task:
        """What its children are asked to do. Raises SourceUnreadable."""
        order, limits = order_of(job), self.spec.limits
        return Task(
            source=source,
            source_name=Path(job.source_path).name if job.source_path else f"{job.source_hash}.{job.type}",
            source_hash=job.source_hash,
            workspace=workspace,
            options=order.options,
            secrets=order.secrets() if self.reads_secret_files else {},
            may_decline=self.may_decline,
            limits=DocumentLimits(limits.pages, limits.pictures),
        )

    def missing(self, options: JsonObject, code: str) -> frozenset[str]:
        """What another worker may have, where a document of these options was refused here with this code."""
        if not self.may_decline:
            return NOTHING
        try:
            needs = self.processor.needs(options, refused=code)
        except InvalidOptions:
            return NOTHING
        # What is installed and does not work is missing too.
        return (needs - self.processor.has() or needs) if needs else NOTHING

    def left_to_another(self, job: Job, summary: JsonObject) -> Declined | None:
        """Where pages are missing that another worker would read, that one is to do the document."""
        made, options = record_in(summary), order_of(job).options
        needs = NOTHING.union(*(self.missing(options, code) for code in made.codes))
        if not needs or not self.others_have(needs):
            return None
        return Declined(job, needs, Failure(next(iter(made.codes)), f"{made.gaps} here, and another worker has it"))
