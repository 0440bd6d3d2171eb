"""The slots of a job's run, played by hand: no child is started."""

import zipfile
from collections import deque
from pathlib import Path
from typing import Any

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.catalog.nothing import NothingSeen
from blobforge.domain.endings import Ending, Failed
from blobforge.domain.errors import ChildError, ChildKilled
from blobforge.domain.job import Failure
from blobforge.ports.processor import Plan, Product, Progress, Slice
from blobforge.processors.echo.plugin import EchoProcessor
from blobforge.runtime import SystemRuntime
from blobforge.testing.builders import ALICE, a_job, hash_of
from blobforge.worker.child import ChildSpec
from blobforge.worker.disk_space import DiskSpace
from blobforge.worker.equipment import Equipment
from blobforge.worker.job_run import JobRun
from blobforge.worker.limits import ChildLimits
from blobforge.worker.messages import Answer, Operation, Planned, Produced, Reply, Request
from blobforge.worker.order import Order
from blobforge.worker.results import ResultStore
from blobforge.worker.sources import Sources
from blobforge.worker.step import RunStep
from blobforge.worker.workspace import Workspace

DEATH = ChildKilled("the child was ended by SIGSEGV")


class Bench:
    """Plays the slots: takes steps from the line, and says how they went."""

    def __init__(self, folder: Path, blobs: type[DirectoryBlobStore] = DirectoryBlobStore) -> None:
        self.folder = folder
        self.blobs = blobs(folder / "blobs")
        self.line: deque[RunStep] = deque()
        self.endings: list[Ending] = []
        self.details: list[str] = []
        self.progress: list[Progress] = []
        self.now = 1000.0
        self.disk_space: DiskSpace | None = None
        self.limits = ChildLimits(timeout_seconds=100)

    def run(self, order: Order | None = None, **facts: Any) -> JobRun:
        source = self.folder / "source.pdf"
        source.write_bytes(b"the document")
        order = order or Order()
        facts = {"type": "echo", "worker_id": ALICE, "source_path": str(source), **facts}
        job = a_job(source_hash=hash_of("the document"), metadata=order.as_metadata())._replace(**facts)
        return JobRun(
            job,
            self.equipment(),
            rank=0,
            put=lambda step, _rank: self.line.append(step),
            on_end=self._end,
            on_progress=lambda _job, progress: self.progress.append(progress),
            disk_space=self.disk_space,
            runtime=_At(self),
        )

    def begun(self, **facts: Any) -> JobRun:
        run = self.run(**facts)
        run.start()
        return run

    def equipment(self) -> Equipment:
        return Equipment(
            processor=EchoProcessor(),
            spec=ChildSpec(factory="none", limits=self.limits, environment={}),
            results=ResultStore(self.blobs),
            sources=Sources(self.blobs, NothingSeen()),
            workspaces=Workspace(self.folder / "work"),
        )

    def answer(self, *answers: Answer) -> None:
        """The next steps in the line get these answers."""
        for answer in answers:
            step, _ = self.next()
            try:
                step.done(Reply(answer, 1))
            except ChildError as error:
                step.died(error)
            step.released()

    def kill(self, error: Exception = DEATH) -> None:
        step, _ = self.next()
        step.died(error)  # type: ignore[arg-type]
        step.released()

    def next(self) -> tuple[RunStep, Request]:
        step = self.line.popleft()
        prepared = step.prepare()
        assert prepared is not None, self.endings
        return step, prepared[0]

    def in_line(self) -> list[tuple[Operation, Slice | None]]:
        return [(step.operation, step.part) for step in self.line]

    def produced(self, step: RunStep) -> Produced:
        """What a child would have made in its workspace."""
        prepared = step.prepare()
        step.released()
        assert prepared is not None
        archive = prepared[0].task.workspace / "result.zip"
        write_result(archive)
        return Produced(Product(archive=archive, summary={"pages": 1}))

    def workspaces(self) -> list[Path]:
        return list((self.folder / "work").glob("*"))

    @property
    def ending(self) -> Ending:
        (ending,) = self.endings
        return ending

    @property
    def failure(self) -> Failure:
        assert isinstance(self.ending, Failed)
        return self.ending.failure

    def _end(self, _run: JobRun, ending: Ending, details: str) -> None:
        self.endings.append(ending)
        self.details.append(details)


class _At(SystemRuntime):
    """The time is that of the bench; waiting is real."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def monotonic(self) -> float:
        return self._bench.now


def write_result(path: Path, info: str = '{"tally": {"pages": 1}}') -> None:
    """The smallest archive that is a result."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("info.json", info)


def plan_of(*parts: tuple[int, int]) -> Planned:
    return Planned(Plan(slices=tuple(Slice(*part) for part in parts)))
