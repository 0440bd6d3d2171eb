"""One job on its way through the slots: cut into slices, mended where children die, joined, put in the result store.

convert ──► product                                   a small document: one errand
   └─────► plan ──► run, run, run … ──► join ──► product
                      └─ a child died: the slice is halved, down to the page that kills it
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from blobforge.domain.endings import Declined, Ending, Failed, Released
from blobforge.domain.error_codes import all_errors
from blobforge.domain.errors import (
    BlobForgeError,
    ChildError,
    ChildMisbehaved,
    ChildTimedOut,
    DiskFull,
    MemoryLimit,
    OutputError,
    OutputLimit,
    ProcessingError,
    SourceError,
    StoreUnavailable,
    TooManyPages,
    WorkGivenUp,
)
from blobforge.domain.job import Failure, Job
from blobforge.domain.recipe import Recipe, require_whole_document
from blobforge.ports.processor import Gap, Plan, Product, Progress, Slice, Task
from blobforge.worker.acceptance import accept
from blobforge.worker.budget import DocumentBudget
from blobforge.worker.child import ChildSpec
from blobforge.worker.deaths import is_last_try
from blobforge.worker.disk_space import DiskSpace
from blobforge.worker.equipment import Equipment
from blobforge.worker.messages import Operation, Planned, Produced, Refused, Reply, Request, SliceDone
from blobforge.worker.order import Order, order_of
from blobforge.worker.slicing import halves, only_page
from blobforge.worker.staging import require_same
from blobforge.worker.storable_text import foreign, storable
from blobforge.worker.workspace import stamp

MOST_DEATHS = 12
"""So many children may die on one document; after that what is left of the slice is given up."""
_OWN_WORDS = frozenset(code for code, error in all_errors().items() if issubclass(error, SourceError))
Done = TypeVar("Done")
_LIMITS: dict[str, type[ChildError]] = {error.code: error for error in (MemoryLimit, OutputLimit)}
"""A child that lived to tell that it came to one of these fares no better than one that died of it."""


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
        room: DiskSpace | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`room` waits for a full disk; without it, the document fails."""
        self.job = job
        self._equipment = equipment
        self._rank = rank
        self._put = put
        self._on_end = on_end
        self._on_progress = on_progress
        self._room = room
        self._budget = DocumentBudget(equipment.spec.limits, monotonic=monotonic)
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._workspace: Path | None = None
        self._in_hand = 0
        self._discarded = False
        self._task: Task | None = None
        self._source_stamp: tuple[int, int] | None = None
        self._recipe: Recipe | None = None
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
        self._budget.step_begins()
        with self._lock:
            self._in_hand += 1
        if self.aborted or not self._is_ready():
            return None
        assert self._task is not None, "a run that has begun has its task"
        self._stage = step.operation.value
        try:
            seconds = self._budget.seconds_left()
        except ProcessingError as error:
            self._fail(error)
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
        """Raises ChildMisbehaved where the answer cannot be believed."""
        self._budget.charge(reply.cpu_seconds)
        if self.aborted:
            return  # somebody else has the job now: it is theirs to publish
        with self._counting_faults():
            match reply.answer:
                case Produced(product):
                    self._finish(product)
                case Planned(plan):
                    self._planned(plan)
                case SliceDone(part):
                    self._slice_done(part)
                case Refused(failure, details, _) if failure.code not in _LIMITS:
                    self._refused(failure._replace(page=failure.page or only_page(step.part)), details)
                case Refused(failure, _, _):
                    self.died(step, _LIMITS[failure.code](failure.message))

    def died(self, step: "Step", error: ChildError | OutputError) -> None:
        if self.aborted or isinstance(error, WorkGivenUp):
            return
        with self._lock:
            self._deaths += 1
        if isinstance(error, ChildTimedOut):
            self._fail(self._budget.timed_out())
        elif isinstance(error, DiskFull):
            self._hand_back(error)
        elif isinstance(error, OutputError) or is_last_try(step.operation, self._deaths) or self._is_lost():
            self._fail(error)
        elif step.operation in (Operation.CONVERT, Operation.PLAN):
            self._put(Step(self, Operation.PLAN), self._rank)
        else:
            assert step.part is not None, "a run has its slice"
            self._mend(step.part, error)

    def _is_lost(self) -> bool:
        """Whether a child took the document with it that it was to convert."""
        return self._task is not None and self._source_stamp is not None and stamp(self._task.source) is None

    def left(self) -> None:
        self._budget.step_ends()
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
        """Finds the source and makes room; False when the result is in the result store already."""
        job, equipment = self.job, self._equipment
        order = order_of(job)
        recipe = equipment.processor.recipe(order.options)
        if equipment.is_shared:
            again = f"give it another order: blobforge reprocess '#{job.id}'"
            require_whole_document(recipe, instead=again)
        self._recipe = recipe
        found = equipment.results.find_for(job, recipe.id)
        if found is not None and not self._would_gain(found.codes, order):
            self._end(found.completed(job, recipe))
            return False
        self._workspace = workspace = self._with_room(equipment.workspaces.take)
        source = self._with_room(lambda: equipment.sources.locate(job, workspace))
        self._source_stamp = stamp(source)
        self._task = equipment.task_for(job, source=source, workspace=workspace)
        return True

    def _planned(self, plan: Plan) -> None:
        assert self._task is not None, "a run that has begun has its task"
        try:
            self._task.limits.require_pages(self._task.source_name, plan.units)
        except TooManyPages as error:
            self._fail(error)
            return
        self._plan = plan
        # After a death the plan comes with the slices to try: smaller ones.
        self._run_all(halves(plan.slices) if self._deaths else plan.slices)

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
            smaller = halves([part]) if self._deaths <= MOST_DEATHS and part.first < part.last else []
            self._open.update(smaller)
            if not smaller:
                self._gaps.append(Gap(part, error.code, storable(self._foreign(str(error)))))
            is_last = not self._open
        self._put_runs(smaller)
        if is_last:
            self._join()

    def _join(self) -> None:
        assert self._plan is not None, "slices come from a plan"
        lost = sum(gap.slice.last - gap.slice.first + 1 for gap in self._gaps)
        if self._gaps and lost == self._plan.units:
            # Nothing is left of it: that is a failed document, not a converted one with gaps.
            gap = self._gaps[0]
            self._end(Failed(self.job, Failure(gap.code, gap.message, retryable=True, page=only_page(gap.slice))))
        else:
            self._put(Step(self, Operation.JOIN), self._rank)

    def _finish(self, product: Product) -> None:
        """Raises ChildMisbehaved."""
        assert self._recipe is not None, "a run that has begun has its recipe"
        assert self._task is not None, "and its task"
        try:
            require_same(self._task.source, self._source_stamp)
            made = self._with_room(partial(accept, product, workspace=self._task.workspace))
            ending: Ending | None = self._equipment.left_to_another(self.job, made.summary)
            completed = partial(self._equipment.results.completed, self.job, self._recipe, made)
            ending = ending or self._with_room(completed)
        except ChildMisbehaved:
            raise
        except StoreUnavailable as error:
            self._hand_back(error)
            return
        except BlobForgeError as error:
            self._fail(error)
            return
        self._in_peace = not self._deaths
        self._end(ending)

    def _with_room(self, act: Callable[[], Done]) -> Done:
        """A full disk is not the document's fault either, and what is made is kept until there is room."""
        return act() if self._room is None else self._room.retry_until_free(act, rest=self._rest)

    def _rest(self, seconds: float) -> bool:
        """True when it was given up. What others have to mend does not count as the document's time."""
        self._budget.step_ends()
        try:
            return self._ended.wait(seconds)
        finally:
            self._budget.step_begins()

    def _hand_back(self, error: StoreUnavailable | DiskFull) -> None:
        """A blob store that is away or a disk that is full is not the document's fault: it costs no attempt."""
        self._end(Released(self.job), str(error))

    def _fail(self, error: BlobForgeError) -> None:
        again = error.retryable or (isinstance(error, ChildTimedOut) and self.spec.limits.retry_timed_out)
        self._refused(Failure(error.code, str(error), again))

    def _refused(self, failure: Failure, details: str = "") -> None:
        """It failed; unless another worker has what is missing here."""
        needs = self._equipment.missing(order_of(self.job).options, failure.code)
        self._end(Declined(self.job, needs, failure) if needs else Failed(self.job, failure), details)

    def _end(self, ending: Ending, details: str = "") -> None:
        if isinstance(ending, Failed | Declined):
            failure = ending.failure
            # Our own messages hold no secret, and may hold a word that is one.
            message = self._foreign(failure.message) if failure.code not in _OWN_WORDS else failure.message
            told = failure._replace(message=storable(message), stage=failure.stage or self._stage)
            ending = ending._replace(failure=told)
        # Told before the lock is given back: who aborts it knows then that no word is under way.
        with self._lock:
            if not self._ended.is_set():
                self._ended.set()
                self._on_end(self, ending, storable(self._foreign(details)))

    def _foreign(self, text: str) -> str:
        return foreign(text, self._task.secrets.values() if self._task is not None else ())

    @contextmanager
    def _counting_faults(self) -> Iterator[None]:
        """A fault of ours costs an attempt, or the job would come back for ever and end one worker after another."""
        try:
            yield
        except ChildError:
            raise  # the child's fault, and its slot sees to that
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

    def died(self, error: ChildError | OutputError) -> None:
        self.run.died(self, error)

    def left(self) -> None:
        self.run.left()
