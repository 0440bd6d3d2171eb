"""One run of `convert`: what is current stays, the rest goes through the queue, and results land in the folder."""

import json
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

from blobforge.conversion.current import ToDo, report_of, sort_out
from blobforge.conversion.document import Account, Document, DocumentReport, Outcome, failed
from blobforge.conversion.intake import Intake
from blobforge.conversion.tree import assign
from blobforge.conversion.writing import read_result, write_files
from blobforge.domain.endings import Completed, Ending
from blobforge.domain.errors import BlobForgeError, ProcessingError, ResultDamaged, all_errors
from blobforge.domain.ids import JobId, RecipeId, SourceHash
from blobforge.domain.job import Job, NewJob, State
from blobforge.domain.json_value import JsonObject
from blobforge.ingest.scan import scan
from blobforge.ports.blob_store import result_key
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.hash_cache import HashCache
from blobforge.ports.output_ledger import Output, OutputLedger
from blobforge.ports.processor import Processor, Progress
from blobforge.worker.feed import ListFeed
from blobforge.worker.loop import Watcher, WorkerLoop
from blobforge.worker.order import Order
from blobforge.worker.results import ResultShelf

MOST_ROUNDS = 3
"""So often a job is asked for again when another process keeps running it by another recipe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionRequest:
    paths: Sequence[Path]
    out: Path
    options: JsonObject
    password_file: str | None = None
    force: bool = False


class Display(Protocol):
    """Who shows a run to a person. Called from several threads, one at a time."""

    def begin(self, *, documents: int, size: int) -> None: ...

    def pages(self, *, done: int) -> None:
        """So many pages were converted in this run so far."""
        ...

    def document(self, report: DocumentReport, *, size: int) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """The queue and a worker on it, opened only when there is something to do."""

    coordinator: Coordinator
    shelf: ResultShelf
    feed: Callable[[Callable[[Job], None]], ListFeed]
    loop: Callable[[ListFeed, Watcher], WorkerLoop]
    close: Callable[[], None]


class Conversion:
    def __init__(
        self,
        *,
        hashes: HashCache,
        ledger: OutputLedger,
        processor: Processor,
        open_workshop: Callable[[], Workshop],
        new_job: Callable[[SourceHash, Document, str], NewJob],
        display: Display,
    ) -> None:
        self._hashes = hashes
        self._ledger = ledger
        self._processor = processor
        self._open_workshop = open_workshop
        self._new_job = new_job
        self._display = display
        self._stopped = threading.Event()
        self._loop: WorkerLoop | None = None

    def stop(self) -> None:
        """Ends the run soon; what is finished stays finished. May be called from a signal handler."""
        self._stopped.set()
        if self._loop is not None:
            self._loop.stop()

    def run(self, request: ConversionRequest) -> Account:
        began = time.monotonic()
        recipe_id = self._processor.recipe(request.options).id
        out = request.out.absolute()
        placed = list(assign(scan(request.paths, skip=out), str(out)))
        documents = [entry for entry in placed if isinstance(entry, Document)]
        sorted_out = sort_out(
            documents,
            hashes=self._hashes,
            ledger=self._ledger,
            recipe_id=recipe_id,
            # Asked once, and only when a document has gaps: it may have to call a program.
            mended=cache(lambda: self._processor.mended(request.options)),
            force=request.force,
        )
        account = Account(documents=[entry for entry in placed if isinstance(entry, DocumentReport)])
        account.documents += sorted_out.current
        if sorted_out.to_do:
            self._work(request, recipe_id, sorted_out.to_do, account)
        account.documents.sort(key=lambda report: report.path)
        account.interrupted = self._stopped.is_set()
        account.seconds = time.monotonic() - began
        return account

    def _work(self, request: ConversionRequest, recipe_id: RecipeId, items: Sequence[ToDo], account: Account) -> None:
        self._display.begin(documents=len(items), size=sum(item.document.stat.size for item in items))
        workshop = self._open_workshop()
        try:
            order = Order(options=request.options, password_file=request.password_file).as_metadata()
            run = _Run(workshop, self._ledger, self._display, account, recipe_id, order, force=request.force)
            intake = Intake(
                workshop.coordinator,
                self._hashes,
                run,
                new_job=lambda source_hash, document: self._new_job(source_hash, document, order),
                stopped=self._stopped,
            )
            self._loop = run.prepare(intake)
            if self._stopped.is_set():
                return
            run.carry_out(items)
        finally:
            workshop.close()


class _Run:
    """The desk between intake and worker: knows who waits for which content, and writes results for them."""

    def __init__(
        self,
        workshop: Workshop,
        ledger: OutputLedger,
        display: Display,
        account: Account,
        recipe_id: RecipeId,
        order: str,
        *,
        force: bool,
    ) -> None:
        self._workshop = workshop
        self._ledger = ledger
        self._display = display
        self._account = account
        self._recipe_id = recipe_id
        self._order = order
        self._force = force
        # Reentrant: a report is made while the list of those who wait is held.
        self._lock = threading.RLock()
        self._waiting: dict[SourceHash, list[ToDo]] = {}
        self._finished: dict[SourceHash, Job] = {}
        self._rounds: dict[JobId, int] = {}
        self._pages: dict[JobId, int] = {}
        self._feed = workshop.feed(self._ended_elsewhere)
        self._loop = workshop.loop(self._feed, self)
        self._intake: Intake | None = None
        self._fault: BaseException | None = None

    def prepare(self, intake: Intake) -> WorkerLoop:
        self._intake = intake
        return self._loop

    def carry_out(self, items: Sequence[ToDo]) -> None:
        thread = threading.Thread(target=self._bring_in, args=(items,), name="intake", daemon=True)
        thread.start()
        self._loop.run()
        thread.join()
        if self._fault is not None:
            raise self._fault

    def _bring_in(self, items: Sequence[ToDo]) -> None:
        assert self._intake is not None, "prepared before it is carried out"
        try:
            self._intake.bring_in(items)
        except BaseException as error:  # noqa: BLE001 - carried to the main thread, which raises it
            self._fault = error
            self._loop.stop()
        finally:
            self._feed.close()
            self._loop.nudge()

    # The desk of the intake

    def expect(self, source_hash: SourceHash, item: ToDo) -> bool:
        with self._lock:
            done = self._finished.get(source_hash)
            if done is not None:
                self._deliver(done, [item], first=Outcome.CACHED)
                return False
            waiting = self._waiting.setdefault(source_hash, [])
            waiting.append(item)
            return len(waiting) == 1

    def refuse(self, document: Document, error: BlobForgeError) -> None:
        self._report(failed(document.stat.path, error), document)

    def wait_for(self, jobs: Sequence[JobId]) -> None:
        self._feed.add(jobs)
        self._loop.nudge()

    # The watcher of the worker

    def claimed(self, job: Job) -> None:
        """Nothing is shown before there is progress."""

    def progressed(self, job: Job, progress: Progress) -> None:
        with self._lock:
            self._pages[job.id] = progress.current
            self._display.pages(done=sum(self._pages.values()))

    def ended(self, ending: Ending, outcome: Job | BlobForgeError) -> None:
        if isinstance(outcome, Job):
            # Without files it came from the shelf: somebody made it before.
            made = isinstance(ending, Completed) and bool(ending.files)
            self._settle(outcome, first=Outcome.CONVERTED if made else Outcome.CACHED)

    def _ended_elsewhere(self, job: Job) -> None:
        result = _result_of(job)
        by_our_recipe = result.get("recipe") == self._recipe_id
        if job.state is State.COMPLETED and not by_our_recipe and self._has_another_round(job.id):
            assert self._intake is not None, "prepared before it is carried out"
            self._intake.ask_again(job, self._order)
        else:
            self._settle(job, first=Outcome.CACHED)

    def _has_another_round(self, job_id: JobId) -> bool:
        self._rounds[job_id] = self._rounds.get(job_id, 0) + 1
        return self._rounds[job_id] <= MOST_ROUNDS

    # Results

    def _settle(self, job: Job, *, first: Outcome) -> None:
        if job.state in (State.PENDING, State.FAILED, State.RUNNING):
            return
        with self._lock:
            items = self._waiting.pop(job.source_hash, [])
            self._finished[job.source_hash] = job
            self._count_pages(job)
            self._deliver(job, items, first=first)

    def _deliver(self, job: Job, items: Sequence[ToDo], *, first: Outcome) -> None:
        """The document that brought the content gets it as it is; others of the same content are cached."""
        for place, item in enumerate(items):
            document = item.document
            if job.state is not State.COMPLETED:
                report = failed(document.stat.path, _error_of(job))
            else:
                report = self._written(job, item, first if place == 0 else Outcome.CACHED)
            self._report(report, document)

    def _written(self, job: Job, item: ToDo, outcome: Outcome) -> DocumentReport:
        document, result = item.document, _result_of(job)
        try:
            with self._workshop.shelf.open(result_key(job.source_hash, self._recipe_id)) as archive:
                files = read_result(archive, document.output)
            written = write_files(document.output, files, item.written, force=self._force)
        except BlobForgeError as error:
            if isinstance(error, ResultDamaged):
                self._discard(job)
            return failed(document.stat.path, error)
        codes = result.get("codes")
        output = Output(
            path=document.output,
            source_hash=job.source_hash,
            recipe_id=self._recipe_id,
            pages=_number(result.get("pages")),
            pages_failed=_number(result.get("pages_failed")),
            codes=tuple(codes) if isinstance(codes, dict) else (),
            files=tuple(written),
        )
        self._ledger.write([output])
        return report_of(document, output, outcome)

    def _discard(self, job: Job) -> None:
        """A damaged result is thrown away, so that the next run makes it anew."""
        with suppress(BlobForgeError):
            self._workshop.shelf.discard(result_key(job.source_hash, self._recipe_id))

    def _count_pages(self, job: Job) -> None:
        if job.id in self._pages:
            self._pages[job.id] = _number(_result_of(job).get("pages"))
            self._display.pages(done=sum(self._pages.values()))

    def _report(self, report: DocumentReport, document: Document) -> None:
        with self._lock:
            self._account.documents.append(report)
            self._display.document(report, size=document.stat.size)


def _result_of(job: Job) -> JsonObject:
    said = json.loads(job.result) if job.result else {}
    return said if isinstance(said, dict) else {}


def _error_of(job: Job) -> BlobForgeError:
    error = all_errors().get(job.error_code or "", ProcessingError)
    if job.state is State.CANCELLED:
        return ProcessingError("the job was cancelled")
    return error(job.last_error or "no reason was recorded")


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
