"""One document on its way through the children of a converter."""

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path

from blobforge import untrusted_tree, wiring
from blobforge.clock import SystemClock
from blobforge.domain.endings import Completed, Ending, Failed
from blobforge.domain.error_codes import all_errors
from blobforge.domain.errors import BlobForgeError, ProcessingError
from blobforge.domain.ids import DEFAULT_PROJECT, JobId
from blobforge.domain.job import Job, NewJob, created
from blobforge.domain.json_value import JsonObject
from blobforge.ingest.hashing import hash_file
from blobforge.library.document import ConvertedDocument
from blobforge.library.reading import read_result
from blobforge.library.sources import DocumentSource, put_into_file
from blobforge.ports.processor import Progress, Report
from blobforge.worker.equipment import Equipment
from blobforge.worker.job_run import JobRun
from blobforge.worker.order import Order
from blobforge.worker.step import RunStep


class PendingDocument:
    """Copied in, run and read in threads of the converter's; whoever cancels `future` ends it."""

    def __init__(
        self,
        folder: Path,
        *,
        put: Callable[[RunStep, int], None],
        finishing: Executor,
        on_progress: Report | None,
    ) -> None:
        self.future: Future[ConvertedDocument] = Future()
        self._folder = folder
        self._put = put
        self._finishing = finishing
        self._on_progress = on_progress
        self._lock = threading.Lock()
        self._run: JobRun | None = None
        self._answered = False

    def begin(
        self,
        source: DocumentSource,
        name: str,
        *,
        options: JsonObject,
        password: str | None,
        equipment: Equipment,
        rank: int,
    ) -> None:
        """Copies it to where a child can read it, and starts its run."""
        try:
            self._folder.mkdir()
            order = Order(options=options, password_file=_kept(password, self._folder))
            job = _job(put_into_file(source, self._folder, name), order)
            own = wiring.equipment_of_its_own(equipment, self._folder)
            run = JobRun(job, own, rank=rank, put=self._put, on_end=self._ended, on_progress=self._progressed)
        except BaseException as error:  # noqa: BLE001 - raised where the future is waited for
            self.fail(error)
            self._clean_up()
            return
        with self._lock:
            self._run = run
        if self.future.done():
            self.leave()
        else:
            run.start()

    def fail(self, error: BaseException) -> None:
        if self._may_answer():
            self.future.set_exception(error)

    def leave(self) -> None:
        """Nobody waits for it any more, because it has its answer or was cancelled."""
        with self._lock:
            run = self._run
        if run is not None:
            run.abort()
            run.clean_up()
            self._clean_up()

    def _ended(self, _run: JobRun, ending: Ending, _details: str) -> None:
        # The run holds its lock here; what takes time comes after.
        self._finishing.submit(self._finish, ending)

    def _finish(self, ending: Ending) -> None:
        try:
            document = read_result(_archive(ending, self._folder))
        except BaseException as error:  # noqa: BLE001 - raised where the future is waited for
            self.fail(error)
            return
        if self._may_answer():
            self.future.set_result(document)

    def _progressed(self, _job: Job, progress: Progress) -> None:
        if self._on_progress is None or self.future.done():
            return
        try:
            self._on_progress(progress)
        except BaseException as error:  # noqa: BLE001 - the caller's own, raised where the future is waited for
            self.fail(error)

    def _may_answer(self) -> bool:
        """True once, unless it was cancelled."""
        with self._lock:
            if self._answered:
                return False
            self._answered = True
            return self.future.set_running_or_notify_cancel()

    def _clean_up(self) -> None:
        untrusted_tree.remove(self._folder)


def _kept(password: str | None, folder: Path) -> str | None:
    if password is None:
        return None
    path = folder / "password"
    path.touch(mode=0o600)
    path.write_text(password, encoding="utf-8")
    return str(path)


def _job(source: Path, order: Order) -> Job:
    source_hash = hash_file(str(source)).source_hash
    new = NewJob(DEFAULT_PROJECT, wiring.PDF, source_hash, source_path=str(source), metadata=order.as_metadata())
    return created(new, job_id=JobId(1), now=SystemClock().now())


def _archive(ending: Ending, folder: Path) -> Path:
    if isinstance(ending, Completed):
        return wiring.result_in(folder, ending.files[0].key)
    if isinstance(ending, Failed):
        raise _error(ending.failure.code, ending.failure.message)
    raise ProcessingError("the run was given up")


def _error(code: str, message: str) -> BlobForgeError:
    return all_errors().get(code, ProcessingError)(message)
