"""A queue, a store and workers on them: everything but the command line, in this process."""

import threading
import zipfile
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

from tests.integration.worker.workbench import LONG, confined, spec_of
from tests.unit.worker.flaky import FlakyCoordinator

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.catalog.nothing import NothingSeen
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.no_wakeup import NoWakeup
from blobforge.coordination.service import CoordinationService
from blobforge.domain import lifecycle
from blobforge.domain.endings import Ending
from blobforge.domain.errors import BlobForgeError, DiskFull, StoreUnavailable
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Job, State
from blobforge.domain.retry import RetryPolicy
from blobforge.domain.run_window import parse_run_windows
from blobforge.ingest.hashing import hash_file
from blobforge.ports.blob_store import BlobKey
from blobforge.ports.clock import Clock
from blobforge.ports.job_store import Queue
from blobforge.ports.processor import Progress
from blobforge.processors.echo.plugin import EchoProcessor
from blobforge.testing.builders import ALICE, new_job
from blobforge.wiring.children import sources_for
from blobforge.worker.equipment import Equipment
from blobforge.worker.error_log import ErrorLog
from blobforge.worker.feed import QueueFeed, Until
from blobforge.worker.loop import WorkerLoop
from blobforge.worker.loop_settings import LoopSettings
from blobforge.worker.observer import Tally
from blobforge.worker.order import Order
from blobforge.worker.results import ResultStore
from blobforge.worker.run_schedule import RunSchedule
from blobforge.worker.sources import Sources
from blobforge.worker.workspace import Workspace

Make = Callable[[], EchoProcessor]
AT_ONCE = RetryPolicy(first=timedelta(0), jitter=0)


class Diary:
    """A watcher that tells when something has happened."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.claims: list[Job] = []
        self.endings: list[tuple[Ending, Job | BlobForgeError]] = []
        self.progress: list[tuple[Job, Progress]] = []
        self.troubles: list[StoreUnavailable | DiskFull] = []
        self.hooks: dict[str, Callable[..., object]] = {}
        """Called after the note is made: claimed, progressed, ended."""

    def claimed(self, job: Job) -> None:
        self._note(self.claims, job, "claimed")

    def progressed(self, job: Job, progress: Progress) -> None:
        self._note(self.progress, (job, progress), "progressed")

    def ended(self, outcomes: Sequence[tuple[Ending, Job | BlobForgeError]]) -> None:
        for outcome in outcomes:
            self._note(self.endings, outcome, "ended")

    def waiting(self, problem: StoreUnavailable | DiskFull) -> None:
        self._note(self.troubles, problem, "waiting")

    def _note(self, notes: list[Any], note: Any, what: str) -> None:
        with self._changed:
            notes.append(note)
            self._changed.notify_all()
        if what in self.hooks:
            self.hooks[what](note)

    def wait_until(self, happened: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(happened, LONG), "it did not happen"

    def told(self, what: str) -> list[int]:
        """The numbers that children told, see strange_processors."""
        return [progress.current for _, progress in self.progress if progress.stage == what]

    def child(self, number: int = 0) -> int:
        """A child's process number, once it is at work."""
        self.wait_until(lambda: len(self.told("child")) > number)
        return self.told("child")[number]


class Running:
    """A loop on a thread of its own."""

    def __init__(self, loop: WorkerLoop) -> None:
        self.loop = loop
        self._tally: Tally | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="loop")
        self._thread.start()

    def stop(self) -> None:
        self.loop.stop()

    def result(self) -> Tally:
        """Waits for its end; its error is raised here."""
        self._thread.join(LONG)
        assert not self._thread.is_alive(), "the loop did not end"
        if self._error is not None:
            raise self._error
        assert self._tally is not None
        return self._tally

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._tally = self.loop.run()
        except BaseException as error:  # noqa: BLE001 - raised where the test asks for the result
            self._error = error


class Owing:
    """Keeps what is told of unreleased jobs."""

    def __init__(self, told: list[bool]) -> None:
        self._told = told

    def note_unreleased_jobs(self, jobs: bool, /) -> None:
        self._told.append(jobs)

    def show_life(self) -> None:
        """Nobody looks."""


class Site:
    def __init__(self, folder: Path, *, processors: Mapping[str, Make], clock: Clock, confines: bool = False) -> None:
        self.folder = folder
        self.processors = processors
        self.clock = clock
        self.confines = confines
        self.store = MemoryJobStore()
        self.coordinator = CoordinationService(self.store, clock=clock, policy=AT_ONCE)
        self.flaky = FlakyCoordinator(self.coordinator)
        self.blobs = DirectoryBlobStore(folder / "blobs")
        self.diary = Diary()
        self.owing: list[bool] = []
        """What a loop said of jobs that it had not handed back."""
        self._started: list[Running] = []

    def submit(self, name: str, content: bytes | None = None, *, type: str = "echo", **facts: Any) -> Job:  # noqa: A002
        """`facts` are the options of echo, but for `priority` and `max_attempts`."""
        path = self.folder / f"{name}.pdf"
        path.write_bytes(name.encode() if content is None else content)
        new = new_job(
            type=type,
            source_hash=hash_file(str(path)).source_hash,
            source_path=str(path),
            priority=facts.pop("priority", 3),
            max_attempts=facts.pop("max_attempts", 3),
            metadata=Order(options=facts).as_metadata(),
        )
        return self.coordinator.submit([new])[0].job

    def worker(
        self,
        *,
        until: Until = Until.STOPPED,
        worker_id: WorkerId = ALICE,
        limits: Mapping[str, Any] | None = None,
        diary: Diary | None = None,
        windows: str = "",
        **settings: Any,
    ) -> WorkerLoop:
        coordinator = self.flaky.as_coordinator()
        patience = {"poll_interval": timedelta(seconds=0.05), "longest_poll_interval": timedelta(seconds=0.2)}
        schedule = RunSchedule(parse_run_windows(windows), clock=self.clock, local=lambda now: now.astimezone(UTC))
        queue = Queue("default", tuple(self.processors))
        return WorkerLoop(
            coordinator,
            QueueFeed(coordinator, queue, worker_id, until=until, may_ask=schedule.are_open),
            {name: self._equipment(make, limits or {}, worker_id) for name, make in self.processors.items()},
            LoopSettings(worker_id=worker_id, **{"slots": 1, "check": timedelta(seconds=0.05), **patience, **settings}),
            clock=self.clock,
            wakeup=NoWakeup(),
            watcher=diary or self.diary,
            schedule=schedule,
            error_log=ErrorLog(lambda _: self.blobs),
            process=Owing(self.owing),
        )

    def start(self, **facts: Any) -> Running:
        running = Running(self.worker(**facts))
        self._started.append(running)
        return running

    def drain(self, **facts: Any) -> Tally:
        return self.start(until=Until.DRAINED, **facts).result()

    def close(self) -> None:
        for running in self._started:
            running.stop()
            running.stop()
        for running in self._started:
            running._thread.join(LONG)

    def job(self, job: Job) -> Job:
        return self.coordinator.get(job.id)

    def steal(self, job: Job, *, from_worker: WorkerId, by: WorkerId) -> Job:
        """What happens to a job whose worker was not heard of for too long, in one step."""
        now = self.clock.now()

        def change(held: Job) -> Job:
            free = lifecycle.abandon(held, worker_id=from_worker, now=now)
            return lifecycle.claim(free, worker_id=by, now=now, until=now + timedelta(hours=1))

        return self.store.update(job.id, change)

    def state(self, job: Job) -> State:
        return self.job(job).state

    def document(self, job: Job) -> bytes:
        """What the job's result holds."""
        record = self.coordinator.files(job.id)[-1]
        with self.blobs.open(BlobKey(record.key)) as stream, zipfile.ZipFile(stream) as archive:
            return archive.read("document.bin")

    def results(self) -> list[str]:
        return [stat.key for stat in self.blobs.list("outputs/")]

    def workspaces(self) -> list[Path]:
        """Those with something in them; empty ones are kept for the next run."""
        return [path for root in self.folder.glob("*.work") for path in root.iterdir() if any(path.iterdir())]

    def _equipment(self, make: Make, limits: Mapping[str, Any], worker_id: WorkerId) -> Equipment:
        spec, sources = spec_of(make, **limits), Sources(self.blobs, NothingSeen())
        if self.confines:
            spec = confined(spec, self.folder / f"{worker_id}.children")
        return Equipment(
            processor=make(),
            spec=spec,
            results=ResultStore(self.blobs),
            sources=sources_for(spec, sources),
            workspaces=Workspace(self.folder / f"{worker_id}.work"),
        )
