"""Connects intake and worker: which documents wait for which content, and the report that each of them gets."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import NamedTuple, Protocol

from blobforge.conversion.current import ToDo
from blobforge.conversion.delivery import Delivery
from blobforge.conversion.document import ConversionAccount, ConversionOutcome, DocumentReport, InputDocument, failed
from blobforge.conversion.intake import NOTHING_TO_BRING, Bringer, ConversionIntake, IntakeReceiver
from blobforge.domain.endings import Completed, Ending
from blobforge.domain.errors import BlobForgeError, DiskFull, LeaseLost, ProcessingError, StoreUnavailable
from blobforge.domain.ids import JobId, SourceHash
from blobforge.domain.job import FINAL_STATES, Job, State
from blobforge.domain.json_value import JsonObject
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.processor import Progress
from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.worker.observer import WorkerObserver
from blobforge.worker.results import ResultStore, result_of

MOST_ROUNDS = 3
"""A job is queued again so many times when another process keeps running it with another order."""

LONGEST_OUTAGE_SECONDS = 60.0
"""Seconds that a queue or a store may give no answer, as on a full disk, before the run ends with its error."""

SAME_OUTAGE_SECONDS = 10.0
"""Two refusals within so many seconds belong to the same outage."""


class InWork(NamedTuple):
    """A document in work and its progress; `total` is 0 where that is not known yet."""

    name: str
    pages: int
    total: int


class Display(Protocol):
    """Shows a run to a person. Called from several threads, one at a time."""

    def begin(self, *, documents: int, size: int) -> None:
        """So many documents will be reported, and so many bytes processed. Not called when there is nothing to do."""
        ...

    def progress(self, *, pages: int, size: int, in_work: Sequence["InWork"] = ()) -> None:
        """So many pages were converted so far, and so many of the bytes are done; `in_work` is what is being done."""
        ...

    def document(self, report: DocumentReport) -> None:
        """One of the documents ended, or could not even be looked at."""
        ...

    def trouble(self, message: str) -> None:
        """Nothing goes on for the moment, and this is why."""
        ...


class WorkReceiver(WorkerObserver, Protocol):
    """Observes the work on a run's jobs, and is told of those that others ended."""

    def found(self, job: Job) -> None:
        """Its result was there already, or somebody else wanted it."""
        ...

    def made(self, job: Job) -> None:
        """Somebody else did it for us."""
        ...


class RunJobs(Protocol):
    """The jobs that are to be done. Called from any thread."""

    def add(self, jobs: Sequence[Job]) -> None: ...

    def close(self) -> None:
        """Says that the list is complete."""
        ...


class RunWork(Protocol):
    """What goes on until all jobs of the list have ended: a worker's loop, or the wait for others."""

    def run(self) -> object: ...

    def stop(self) -> None: ...

    def nudge(self) -> None:
        """Says that the list may have new jobs."""
        ...


class BegunWork(NamedTuple):
    jobs: RunJobs
    work: RunWork


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionBackend:
    """The queue and who works on it, opened only when there is something to do."""

    coordinator: Coordinator
    results: ResultStore
    begin: Callable[[WorkReceiver], BegunWork]
    close: Callable[[], None]
    bringer: Bringer = NOTHING_TO_BRING


class ConversionRun:
    def __init__(
        self,
        backend: ConversionBackend,
        delivery: Delivery,
        display: Display,
        account: ConversionAccount,
        order: str,
        *,
        open_intake: Callable[[IntakeReceiver], ConversionIntake],
        runtime: Runtime = SYSTEM_RUNTIME,
    ) -> None:
        self._runtime = runtime
        self._delivery = delivery
        self._display = display
        self._account = account
        self._order = order
        # Two locks: progress is shown without waiting for a result that is being written. `_screen` is taken
        # within `_lock`, never the other way round.
        self._lock = threading.Lock()
        self._screen = threading.Lock()
        self._waiting: dict[SourceHash, list[InputDocument]] = {}
        self._answers: dict[SourceHash, Callable[[InputDocument, ConversionOutcome], DocumentReport]] = {}
        self._rounds: dict[JobId, int] = {}
        self._totals = _ProgressTotals(display)
        self._feed, self._loop = backend.begin(self)
        self._intake = open_intake(self)
        self._fault: BaseException | None = None
        self._last_problem_at = self._outage_since = float("-inf")

    def stop(self) -> None:
        self._loop.stop()

    def carry_out(self, items: Sequence[ToDo]) -> None:
        """Returns when every document has its report, or someone has stopped the run."""
        thread = self._runtime.thread(partial(self._bring_in, items), name="intake")
        thread.start()
        try:
            self._loop.run()
            thread.join()
        finally:
            self._delivery.write_down()
        if self._fault is not None:
            raise self._fault

    def give_up_waiting(self) -> None:
        """At the end of a run: every document gets a report, whatever became of its job."""
        for documents in self._waiting.values():
            for document in documents:
                self.refuse(document, LeaseLost(f"{document.stat.path}: another process has taken it; run this again"))

    def _bring_in(self, items: Sequence[ToDo]) -> None:
        try:
            self._intake.bring_in(items)
        except BaseException as error:  # noqa: BLE001 - carried to the main thread, which raises it
            self._fault = error
            self.stop()
        finally:
            self._feed.close()
            self._loop.nudge()

    # As the receiver of the intake

    def expect(self, source_hash: SourceHash, document: InputDocument) -> bool:
        with self._lock:
            answer = self._answers.get(source_hash)
            if answer is not None:
                self._report(answer(document, ConversionOutcome.CACHED), document)
                return False
            waiting = self._waiting.setdefault(source_hash, [])
            waiting.append(document)
            return len(waiting) == 1

    def refuse(self, document: InputDocument, error: BlobForgeError) -> None:
        self._report(failed(document.stat.path, error), document)

    def wait_for(self, jobs: Sequence[Job]) -> None:
        self._feed.add(jobs)
        self._loop.nudge()

    # As the observer of the worker

    def claimed(self, job: Job) -> None:
        """Nothing is shown before there is progress."""

    def progressed(self, job: Job, progress: Progress) -> None:
        with self._screen:
            self._totals.progressed(job, progress)

    def ended(self, outcomes: Sequence[tuple[Ending, Job | BlobForgeError]]) -> None:
        for ending, outcome in outcomes:
            if isinstance(outcome, Job):
                # Without files it came from the result store: somebody made it before.
                made = isinstance(ending, Completed) and bool(ending.files)
                self._settle(outcome, first=ConversionOutcome.CONVERTED if made else ConversionOutcome.CACHED)
        with self._lock:
            self._delivery.write_down_when_due()

    def waiting(self, problem: StoreUnavailable | DiskFull) -> None:
        """Shows the reason to the person who waits, and ends the run after a while."""
        now = self._runtime.monotonic()
        goes_on, self._last_problem_at = now - self._last_problem_at < SAME_OUTAGE_SECONDS, now
        if not goes_on:
            self._outage_since = now
            with self._screen:
                self._display.trouble(f"{problem}; waiting for it")
        elif now - self._outage_since > LONGEST_OUTAGE_SECONDS and self._fault is None:
            self._fault = problem
            self.stop()

    def found(self, job: Job) -> None:
        self._settle(job, first=ConversionOutcome.CACHED)

    def made(self, job: Job) -> None:
        self._settle(job, first=ConversionOutcome.CONVERTED)

    # Answers

    def _settle(self, job: Job, *, first: ConversionOutcome) -> None:
        """The document that brought the content gets the first outcome; others of the same content are cached."""
        if job.state not in FINAL_STATES or job.source_hash in self._answers:
            return
        summary = self._delivery.summary(job.source_hash, result_of(job)) if job.state is State.COMPLETED else None
        if summary is None and job.metadata != self._order and self._has_another_round(job.id):
            self._intake.ask_again(job, self._order)
            return
        with self._lock:
            self._answers[job.source_hash] = answer = self._answer(job, summary)
            with self._screen:
                self._totals.ended(
                    job, pages=summary.get("pages") if summary and first is ConversionOutcome.CONVERTED else 0
                )
            for place, document in enumerate(self._waiting.pop(job.source_hash, [])):
                self._report(answer(document, first if place == 0 else ConversionOutcome.CACHED), document)

    def _answer(
        self, job: Job, summary: JsonObject | None
    ) -> Callable[[InputDocument, ConversionOutcome], DocumentReport]:
        if summary is not None:
            return lambda document, outcome: self._delivery.deliver(job.source_hash, document, summary, outcome)
        code, message = _reason(job)
        # The job has the name of the first copy that was found; each copy is told by its own.
        first, told = f"{PurePath(job.source_path or '').name}: ", message
        if job.source_path and message.startswith(first):
            told = message.removeprefix(first)
        return lambda document, _outcome: DocumentReport(
            path=document.stat.path,
            outcome=ConversionOutcome.FAILED,
            code=code,
            message=message if told is message else f"{PurePath(document.stat.path).name}: {told}",
        )

    def _has_another_round(self, job_id: JobId) -> bool:
        self._rounds[job_id] = self._rounds.get(job_id, 0) + 1
        return self._rounds[job_id] <= MOST_ROUNDS

    def _report(self, report: DocumentReport, document: InputDocument) -> None:
        with self._screen:
            self._account.documents.append(report)
            self._totals.done(document)
            self._display.document(report)


class _ProgressTotals:
    """Counts pages and bytes, those of the documents under way included."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._pages = 0
        self._size = 0
        self._under_way: dict[JobId, tuple[InWork, float]] = {}

    def progressed(self, job: Job, progress: Progress) -> None:
        share = min(progress.current / progress.total, 1.0) if progress.total else 0.0
        document = InWork(PurePath(job.source_path or job.source_hash[:12]).name, progress.current, progress.total)
        self._under_way[job.id] = (document, share * (job.source_size or 0))
        self._show()

    def ended(self, job: Job, *, pages: object) -> None:
        self._under_way.pop(job.id, None)
        self._pages += pages if isinstance(pages, int) else 0

    def done(self, document: InputDocument) -> None:
        self._size += document.stat.size
        self._show()

    def _show(self) -> None:
        in_work = [document for document, _ in self._under_way.values()]
        pages = self._pages + sum(document.pages for document in in_work)
        size = self._size + sum(size for _, size in self._under_way.values())
        self._display.progress(pages=pages, size=round(size), in_work=in_work)


def _reason(job: Job) -> tuple[str, str]:
    if job.state is State.COMPLETED:
        return ProcessingError.code, "another process keeps converting it with other options; run this again after it"
    if job.state is State.CANCELLED:
        return ProcessingError.code, "the job was cancelled"
    return job.error_code or ProcessingError.code, job.last_error or "no reason was recorded"
