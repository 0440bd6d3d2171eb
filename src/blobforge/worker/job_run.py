"""One job on its way through the slots: cut into slices, mended where children die, joined, put on the shelf.

convert ──► product                                   a small document: one errand
   └─────► plan ──► run, run, run … ──► join ──► product
                      └─ a child died: the slice is halved, down to the page that kills it
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from blobforge.domain.endings import Completed, Ending, Failed, Released
from blobforge.domain.errors import (
    BlobForgeError,
    ChildError,
    ChildTimedOut,
    MemoryLimit,
    OutputLimit,
    ProcessingError,
    SourceChanged,
    StoreUnavailable,
    WorkGivenUp,
)
from blobforge.domain.ids import RecipeId
from blobforge.domain.job import Failure, Job
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.ports.processor import Gap, Plan, Processor, Progress, Slice, Task
from blobforge.worker.child import ChildSpec
from blobforge.worker.messages import Operation, Planned, Produced, Refused, Reply, Request, SliceDone
from blobforge.worker.order import Order, order_of
from blobforge.worker.results import ResultShelf
from blobforge.worker.sources import SourceFinder
from blobforge.worker.telling import storable, without
from blobforge.worker.workspace import Workspace

MOST_DEATHS = 12
"""So many children may die on one document; after that what is left of the slice is given up."""

_LIMITS: dict[str, type[ChildError]] = {error.code: error for error in (MemoryLimit, OutputLimit)}
"""A child that lived to tell that it came to one of these fares no better than one that died of it."""


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
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.job = job
        self._equipment = equipment
        self._rank = rank
        self._put = put
        self._on_end = on_end
        self._on_progress = on_progress
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._deadline = 0.0
        self._workspace: Path | None = None
        self._in_hand = 0
        self._discarded = False
        self._task: Task | None = None
        self._source_stamp: tuple[int, int] | None = None
        self._recipe_id: RecipeId | None = None
        self._plan: Plan | None = None
        self._open: set[Slice] = set()
        self._gaps: list[Gap] = []
        self._deaths = 0
        self._stage = "fetch"
        self._in_peace = False
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
        """Nothing is reported after this; who calls it sees to the job and to the children."""
        with self._lock:
            self._ended.set()

    def clean_up(self) -> None:
        """Removes what it worked in, as soon as no slot is busy with it."""
        with self._lock:
            self._discarded = True
            is_idle = not self._in_hand
        if is_idle:
            self._leave_workspace()

    # What the steps ask for

    def prepare(self, step: "Step") -> tuple[Request, float] | None:
        with self._lock:
            self._in_hand += 1
        if self.aborted or not self._is_ready():
            return None
        assert self._task is not None, "a run that has begun has its task"
        self._stage = step.operation.value
        seconds = self._deadline - self._monotonic()
        if seconds <= 0:
            self._fail(ChildTimedOut(f"it took longer than {self.spec.limits.timeout_seconds:g} s"))
            return None
        gaps = tuple(sorted(self._gaps)) if step.operation is Operation.JOIN else ()
        return Request(step.operation, self._task, self._plan, step.part, gaps), seconds

    def progress(self, step: "Step", progress: Progress) -> None:
        self._stage = progress.stage
        if step.part is not None and self._plan is not None:
            with self._lock:
                self._units_done[step.part] = progress.current
                progress = Progress(progress.stage, sum(self._units_done.values()), self._plan.units)
        self._on_progress(self.job, progress)

    def done(self, step: "Step", reply: Reply) -> None:
        if self.aborted:
            return  # somebody else has the job now: it is theirs to publish
        with self._counting_faults():
            match reply.answer:
                case Produced() as made:
                    self._finish(made)
                case Planned(plan):
                    self._plan = plan
                    # After a death the plan comes with the slices to try: smaller ones.
                    self._run_all(_halves(plan.slices) if self._deaths else plan.slices)
                case SliceDone(part):
                    self._slice_done(part)
                case Refused(failure, details, _) if failure.code not in _LIMITS:
                    self._end(Failed(self.job, failure._replace(page=failure.page or _only_page(step.part))), details)
                case Refused(failure, _, _):
                    self.died(step, _LIMITS[failure.code](failure.message))

    def died(self, step: "Step", error: ChildError) -> None:
        if self.aborted or isinstance(error, WorkGivenUp):
            return
        with self._lock:
            self._deaths += 1
        if isinstance(error, ChildTimedOut) or step.operation in (Operation.PLAN, Operation.JOIN):
            self._fail(error)
        elif step.operation is Operation.CONVERT:
            self._put(Step(self, Operation.PLAN), self._rank)
        else:
            assert step.part is not None, "a run has its slice"
            self._mend(step.part, error)

    def left(self) -> None:
        with self._lock:
            self._in_hand -= 1
            is_over = self._discarded and not self._in_hand
        if is_over:
            self._leave_workspace()

    # How it goes on

    def _is_ready(self) -> bool:
        """Begins it at its first step; False when it has ended with that."""
        if self._task is not None:
            return True
        with self._counting_faults():
            try:
                return self._begin()
            except StoreUnavailable as error:
                self._hand_back(error)
            except BlobForgeError as error:
                self._fail(error)
        return False

    def _begin(self) -> bool:
        """Finds the source and makes room; False when the result is on the shelf already."""
        # Now, and not at the claim: it may have waited in the line behind a long document.
        self._deadline = self._monotonic() + self.spec.limits.timeout_seconds
        job, equipment = self.job, self._equipment
        order = order_of(job)
        recipe = equipment.processor.recipe(order.options)
        self._recipe_id = recipe.id
        found = equipment.shelf.find_for(job, recipe.id)
        if found is not None and not self._would_gain(found.codes, order):
            self._end(Completed(job, _result(found.summary, found.key, recipe.id)))
            return False
        self._workspace = equipment.workspaces.take()
        source = equipment.sources.locate(job, self._workspace)
        self._source_stamp = _stamp(source)
        self._task = Task(
            source=source,
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
        self._put_runs(parts)
        if not parts:
            self._join()

    def _put_runs(self, parts: Sequence[Slice]) -> None:
        for part in parts:
            self._put(Step(self, Operation.RUN, part), self._rank)

    def _slice_done(self, part: Slice) -> None:
        with self._lock:
            self._units_done[part] = part.last - part.first + 1
            self._open.discard(part)
            is_last = not self._open
        if is_last:
            self._join()

    def _mend(self, part: Slice, error: ChildError) -> None:
        """Halves a slice that killed its child; a single page that does is a gap."""
        # In one step: while a slice is neither open nor a gap, another slot would take its own for the last.
        with self._lock:
            self._open.discard(part)
            self._units_done.pop(part, None)
            halves = _halves([part]) if self._deaths <= MOST_DEATHS and part.first < part.last else []
            self._open.update(halves)
            if not halves:
                self._gaps.append(Gap(part, error.code, self._telling(str(error))))
            is_last = not self._open
        self._put_runs(halves)
        if is_last:
            self._join()

    def _join(self) -> None:
        assert self._plan is not None, "slices come from a plan"
        lost = sum(gap.slice.last - gap.slice.first + 1 for gap in self._gaps)
        if self._gaps and lost == self._plan.units:
            # Nothing is left of it: that is a failed document, not a converted one with gaps.
            gap = self._gaps[0]
            self._end(Failed(self.job, Failure(gap.code, gap.message, retryable=True, page=_only_page(gap.slice))))
        else:
            self._put(Step(self, Operation.JOIN), self._rank)

    def _finish(self, made: Produced) -> None:
        assert self._recipe_id is not None, "a run that has begun has its recipe"
        try:
            self._check(made)
            record = self._equipment.shelf.put(self.job.source_hash, self._recipe_id, made)
        except StoreUnavailable as error:
            self._hand_back(error)
            return
        except BlobForgeError as error:
            self._fail(error)
            return
        self._in_peace = not self._deaths
        self._end(Completed(self.job, _result(made.product.summary, record.key, self._recipe_id), (record,)))

    def _check(self, made: Produced) -> None:
        """Raises ProcessingError, SourceChanged."""
        assert self._task is not None, "a run that has begun has its task"
        archive = made.product.archive
        # The store takes the file away from where it lies: that must not be somebody's own.
        if archive.is_symlink() or not _is_within(archive, self._task.workspace):
            raise ProcessingError(f"the processor left its result outside its workspace, in {archive}")
        if _stamp(self._task.source) not in (None, self._source_stamp):
            raise SourceChanged(f"{self._task.source} was changed while it was read; submit it again")

    def _hand_back(self, error: StoreUnavailable) -> None:
        """A blob store that is away is not the document's fault: it costs no attempt."""
        self._end(Released(self.job), str(error))

    def _fail(self, error: BlobForgeError) -> None:
        self._end(Failed(self.job, Failure(error.code, str(error), error.retryable)))

    def _end(self, ending: Ending, details: str = "") -> None:
        if isinstance(ending, Failed):
            failure = ending.failure
            told = failure._replace(message=self._telling(failure.message), stage=failure.stage or self._stage)
            ending = Failed(self.job, told)
        # Told before the lock is given back: who aborts it knows then that no word is under way.
        with self._lock:
            if not self._ended.is_set():
                self._ended.set()
                self._on_end(self, ending, self._telling(details))

    def _telling(self, text: str) -> str:
        return storable(without(text, self._task.secrets.values() if self._task is not None else ()))

    @contextmanager
    def _counting_faults(self) -> Iterator[None]:
        """A fault of ours costs an attempt, or the job would come back for ever and end one worker after another."""
        try:
            yield
        except Exception as error:
            self._end(Failed(self.job, Failure(BlobForgeError.code, f"{type(error).__name__}: {error}", True)))
            raise

    def _leave_workspace(self) -> None:
        """Once: it may be another's right after."""
        with self._lock:
            workspace, self._workspace = self._workspace, None
        if workspace is not None:
            self._equipment.workspaces.give_back(workspace, in_peace=self._in_peace)


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
        self.run.done(self, reply)

    def died(self, error: ChildError) -> None:
        self.run.died(self, error)

    def left(self) -> None:
        self.run.left()


def _only_page(part: Slice | None) -> int | None:
    return part.first if part is not None and part.first == part.last else None


def _halves(parts: Sequence[Slice]) -> list[Slice]:
    halves: list[Slice] = []
    for first, last in parts:
        middle = (first + last) // 2
        halves += [Slice(first, middle), Slice(middle + 1, last)] if first < last else [Slice(first, last)]
    return halves


def _result(summary: JsonObject, key: str, recipe_id: RecipeId) -> str:
    return storable(canonical_json({**summary, "key": key, "recipe": recipe_id}), most=None)


def _is_within(path: Path, folder: Path) -> bool:
    # Right beneath it, as almost always, is plain to see.
    return path.parent == folder or path.resolve().is_relative_to(folder.resolve())


def _stamp(path: Path) -> tuple[int, int] | None:
    """By which a file is known to be the same as before; None when it is gone."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_size, facts.st_mtime_ns
