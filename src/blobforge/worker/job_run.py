"""One job run by the slots: planned, run in slices, retried in halves where children die, joined, and stored.

convert ──► product                                   a small document: one step
   └─────► plan ──► run, run, run … ──► join ──► product
                      └─ a child died: the slice is halved, down to the page that kills it
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

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
from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.worker.acceptance import accept
from blobforge.worker.budget import DocumentBudget, is_last_try
from blobforge.worker.child import ChildSpec
from blobforge.worker.disk_space import DiskSpace, Done
from blobforge.worker.documents_at_work import DocumentsAtWork
from blobforge.worker.equipment import Equipment
from blobforge.worker.messages import Operation, Planned, Produced, Refused, Reply, Request, SliceDone
from blobforge.worker.order import Order, order_of
from blobforge.worker.slicing import halves, only_page
from blobforge.worker.source_copies import require_same
from blobforge.worker.step import RunStep
from blobforge.worker.storable_text import storable, without_secrets
from blobforge.worker.workspace import stamp

ENTER_AGAIN_SECONDS = 0.5
"""Where documents do not fit on the disk together, one that was claimed already looks so often."""
MOST_DEATHS = 12
"""So many children may die on one document; after that slices are not halved any more, but become gaps."""
_OWN_MESSAGES = frozenset(code for code, error in all_errors().items() if issubclass(error, SourceError))
_LIMITS: dict[str, type[ChildError]] = {error.code: error for error in (MemoryLimit, OutputLimit)}
"""A child that reports one of these limits is treated like one that died of it."""


class JobRun:
    """Its methods are called from slot threads; `on_end` is called exactly once, unless it was aborted."""

    def __init__(
        self,
        job: Job,
        equipment: Equipment,
        *,
        rank: int,
        put: Callable[[RunStep, int], None],
        on_end: Callable[["JobRun", Ending, str], None],
        on_progress: Callable[[Job, Progress], None],
        disk_space: DiskSpace | None = None,
        at_work: DocumentsAtWork | None = None,
        runtime: Runtime = SYSTEM_RUNTIME,
    ) -> None:
        """`disk_space` waits for a full disk, `at_work` says whose fault it is; without them, the document fails."""
        self.job = job
        self._equipment = equipment
        self._rank = rank
        self._put = put
        self._on_end = on_end
        self._on_progress = on_progress
        self._disk_space = disk_space
        self._at_work = at_work
        self._budget = DocumentBudget(equipment.spec.limits, monotonic=runtime.monotonic)
        self._lock = threading.Lock()
        self._ended = runtime.event()
        self._nonce = runtime.nonce
        self._workspace: Path | None = None
        self._active_steps = self._deaths = 0
        self._discarded = self._left_clean = False
        self._task: Task | None = None
        self._source_stamp: tuple[int, int] | None = None
        self._recipe: Recipe | None = None
        self._plan: Plan | None = None
        self._open: set[Slice] = set()
        self._gaps: list[Gap] = []
        self._stage = "fetch"
        self._units_done: dict[Slice, int] = {}

    @property
    def seconds(self) -> float:
        return self._budget.seconds_since_claim

    @property
    def aborted(self) -> bool:
        """Also true once it has ended: steps of it that are still queued are dropped."""
        return self._ended.is_set()

    @property
    def spec(self) -> ChildSpec:
        return self._equipment.spec

    def start(self) -> None:
        self._put(RunStep(self, Operation.CONVERT), self._rank)

    def require_store(self) -> None:
        """Asks the store for nothing but an answer. Raises StoreUnavailable."""
        self._equipment.results.require_store(self.job.source_hash)

    def abort(self) -> None:
        """Nothing is reported after this; the caller takes care of the job and of the children."""
        with self._lock:
            self._ended.set()

    def clean_up(self) -> None:
        """Gives its workspace back, as soon as no slot uses it."""
        with self._lock:
            self._discarded = True
            is_idle = not self._active_steps
        if is_idle:
            self._leave_workspace()

    # Called by the steps

    def prepare(self, step: RunStep) -> tuple[Request, float] | None:
        self._budget.step_begins()
        with self._lock:
            self._active_steps += 1
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

    def progress(self, step: RunStep, progress: Progress) -> None:
        self._stage = progress.stage
        if step.part is not None and self._plan is not None:
            with self._lock:
                self._units_done[step.part] = progress.current
                progress = Progress(progress.stage, sum(self._units_done.values()), self._plan.units)
        self._on_progress(self.job, progress)

    def done(self, step: RunStep, reply: Reply) -> None:
        """Raises ChildMisbehaved where the answer cannot be trusted."""
        self._budget.charge(reply.cpu_seconds)
        if self.aborted:
            return  # another worker has the job now, and publishes its result
        with self._failing_on_fault():
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

    def died(self, step: RunStep, error: ChildError | OutputError) -> None:
        if self.aborted or isinstance(error, WorkGivenUp):
            return
        with self._lock:
            self._deaths += 1
        if isinstance(error, ChildTimedOut):
            self._fail(self._budget.timed_out())
        elif isinstance(error, DiskFull) and self._at_work is None:
            self._hand_back(error)
        elif isinstance(error, OutputError) or is_last_try(step.operation, self._deaths) or self._source_is_gone():
            self._fail(error)
        elif step.operation in (Operation.CONVERT, Operation.PLAN):
            self._put(RunStep(self, Operation.PLAN), self._rank)
        else:
            assert step.part is not None, "a run has its slice"
            self._retry_halved(step.part, error)

    def _source_is_gone(self) -> bool:
        """Whether a child removed the document that it was to convert."""
        return self._task is not None and self._source_stamp is not None and stamp(self._task.source) is None

    def released(self) -> None:
        self._budget.step_ends()
        with self._lock:
            self._active_steps -= 1
            is_over = self._discarded and not self._active_steps
        if is_over:
            self._leave_workspace()

    # From step to step

    def _is_ready(self) -> bool:
        """Begins the run at its first step; False when it has ended already."""
        if self._task is not None:
            return True
        with self._failing_on_fault():
            try:
                return self._begin()
            except StoreUnavailable as error:
                self._hand_back(error)
            except BlobForgeError as error:
                self._fail(error)
        return False

    def _begin(self) -> bool:
        """Locates the source and takes a workspace; False when the result is in the result store already."""
        job, equipment = self.job, self._equipment
        order = order_of(job)
        recipe = equipment.processor.recipe(order.options)
        if equipment.is_shared:
            again = f"give it another order: blobforge reprocess '#{job.id}'"
            require_whole_document(recipe, instead=again)
        self._recipe = recipe
        found = equipment.results.find_for(job, recipe.id)
        if found is not None and not self._would_gain(found.flaws, order):
            ending = equipment.results.completed_by(found, job, recipe)
            if ending is not None:
                self._end(ending)
                return False
        self._enter()
        self._workspace = workspace = self._waiting_for_space(equipment.workspaces.take)
        source = self._waiting_for_space(lambda: equipment.sources.locate(job, workspace))
        self._source_stamp = stamp(source)
        self._task = equipment.task_for(job, source=source, workspace=workspace)
        return True

    def _enter(self) -> None:
        """Raises WorkGivenUp."""
        if (at_work := self._at_work) is None:
            return
        while not self._waiting_for_space(lambda: at_work.enter(self)):
            if self._wait_unless_aborted(ENTER_AGAIN_SECONDS):
                raise WorkGivenUp("given up while it waited for another document to leave the disk")

    def _planned(self, plan: Plan) -> None:
        assert self._task is not None, "a run that has begun has its task"
        try:
            self._task.limits.require_pages(self._task.source_name, plan.units)
        except TooManyPages as error:
            self._fail(error)
            return
        self._plan = plan
        # The plan was made because a child died in the whole document: so its slices are halved at once.
        self._run_all(halves(plan.slices) if self._deaths else plan.slices)

    def _would_gain(self, flaws: Sequence[str], order: Order) -> bool:
        """Whether a new run would convert pages better that failed or are doubtful in the stored result."""
        return bool(flaws) and not self._equipment.processor.mended(order.options).isdisjoint(flaws)

    def _run_all(self, parts: Sequence[Slice]) -> None:
        with self._lock:
            self._open.update(parts)
        self._put_runs(parts)
        if not parts:
            self._join()

    def _put_runs(self, parts: Sequence[Slice]) -> None:
        for part in parts:
            self._put(RunStep(self, Operation.RUN, part), self._rank)

    def _slice_done(self, part: Slice) -> None:
        with self._lock:
            self._units_done[part] = part.last - part.first + 1
            self._open.discard(part)
            is_last = not self._open
        if is_last:
            self._join()

    def _retry_halved(self, part: Slice, error: ChildError) -> None:
        """Halves a slice that killed its child; a single page that does is a gap."""
        # Under one lock: while a slice is neither open nor a gap, another slot could take its own for the last one.
        with self._lock:
            self._open.discard(part)
            self._units_done.pop(part, None)
            smaller = halves([part]) if self._deaths <= MOST_DEATHS and part.first < part.last else []
            self._open.update(smaller)
            if not smaller:
                self._gaps.append(Gap(part, error.code, storable(self._without_secrets(str(error)))))
            is_last = not self._open
        self._put_runs(smaller)
        if is_last:
            self._join()

    def _join(self) -> None:
        assert self._plan is not None, "slices come from a plan"
        lost = sum(gap.slice.last - gap.slice.first + 1 for gap in self._gaps)
        if self._gaps and lost == self._plan.units:
            # No page is left: that is a failed document, not a converted one with gaps.
            gap = self._gaps[0]
            self._end(Failed(self.job, Failure(gap.code, gap.message, retryable=True, page=only_page(gap.slice))))
        else:
            self._put(RunStep(self, Operation.JOIN), self._rank)

    def _finish(self, product: Product) -> None:
        """Raises ChildMisbehaved."""
        assert self._recipe is not None, "a run that has begun has its recipe"
        assert self._task is not None, "and its task"
        try:
            require_same(self._task.source, self._source_stamp)
            made = self._waiting_for_space(partial(accept, product, workspace=self._task.workspace, nonce=self._nonce))
            ending: Ending | None = self._equipment.left_to_another(self.job, made.summary)
            completed = partial(self._equipment.results.completed, self.job, self._recipe, made)
            ending = ending or self._waiting_for_space(completed)
        except ChildMisbehaved:
            raise
        except StoreUnavailable as error:
            self._hand_back(error)
            return
        except BlobForgeError as error:
            self._fail(error)
            return
        self._left_clean = not self._deaths
        self._end(ending)

    def _waiting_for_space(self, act: Callable[[], Done]) -> Done:
        """A full disk is not the document's fault: what was made is kept until there is space."""
        if self._disk_space is None:
            return act()
        return self._disk_space.retry_until_free(act, wait=self._wait_unless_aborted)

    def _wait_unless_aborted(self, seconds: float) -> bool:
        """True when it was aborted. Waiting for the disk does not count against the document's time."""
        self._budget.step_ends()
        try:
            return self._ended.wait(seconds)
        finally:
            self._budget.step_begins()

    def _hand_back(self, error: StoreUnavailable | DiskFull) -> None:
        """An unavailable blob store or a full disk is not the document's fault: it costs no attempt."""
        self._end(Released(self.job), str(error))

    def _fail(self, error: BlobForgeError) -> None:
        again = error.retryable or (isinstance(error, ChildTimedOut) and self.spec.limits.retry_timed_out)
        self._refused(Failure(error.code, str(error), again))

    def _refused(self, failure: Failure, details: str = "") -> None:
        """Fails the job, or declines it where another worker may have what is missing here."""
        needs = self._equipment.missing(order_of(self.job).options, failure.code)
        self._end(Declined(self.job, needs, failure) if needs else Failed(self.job, failure), details)

    def _end(self, ending: Ending, details: str = "") -> None:
        if isinstance(ending, Failed | Declined):
            failure = ending.failure
            # Messages of our own hold no secret, though one of their words may happen to equal the password.
            message = self._without_secrets(failure.message) if failure.code not in _OWN_MESSAGES else failure.message
            failure = failure._replace(message=storable(message), stage=failure.stage or self._stage)
            ending = ending._replace(failure=failure)
            if failure.code == DiskFull.code and self._others_filled_the_disk(failure.message):
                ending, details = Released(self.job), ""
        # Called while the lock is held: after `abort` has returned, no call is under way.
        with self._lock:
            if not self._ended.is_set():
                self._ended.set()
                self._on_end(self, ending, storable(self._without_secrets(details)))

    def _others_filled_the_disk(self, message: str) -> bool:
        if self._at_work is None or self._ended.is_set():
            return False
        return self._at_work.others_filled_it(self, self.job.id, self._equipment, message)

    def _without_secrets(self, text: str) -> str:
        return without_secrets(text, self._task.secrets.values() if self._task is not None else ())

    @contextmanager
    def _failing_on_fault(self) -> Iterator[None]:
        """A fault of ours costs an attempt, or the job would be retried for ever and end one worker after another."""
        try:
            yield
        except ChildError:
            raise  # the child's fault, which its slot handles
        except Exception as error:
            self._end(Failed(self.job, Failure(BlobForgeError.code, f"{type(error).__name__}: {error}", True)))
            raise

    def _leave_workspace(self) -> None:
        """Only once: another run may have it right after."""
        with self._lock:
            workspace, self._workspace = self._workspace, None
        if workspace is not None:
            self._equipment.workspaces.give_back(workspace, is_clean=self._left_clean)
        if self._at_work is not None:
            self._at_work.leave(self)
