"""A job on its way through the slots, with the slots played by hand: no child is started here."""

import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.catalog.nothing import NothingSeen
from blobforge.domain.endings import Completed, Ending, Failed
from blobforge.domain.errors import ChildKilled, ChildTimedOut, MemoryLimit, WorkGivenUp
from blobforge.domain.job import Failure, Job
from blobforge.ports.blob_store import BlobKey, BlobStat, source_key
from blobforge.ports.processor import Plan, Product, Progress, Slice
from blobforge.processors.echo.plugin import EchoProcessor
from blobforge.testing.builders import ALICE, a_job, hash_of
from blobforge.worker import job_run
from blobforge.worker.child import ChildSpec
from blobforge.worker.job_run import MOST_DEATHS, Equipment, JobRun, Step
from blobforge.worker.limits import ChildLimits
from blobforge.worker.messages import Answer, Operation, Planned, Produced, Refused, Reply, Request, SliceDone
from blobforge.worker.order import Order
from blobforge.worker.results import ResultShelf
from blobforge.worker.sources import Sources
from blobforge.worker.workspace import Workspace

DEATH = ChildKilled("the child was ended by SIGSEGV")


class Bench:
    """Plays the slots: takes steps from the line, and says how they went."""

    def __init__(self, folder: Path, blobs: type[DirectoryBlobStore] = DirectoryBlobStore) -> None:
        self.folder = folder
        self.blobs = blobs(folder / "blobs")
        self.line: deque[Step] = deque()
        self.endings: list[Ending] = []
        self.details: list[str] = []
        self.progress: list[Progress] = []
        self.now = 1000.0

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
            monotonic=lambda: self.now,
        )

    def begun(self, **facts: Any) -> JobRun:
        run = self.run(**facts)
        run.start()
        return run

    def equipment(self) -> Equipment:
        return Equipment(
            processor=EchoProcessor(),
            spec=ChildSpec(factory="none", limits=ChildLimits(timeout_seconds=100), environment={}),
            shelf=ResultShelf(self.blobs),
            sources=Sources(self.blobs, NothingSeen()),
            workspaces=Workspace(self.folder / "work"),
        )

    def answer(self, *answers: Answer) -> None:
        """The next steps in the line get these answers."""
        for answer in answers:
            step, _ = self.next()
            step.done(Reply(answer, 1))
            step.left()

    def kill(self, error: Exception = DEATH) -> None:
        step, _ = self.next()
        step.died(error)  # type: ignore[arg-type]
        step.left()

    def next(self) -> tuple[Step, Request]:
        step = self.line.popleft()
        prepared = step.prepare()
        assert prepared is not None, self.endings
        return step, prepared[0]

    def in_line(self) -> list[tuple[Operation, Slice | None]]:
        return [(step.operation, step.part) for step in self.line]

    def produced(self, step: Step) -> Produced:
        """What a child would have made in its workspace."""
        prepared = step.prepare()
        step.left()
        assert prepared is not None
        archive = prepared[0].task.workspace / "result.zip"
        archive.write_bytes(b"zip")
        return Produced(Product(archive=archive, summary={"pages": 1}), 3, "c" * 64)

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


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def plan_of(*parts: tuple[int, int]) -> Planned:
    return Planned(Plan(slices=tuple(Slice(*part) for part in parts)))


def test_a_small_document_is_one_step_and_its_result_goes_to_the_shelf(bench: Bench) -> None:
    run = bench.begun()
    assert bench.in_line() == [(Operation.CONVERT, None)]

    bench.answer(bench.produced(bench.line[0]))

    assert isinstance(bench.ending, Completed)
    assert bench.ending.job is run.job
    assert '"pages":1' in bench.ending.result
    (record,) = bench.ending.files
    assert bench.blobs.local_path(BlobKey(record.key)) is not None


def test_a_large_document_is_run_in_slices_and_joined_when_the_last_is_done(bench: Bench) -> None:
    bench.begun()
    bench.answer(plan_of((1, 2), (3, 4)))
    assert bench.in_line() == [(Operation.RUN, (1, 2)), (Operation.RUN, (3, 4))]

    bench.answer(SliceDone(Slice(1, 2)))
    assert (Operation.JOIN, None) not in bench.in_line()
    bench.answer(SliceDone(Slice(3, 4)))

    assert bench.in_line() == [(Operation.JOIN, None)]
    bench.answer(bench.produced(bench.line[0]))
    assert isinstance(bench.ending, Completed)


def test_progress_of_slices_is_counted_together(bench: Bench) -> None:
    bench.begun()
    bench.answer(plan_of((1, 2), (3, 5)))
    first, second = bench.line

    first.progress(Progress("reading", 1, 2))
    second.progress(Progress("reading", 3, 3))

    assert bench.progress == [Progress("reading", 1, 5), Progress("reading", 4, 5)]


def test_progress_of_a_small_document_is_passed_on(bench: Bench) -> None:
    bench.begun()

    bench.line[0].progress(Progress("reading", 1, 2))

    assert bench.progress == [Progress("reading", 1, 2)]


def test_a_page_that_kills_its_child_is_found_by_halving_and_becomes_a_gap(bench: Bench) -> None:
    bench.begun()
    bench.answer(plan_of((1, 4), (5, 8)))
    deadly = 6
    while bench.in_line() != [(Operation.JOIN, None)]:
        part = bench.line[0].part
        assert part is not None
        if part.first <= deadly <= part.last:
            bench.kill()
        else:
            bench.answer(SliceDone(part))

    _, request = bench.next()

    assert [(gap.slice, gap.code) for gap in request.gaps] == [((6, 6), "child_killed")]
    assert bench.endings == []


def test_a_small_document_that_kills_its_child_is_planned_and_tried_in_halves(bench: Bench) -> None:
    bench.begun()

    bench.kill()
    assert bench.in_line() == [(Operation.PLAN, None)]
    bench.answer(plan_of((1, 4), (5, 5)))

    assert bench.in_line() == [(Operation.RUN, (1, 2)), (Operation.RUN, (3, 4)), (Operation.RUN, (5, 5))]


def test_when_no_unit_is_left_the_document_has_failed_with_their_code(bench: Bench) -> None:
    bench.begun()
    bench.answer(plan_of((1, 1), (2, 2)))

    bench.kill()
    bench.kill(MemoryLimit("too much"))

    assert bench.failure == Failure("child_killed", str(DEATH), retryable=True)


def test_after_too_many_deaths_whole_slices_are_given_up(bench: Bench) -> None:
    bench.begun()
    bench.answer(plan_of((1, 1000), (1001, 1002)))
    bench.line.rotate(-1)
    bench.answer(SliceDone(Slice(1001, 1002)))

    deaths = 0
    while bench.line[0].operation is Operation.RUN:
        bench.kill()
        deaths += 1

    _, request = bench.next()
    assert sum(gap.slice.last - gap.slice.first + 1 for gap in request.gaps) == 1000
    assert deaths <= 2 * MOST_DEATHS + 1


@pytest.mark.parametrize("operation", [Operation.PLAN, Operation.JOIN])
def test_a_death_while_planning_or_joining_is_the_documents_end(bench: Bench, operation: Operation) -> None:
    bench.begun()
    if operation is Operation.PLAN:
        bench.kill()
    else:
        bench.answer(plan_of((1, 1), (2, 2)), SliceDone(Slice(1, 1)), SliceDone(Slice(2, 2)))

    bench.kill()

    assert bench.failure == Failure("child_killed", str(DEATH), retryable=True)


def test_a_refusal_is_the_documents_end_with_its_code_and_details(bench: Bench) -> None:
    bench.begun()

    bench.answer(Refused(Failure("damaged_pdf", "it does not open"), "Traceback …", spent=False))

    assert bench.failure == Failure("damaged_pdf", "it does not open")
    assert bench.details == ["Traceback …"]


@pytest.mark.parametrize("code", ["memory_limit", "output_limit"])
def test_a_child_that_tells_of_a_limit_in_time_counts_like_one_that_died_of_it(bench: Bench, code: str) -> None:
    bench.begun()
    bench.answer(plan_of((1, 2), (3, 4)))

    bench.answer(Refused(Failure(code, "too much", retryable=True), "", spent=True))

    assert bench.endings == []
    assert bench.in_line()[1:] == [(Operation.RUN, (1, 1)), (Operation.RUN, (2, 2))]


def test_a_slice_that_is_halved_is_never_overlooked_by_the_slot_that_ends_at_that_moment(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    class LockWithAnInterruption:
        """The moment it is free, another slot comes in between."""

        def __init__(self) -> None:
            self._lock = lock()
            self.interruption: Callable[[], None] | None = None

        def __enter__(self) -> None:
            self._lock.acquire()

        def __exit__(self, *_: object) -> None:
            self._lock.release()
            interruption, self.interruption = self.interruption, None
            if interruption is not None:
                interruption()

    lock = threading.Lock
    monkeypatch.setattr(job_run.threading, "Lock", LockWithAnInterruption)
    run = bench.begun()
    bench.answer(plan_of((1, 2), (3, 4)))
    dying, finishing = bench.next()[0], bench.next()[0]

    def finish_the_other() -> None:
        finishing.done(Reply(SliceDone(Slice(3, 4)), 1))

    with run._lock:  # the first to let go of it after this is the slice that dies
        pass
    monkeypatch.setattr(run._lock, "interruption", None)
    for _ in range(2):
        # Once after the count of deaths, once after the halving: in between nothing is left unaccounted for.
        if not bench.line:
            monkeypatch.setattr(run._lock, "interruption", finish_the_other)
            dying.died(DEATH)

    assert (Operation.JOIN, None) not in bench.in_line()
    assert [part for operation, part in bench.in_line() if operation is Operation.RUN] == [(1, 1), (2, 2)]


def test_a_plan_without_slices_is_joined_at_once(bench: Bench) -> None:
    bench.begun()
    bench.kill()

    bench.answer(Planned(Plan(slices=())))

    assert bench.in_line() == [(Operation.JOIN, None)]


def test_a_document_that_takes_too_long_in_all_has_timed_out(bench: Bench) -> None:
    bench.begun()
    bench.answer(plan_of((1, 1), (2, 2)))
    bench.now += 60
    assert bench.line[0].prepare() is not None

    bench.now += 60
    assert bench.line[1].prepare() is None

    assert bench.failure == Failure("timed_out", "it took longer than 100 s", retryable=True)


def test_a_child_that_runs_out_of_the_documents_time_ends_the_document(bench: Bench) -> None:
    bench.begun()
    bench.answer(plan_of((1, 1), (2, 2)))

    bench.kill(ChildTimedOut("the child did not finish in 40 s"))

    assert bench.failure.code == "timed_out"


def test_the_time_of_a_document_begins_when_its_turn_comes(bench: Bench) -> None:
    bench.begun()
    bench.now += 5000

    prepared = bench.line[0].prepare()

    assert prepared is not None
    assert prepared[1] == 100


def test_what_went_away_before_the_work_began_is_told(bench: Bench) -> None:
    bench.begun(source_path=str(bench.folder / "gone.pdf"))

    assert bench.line[0].prepare() is None

    assert bench.failure.code == "source_missing"
    assert bench.failure.retryable


def test_what_changed_before_the_work_began_is_told(bench: Bench) -> None:
    bench.begun(source_hash=hash_of("something else"))

    assert bench.line[0].prepare() is None

    assert bench.failure.code == "source_changed"


def test_a_password_file_that_cannot_be_read_is_told(bench: Bench) -> None:
    bench.begun(order=Order(password_file="/nowhere/password"))

    assert bench.line[0].prepare() is None

    assert bench.failure.code == "source_unreadable"


def test_options_that_the_processor_refuses_are_told(bench: Bench) -> None:
    bench.begun(order=Order(options={"slises": 3}))

    assert bench.line[0].prepare() is None

    assert bench.failure.code == "invalid_options"
    assert "did you mean 'slices'?" in bench.failure.message


def test_a_password_is_handed_to_the_child_and_told_to_nobody(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("open sesame\n")
    bench.begun(order=Order(password_file=str(tmp_path / "password")))
    prepared = bench.line[0].prepare()
    assert prepared is not None
    assert prepared[0].task.secrets == {"password": "open sesame"}

    bench.answer(Refused(Failure("processing_error", "open sesame is wrong"), "said open sesame", spent=True))

    assert bench.failure.message == "*** is wrong"
    assert bench.details == ["said ***"]


def test_a_message_that_is_no_text_can_still_be_stored(bench: Bench) -> None:
    bench.begun()

    bench.answer(Refused(Failure("engine_failed", "no \udcff.pdf\0"), "", spent=False))

    assert bench.failure.message.encode() == b"no \\udcff.pdf\\0"


def test_a_result_on_the_shelf_completes_the_job_without_a_child(bench: Bench) -> None:
    archive = EchoArchive(bench.folder)
    run = bench.begun()
    recipe_id = EchoProcessor().recipe({}).id
    ResultShelf(bench.blobs).put(run.job.source_hash, recipe_id, archive.produced())

    assert bench.line[0].prepare() is None

    assert isinstance(bench.ending, Completed)
    assert bench.ending.files == ()
    assert f'"recipe":"{recipe_id}"' in bench.ending.result
    assert bench.workspaces() == []


class EchoArchive:
    """The smallest result there is."""

    def __init__(self, folder: Path) -> None:
        import zipfile

        self.path = folder / "archive.zip"
        with zipfile.ZipFile(self.path, "w") as archive:
            archive.writestr("info.json", '{"tally": {"pages": 1, "codes": {"ocr_unavailable": 1}}}')

    def produced(self) -> Produced:
        return Produced(Product(archive=self.path, summary={}), 1, "c" * 64)


@pytest.mark.parametrize("mended", [frozenset(), frozenset({"ocr_unavailable"})])
def test_a_result_with_gaps_is_made_again_only_when_they_would_be_filled(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, mended: frozenset[str]
) -> None:
    monkeypatch.setattr(EchoProcessor, "mended", lambda *_: mended)
    run = bench.begun()
    shelf = ResultShelf(bench.blobs)
    shelf.put(run.job.source_hash, EchoProcessor().recipe({}).id, EchoArchive(bench.folder).produced())

    assert (bench.line[0].prepare() is not None) == bool(mended)


def test_an_aborted_run_reports_nothing_and_publishes_nothing(bench: Bench) -> None:
    run = bench.begun()
    step, request = bench.next()
    made = bench.produced(step)

    run.abort()
    step.done(Reply(made, 1))
    step.died(DEATH)
    step.left()

    assert bench.endings == []
    assert list(bench.blobs.list("outputs/")) == []
    assert step.aborted
    assert step.prepare() is None


def test_work_that_was_given_up_is_no_death(bench: Bench) -> None:
    bench.begun()

    bench.kill(WorkGivenUp("not wanted"))

    assert bench.endings == []
    assert bench.in_line() == []


def test_how_it_went_is_told_only_once(bench: Bench) -> None:
    bench.begun()
    bench.answer(plan_of((1, 1), (2, 2)))
    first, second = bench.next()[0], bench.next()[0]

    for step in (first, second):
        step.died(ChildTimedOut("too long"))

    assert len(bench.endings) == 1


def test_the_workspace_goes_when_the_last_slot_has_left_it(bench: Bench) -> None:
    run = bench.begun()
    bench.answer(plan_of((1, 1), (2, 2)))
    first, second = bench.next()[0], bench.next()[0]

    run.abort()
    run.clean_up()
    first.left()
    assert len(bench.workspaces()) == 1
    second.left()

    assert bench.workspaces() == []


def test_a_workspace_that_nobody_is_busy_in_goes_at_once(bench: Bench) -> None:
    run = bench.begun()
    bench.answer(plan_of((1, 1), (2, 2)))

    run.clean_up()

    assert bench.workspaces() == []


def test_no_workspace_is_made_for_a_run_that_is_not_wanted_any_more(bench: Bench) -> None:
    run = bench.begun()
    run.abort()
    run.clean_up()

    assert bench.line[0].prepare() is None
    bench.line[0].left()

    assert bench.workspaces() == []


def test_a_store_that_is_full_fails_the_document(tmp_path: Path) -> None:
    from blobforge.domain.errors import DiskFull

    class Full(DirectoryBlobStore):
        def adopt(self, key: BlobKey, path: Path) -> BlobStat:
            raise DiskFull(f"no space left to store {key}")

    bench = Bench(tmp_path, Full)
    bench.begun()

    bench.answer(bench.produced(bench.line[0]))

    assert bench.failure.code == "disk_full"


def test_a_result_outside_the_workspace_is_refused_and_left_where_it_is(bench: Bench) -> None:
    run = bench.begun()
    source = Path(str(run.job.source_path))

    bench.answer(Produced(Product(archive=source, summary={}), 1, "c" * 64))

    assert bench.failure.code == "processing_error"
    assert "outside its workspace" in bench.failure.message
    assert source.exists()


def test_a_result_that_is_a_link_is_refused(bench: Bench) -> None:
    bench.begun()
    made = bench.produced(bench.line[0])
    made.product.archive.unlink()
    made.product.archive.symlink_to(bench.folder / "source.pdf")

    bench.answer(made)

    assert bench.failure.code == "processing_error"


def test_a_source_that_changed_while_it_was_read_gives_no_result(bench: Bench) -> None:
    run = bench.begun()
    made = bench.produced(bench.line[0])
    Path(str(run.job.source_path)).write_bytes(b"edited in the meantime")

    bench.answer(made)

    assert bench.failure.code == "source_changed"
    assert list(bench.blobs.list("outputs/")) == []


def test_a_source_that_was_moved_while_it_was_read_does_no_harm(bench: Bench) -> None:
    run = bench.begun()
    made = bench.produced(bench.line[0])
    Path(str(run.job.source_path)).unlink()

    bench.answer(made)

    assert isinstance(bench.ending, Completed)


def test_a_fault_of_ours_is_raised_and_costs_the_job_an_attempt(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(EchoProcessor, "recipe", fault)
    bench.begun()

    with pytest.raises(ZeroDivisionError):
        bench.line[0].prepare()

    assert bench.failure == Failure("error", "ZeroDivisionError: by zero", retryable=True)


def test_a_document_of_the_store_is_named_by_its_content(bench: Bench) -> None:
    run = bench.begun(source_path=None)
    bench.blobs.put(source_key(run.job.source_hash), bench.folder / "source.pdf")

    _, request = bench.next()

    assert request.task.source_name == f"{run.job.source_hash}.echo"


def job_of(run: JobRun) -> Job:
    return run.job
