"""How a job's run ends: told once, published or not, and nothing left behind."""

import errno
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.worker.job_run_bench import DEATH, Bench, plan_of

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.domain.endings import Completed, Declined, Failed, Released
from blobforge.domain.errors import ChildTimedOut, DiskFull, WorkGivenUp
from blobforge.domain.job import Failure
from blobforge.domain.json_value import JsonObject
from blobforge.ports.blob_store import BlobKey, BlobStat
from blobforge.ports.processor import Product
from blobforge.processors.echo.plugin import EchoProcessor
from blobforge.worker.disk_space import DiskSpace
from blobforge.worker.equipment import Equipment
from blobforge.worker.messages import Produced, Refused, Reply


class Needy(EchoProcessor):
    """What is missing here, another worker may have."""

    def needs(self, options: JsonObject, *, refused: str | None = None) -> frozenset[str]:
        return frozenset({"engine:brass", "engine:wood"}) if refused == "engine_unavailable" else frozenset()

    def has(self) -> frozenset[str]:
        return frozenset({"engine:wood"})


class SharedBench(Bench):
    may_decline = True

    def equipment(self) -> Equipment:
        return replace(super().equipment(), processor=Needy(), may_decline=self.may_decline)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_an_aborted_run_reports_nothing_and_publishes_nothing(bench: Bench) -> None:
    run = bench.begun()
    step, _ = bench.next()
    made = bench.produced(step)

    run.abort()
    step.done(Reply(made, 1))
    step.died(DEATH)
    step.released()

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
    first.released()
    assert len(bench.workspaces()) == 1
    second.released()

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
    bench.line[0].released()

    assert bench.workspaces() == []


class Full(DirectoryBlobStore):
    has_room = False

    def adopt(self, key: BlobKey, path: Path) -> BlobStat:
        if not self.has_room:
            raise DiskFull(f"no space left to store {key}")
        return super().adopt(key, path)


def test_a_store_that_is_full_is_waited_for_and_what_was_made_is_stored_then(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Full)
    told: list[str] = []

    def hear(problem: DiskFull) -> None:
        told.append(str(problem))
        bench.now += 1000  # much more than a document may take
        bench.blobs.has_room = len(told) == 3  # type: ignore[attr-defined]

    bench.disk_space = DiskSpace(hear, first_seconds=0.001)
    bench.begun()

    bench.answer(bench.produced(bench.line[0]))

    assert isinstance(bench.ending, Completed)
    assert [text.startswith("no space left to store outputs/") for text in told] == [True] * 3


def test_a_run_that_is_given_up_while_it_waits_for_room_says_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Full)
    bench.disk_space = DiskSpace(lambda _: run.abort(), first_seconds=3600)
    run = bench.begun()

    bench.answer(bench.produced(bench.line[0]))
    run.clean_up()

    assert (bench.endings, bench.workspaces()) == ([], [])


def test_a_worker_without_room_for_the_document_waits_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path)
    make, fails = Path.mkdir, [True, True]

    def full(path: Path, *how: Any, **facts: Any) -> None:
        if path.parent.name == "work" and fails:
            fails.pop()
            raise OSError(errno.ENOSPC, "No space left on device")
        make(path, *how, **facts)

    monkeypatch.setattr(Path, "mkdir", full)
    waits: list[str] = []
    bench.disk_space = DiskSpace(lambda problem: waits.append(str(problem)), first_seconds=0.001)
    bench.begun()

    bench.answer(bench.produced(bench.line[0]))

    assert isinstance(bench.ending, Completed)
    assert len(waits) == 2
    assert waits[0].endswith(f"no space left on the disk; make room in {tmp_path / 'work'}")


def test_without_a_queue_behind_it_a_store_that_is_full_fails_the_document(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Full)
    bench.begun()

    bench.answer(bench.produced(bench.line[0]))

    assert bench.failure.code == "disk_full"


def test_a_result_outside_the_workspace_is_refused_and_left_where_it_is(bench: Bench) -> None:
    run = bench.begun()
    source = Path(str(run.job.source_path))

    bench.answer(Produced(Product(archive=source, summary={})))

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


def test_a_message_that_is_no_text_can_still_be_stored(bench: Bench) -> None:
    bench.begun()

    bench.answer(Refused(Failure("engine_failed", "no \udcff.pdf\0"), "", spent=False))

    assert bench.failure.message.encode() == b"no \\udcff.pdf\\0"


@pytest.mark.parametrize("moment", ["at the start", "at the end"])
def test_a_blob_store_that_is_away_hands_the_job_back_and_says_why(bench: Bench, moment: str) -> None:
    away = bench.folder / "blobs"
    bench.begun()
    away.mkdir(exist_ok=True)
    (away / ".incoming").mkdir(exist_ok=True)
    assert list(bench.blobs.list("")) == [], "it was there"
    step = bench.line.popleft()
    made = bench.produced(step) if moment == "at the end" else None
    away.rename(bench.folder / "away")

    if made is None:
        assert step.prepare() is None
    else:
        step.done(Reply(made, 1))

    assert isinstance(bench.ending, Released)
    assert "blobs is not there" in bench.details[0] or "cannot be reached" in bench.details[0]


def test_what_another_worker_may_have_is_declined_and_not_failed(tmp_path: Path) -> None:
    bench = SharedBench(tmp_path)
    bench.begun()

    bench.answer(Refused(Failure("engine_unavailable", "no brass here"), "", False))

    (ending,) = bench.endings
    assert isinstance(ending, Declined)
    assert (ending.needs, ending.failure.message) == (frozenset({"engine:brass"}), "no brass here")


@pytest.mark.parametrize(("code", "may_decline"), [("damaged_pdf", True), ("engine_unavailable", False)])
def test_what_no_other_worker_does_better_fails(tmp_path: Path, code: str, may_decline: bool) -> None:
    bench = SharedBench(tmp_path)
    bench.may_decline = may_decline
    bench.begun()

    bench.answer(Refused(Failure(code, "so it is"), "", False))

    (ending,) = bench.endings
    assert isinstance(ending, Failed)


def test_a_disk_that_fills_while_a_document_is_brought_to_its_child_costs_no_attempt(bench: Bench) -> None:
    bench.begun()

    bench.kill(DiskFull("no space left on the disk"))

    assert isinstance(bench.ending, Released)
