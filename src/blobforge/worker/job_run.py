"""One job on its way through the slots: cut into slices, mended where children die, joined, put on the shelf.

convert ──► product                                   a small document: one errand
   └─────► plan ──► run, run, run … ──► join ──► product
                      └─ a child died: the slice is halved, down to the page that kills it
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from blobforge.domain.endings import Completed, Ending, Failed
from blobforge.domain.errors import BlobForgeError, ChildError, ChildTimedOut, WorkGivenUp
from blobforge.domain.ids import RecipeId
from blobforge.domain.job import Failure, Job
from blobforge.domain.json_value import canonical_json
from blobforge.ports.processor import Gap, Plan, Processor, Progress, Slice, Task
from blobforge.worker.child import ChildSpec
from blobforge.worker.messages import Operation, Planned, Produced, Refused, Reply, Request, SliceDone
from blobforge.worker.order import Order, order_of
from blobforge.worker.results import ResultShelf
from blobforge.worker.sources import SourceFinder
from blobforge.worker.workspace import Workspace

MOST_DEATHS = 12
"""So many children may die on one document; after that what is left of the slice is given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """What every run of a job type needs."""

    processor: Processor
    spec: ChildSpec
    shelf: ResultShelf
    sources: SourceFinder
    workspaces: Workspace


class JobRun:
    """Its methods are called from slot threads; `on_end` hears exactly once how it went, unless it was aborted."""

    def __init__(
        self,
        job: Job,
        equipment: Equipment,
        *,
        rank: int,
        put: Callable[["Step", int], None],
        on_end: Callable[["JobRun", Ending, str], None],
        on_progress: Callable[[Job, Progress], None],
    ) -> None:
        self.job = job
        self._equipment = equipment
        self._rank = rank
        self._put = put
        self._on_end = on_end
        self._on_progress = on_progress
        self._lock = threading.Lock()
        self._deadline = time.monotonic() + equipment.spec.limits.timeout_seconds
        self._ended = threading.Event()
        self._workspace: Path | None = None
        self._task: Task | None = None
        self._recipe_id: RecipeId | None = None
        self._plan: Plan | None = None
        self._open: set[Slice] = set()
        self._gaps: list[Gap] = []
        self._deaths = 0
        self._units_done: dict[Slice, int] = {}

    @property
    def aborted(self) -> bool:
        """Also true once it has ended: whatever of it is still in the line is not wanted."""
        return self._ended.is_set()

    @property
    def spec(self) -> ChildSpec:
        return self._equipment.spec

    def start(self) -> None:
        self._put(Step(self, Operation.CONVERT), self._rank)

    def abort(self) -> None:
        """Nothing is reported any more; who calls it sees to the job and to the children."""
        self._ended.set()

    def clean_up(self) -> None:
        if self._workspace is not None:
            self._equipment.workspaces.remove(self._workspace)

    # What the steps ask for

    def prepare(self, step: "Step") -> tuple[Request, float] | None:
        try:
            if self._task is None and not self._begin():
                return None
        except BlobForgeError as error:
            self._fail(error)
            return None
        seconds = self._deadline - time.monotonic()
        if seconds <= 0:
            self._fail(ChildTimedOut(f"it took longer than {self.spec.limits.timeout_seconds:g} s"))
            return None
        assert self._task is not None, "a run that has begun has its task"
        gaps = tuple(sorted(self._gaps)) if step.operation is Operation.JOIN else ()
        return Request(step.operation, self._task, self._plan, step.part, gaps), seconds

    def progress(self, step: "Step", progress: Progress) -> None:
        if step.part is not None and self._plan is not None:
            with self._lock:
                self._units_done[step.part] = progress.current
                progress = Progress(progress.stage, sum(self._units_done.values()), self._plan.units)
        self._on_progress(self.job, progress)

    def done(self, reply: Reply) -> None:
        match reply.answer:
            case Produced() as made:
                self._finish(made)
            case Planned(plan):
                self._plan = plan
                # After a death the plan comes with the slices to try: smaller ones.
                self._run_all(_halves(plan.slices) if self._deaths else plan.slices)
            case SliceDone(part):
                self._slice_done(part)
            case Refused(failure, details, _):
                self._end(Failed(self.job, failure), details)

    def died(self, step: "Step", error: ChildError) -> None:
        if self.aborted or isinstance(error, WorkGivenUp):
            return
        self._deaths += 1
        if isinstance(error, ChildTimedOut) or step.operation in (Operation.PLAN, Operation.JOIN):
            self._fail(error)
        elif step.operation is Operation.CONVERT:
            self._put(Step(self, Operation.PLAN), self._rank)
        else:
            assert step.part is not None, "a run has its slice"
            self._mend(step.part, error)

    # How it goes on

    def _begin(self) -> bool:
        """Finds the source and makes room; False when the result is on the shelf already."""
        job, equipment = self.job, self._equipment
        order = order_of(job)
        recipe = equipment.processor.recipe(order.options)
        self._recipe_id = recipe.id
        found = equipment.shelf.find(job.source_hash, recipe.id)
        if found is not None and not self._would_gain(found.codes, order):
            self._end(Completed(job, canonical_json({**found.summary, "key": found.key, "recipe": recipe.id})))
            return False
        self._workspace = equipment.workspaces.create(job)
        self._task = Task(
            source=equipment.sources.locate(job, self._workspace),
            source_name=Path(job.source_path).name if job.source_path else f"{job.source_hash}.{job.type}",
            source_hash=job.source_hash,
            workspace=self._workspace,
            options=order.options,
            secrets=order.secrets(),
        )
        return True

    def _would_gain(self, codes: Sequence[str], order: Order) -> bool:
        """Whether another try would convert what failed in the stored result."""
        return bool(codes) and not self._equipment.processor.mended(order.options).isdisjoint(codes)

    def _run_all(self, parts: Sequence[Slice]) -> None:
        with self._lock:
            self._open.update(parts)
        for part in parts:
            self._put(Step(self, Operation.RUN, part), self._rank)

    def _slice_done(self, part: Slice) -> None:
        with self._lock:
            self._units_done[part] = part.last - part.first + 1
            self._open.discard(part)
            if self._open:
                return
        self._join()

    def _mend(self, part: Slice, error: ChildError) -> None:
        """Halves a slice that killed its child; a single page that does is a gap."""
        with self._lock:
            self._open.discard(part)
            self._units_done.pop(part, None)
            halves = _halves([part]) if self._deaths <= MOST_DEATHS else [part]
            if halves == [part]:
                self._gaps.append(Gap(part, error.code, str(error)))
            if halves == [part] and self._open:
                return
        if halves == [part]:
            self._join()
        else:
            self._run_all(halves)

    def _join(self) -> None:
        assert self._plan is not None, "slices come from a plan"
        lost = sum(gap.slice.last - gap.slice.first + 1 for gap in self._gaps)
        if lost == self._plan.units:
            # Nothing is left of it: that is a failed document, not a converted one with gaps.
            gap = self._gaps[0]
            self._end(Failed(self.job, Failure(gap.code, gap.message, retryable=True)))
        else:
            self._put(Step(self, Operation.JOIN), self._rank)

    def _finish(self, made: Produced) -> None:
        assert self._recipe_id is not None, "a run that has begun has its recipe"
        try:
            record = self._equipment.shelf.put(self.job.source_hash, self._recipe_id, made)
        except BlobForgeError as error:
            self._fail(error)
            return
        result = canonical_json({**made.product.summary, "key": record.key, "recipe": self._recipe_id})
        self._end(Completed(self.job, result, (record,)))

    def _fail(self, error: BlobForgeError) -> None:
        self._end(Failed(self.job, Failure(error.code, str(error), error.retryable)))

    def _end(self, ending: Ending, details: str = "") -> None:
        with self._lock:
            if self._ended.is_set():
                return
            self._ended.set()
        self._on_end(self, ending, details)


@dataclass(frozen=True, slots=True)
class Step:
    """One errand of a run."""

    run: JobRun
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
        self.run.done(reply)

    def died(self, error: ChildError) -> None:
        self.run.died(self, error)


def _halves(parts: Sequence[Slice]) -> list[Slice]:
    halves: list[Slice] = []
    for first, last in parts:
        middle = (first + last) // 2
        halves += [Slice(first, middle), Slice(middle + 1, last)] if first < last else [Slice(first, last)]
    return halves
