"""BlobForge as a library: one document at a time, in a child process, without a queue or any configuration."""

import json
import os
import tempfile
import threading
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from blobforge import wiring
from blobforge.clock import SystemClock
from blobforge.domain.endings import Completed, Ending, Failed
from blobforge.domain.errors import BlobForgeError, ProcessingError, all_errors
from blobforge.domain.ids import DEFAULT_PROJECT, JobId
from blobforge.domain.job import Job, NewJob, created
from blobforge.domain.json_value import JsonObject
from blobforge.domain.page import Page, PageOutcome
from blobforge.ingest.hashing import hash_file
from blobforge.ports.processor import Progress
from blobforge.processors.result_archive import page_in
from blobforge.worker.job_run import JobRun
from blobforge.worker.limits import ChildLimits
from blobforge.worker.order import Order
from blobforge.worker.slots import SlotPool

_ASSETS = "assets/"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertedDocument:
    """`assets` are the pictures by the names that the Markdown's links have below `assets/`."""

    markdown: str
    pages: tuple[Page, ...]
    assets: Mapping[str, bytes]
    info: JsonObject

    @property
    def pages_failed(self) -> tuple[Page, ...]:
        return tuple(page for page in self.pages if page.outcome is PageOutcome.FAILED)


def convert(
    path: str | os.PathLike[str],
    *,
    engine: str = "blobforge",
    pages: str | None = None,
    password: str | None = None,
    ocr: bool = True,
    ocr_languages: str = "auto",
    read_pictures: bool = False,
    jobs: int = 1,
    limits: ChildLimits | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> ConvertedDocument:
    """Converts one PDF to Markdown. Raises a BlobForgeError, whose `code` is stable.

    `pages` is a range such as "1-20"; `jobs` is how many children share a long document; `on_progress` is called
    from another thread. `read_pictures` reads the text in charts and screens, which takes about a second a picture.
    """
    options: dict[str, str | bool] = {"engine": engine, "ocr": "auto" if ocr else "off", "ocr_languages": ocr_languages}
    if read_pictures:
        options["read_pictures"] = True
    if pages is not None:
        options["pages"] = pages
    source = Path(path).absolute()
    with tempfile.TemporaryDirectory(prefix="blobforge-") as folder:
        order = Order(options=options, password_file=_kept(password, Path(folder)))
        job = _job(source, order)
        return _read(_run(job, Path(folder), jobs, limits or ChildLimits(), on_progress))


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


def _run(
    job: Job, folder: Path, jobs: int, limits: ChildLimits, on_progress: Callable[[Progress], None] | None
) -> Path:
    """The archive of a finished run."""
    ended = threading.Event()
    endings: list[Ending] = []
    faults: list[BaseException] = []

    def end(_run: JobRun, ending: Ending, _details: str) -> None:
        endings.append(ending)
        ended.set()

    def fault(error: BaseException) -> None:
        faults.append(error)
        ended.set()

    pool = SlotPool(jobs, on_fault=fault)
    run = JobRun(
        job,
        wiring.equipment_for_one(folder, limits),
        rank=0,
        put=lambda step, rank: pool.put(step, rank=rank),
        on_end=end,
        on_progress=lambda _job, progress: on_progress(progress) if on_progress is not None else None,
    )
    pool.start()
    try:
        run.start()
        ended.wait()
    finally:
        run.abort()
        pool.kill_aborted()
        pool.close()
    if faults:
        raise faults[0]
    return _archive(endings[0], folder)


def _archive(ending: Ending, folder: Path) -> Path:
    if isinstance(ending, Completed):
        return folder / "blobs" / ending.files[0].key
    if isinstance(ending, Failed):
        raise _error(ending.failure.code, ending.failure.message)
    raise ProcessingError("the run was given up")


def _error(code: str, message: str) -> BlobForgeError:
    return all_errors().get(code, ProcessingError)(message)


def _read(path: Path) -> ConvertedDocument:
    with zipfile.ZipFile(path) as archive:
        info: JsonObject = json.loads(archive.read("info.json"))
        rows = info["pages"]
        assert isinstance(rows, list), "info.json lists the pages"
        names = [name for name in archive.namelist() if name.startswith(_ASSETS)]
        return ConvertedDocument(
            markdown=archive.read("document.md").decode("utf-8"),
            pages=tuple(page_in(row) for row in rows),
            assets={name.removeprefix(_ASSETS): archive.read(name) for name in names},
            info=info,
        )
