"""How a job's run ends: told once, published or not, and nothing left behind."""

from pathlib import Path

import pytest
from tests.unit.worker.job_run_bench import DEATH, Bench, plan_of

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.domain.endings import Completed, Released
from blobforge.domain.errors import ChildTimedOut, DiskFull, WorkGivenUp
from blobforge.domain.job import Failure
from blobforge.ports.blob_store import BlobKey, BlobStat
from blobforge.ports.processor import Product
from blobforge.worker.messages import Produced, Refused, Reply


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


def test_a_message_that_is_no_text_can_still_be_stored(bench: Bench) -> None:
    bench.begun()

    bench.answer(Refused(Failure("engine_failed", "no \udcff.pdf\0"), "", spent=False))

    assert bench.failure.message.encode() == b"no \\udcff.pdf\\0"


@pytest.mark.parametrize("moment", ["at the start", "at the end"])
def test_a_blob_store_that_is_away_hands_the_job_back_and_says_why(bench: Bench, moment: str) -> None:
    away = bench.folder / "blobs"
    bench.begun()
    step = bench.line.popleft()
    made = bench.produced(step) if moment == "at the end" else None
    away.rename(bench.folder / "away")

    if made is None:
        assert step.prepare() is None
    else:
        step.done(Reply(made, 1))

    assert isinstance(bench.ending, Released)
    assert "blobs is not there" in bench.details[0] or "cannot be reached" in bench.details[0]
