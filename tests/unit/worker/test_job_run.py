"""A job on its way through the slots: cut, mended where children die, joined."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.worker.job_run_bench import DEATH, Bench, plan_of

from blobforge.domain.endings import Completed
from blobforge.domain.errors import ChildTimedOut, MemoryLimit
from blobforge.domain.job import Failure
from blobforge.ports.blob_store import BlobKey
from blobforge.ports.processor import Plan, Progress, Slice
from blobforge.worker.budget import MOST_DEATHS_BEFORE_PLAN
from blobforge.worker.job_run import MOST_DEATHS
from blobforge.worker.messages import Operation, Planned, Refused, Reply, SliceDone


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_small_document_is_one_step_and_its_result_is_stored(bench: Bench) -> None:
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

    assert bench.failure == Failure("child_killed", str(DEATH), retryable=True, stage="run", page=1)


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


def test_a_death_while_joining_is_the_documents_end(bench: Bench) -> None:
    bench.begun()
    bench.answer(plan_of((1, 1), (2, 2)), SliceDone(Slice(1, 1)), SliceDone(Slice(2, 2)))

    bench.kill()

    assert bench.failure == Failure("child_killed", str(DEATH), retryable=True, stage="join")


def test_a_document_that_kills_whoever_plans_it_is_planned_again_a_few_times(bench: Bench) -> None:
    """A processor may know then which page it was, and plan around that."""
    bench.begun()

    for _ in range(MOST_DEATHS_BEFORE_PLAN):
        bench.kill()
        assert bench.in_line() == [(Operation.PLAN, None)]
    bench.kill()

    assert bench.failure == Failure("child_killed", str(DEATH), retryable=True, stage="plan")


def test_a_refusal_is_the_documents_end_with_its_code_and_details(bench: Bench) -> None:
    bench.begun()

    bench.answer(Refused(Failure("damaged_pdf", "it does not open"), "Traceback …", spent=False))

    assert bench.failure == Failure("damaged_pdf", "it does not open", stage="convert")
    assert bench.details == ["Traceback …"]


def test_a_failure_says_at_which_stage_and_page(bench: Bench) -> None:
    """R2-21."""
    bench.begun()
    bench.answer(plan_of((1, 2), (3, 3)))
    bench.line.rotate(-1)
    step, _ = bench.next()

    step.progress(Progress("reading", 0, 1))
    step.done(Reply(Refused(Failure("engine_failed", "upside down"), "", spent=False), 1))

    assert (bench.failure.stage, bench.failure.page) == ("reading", 3)


@pytest.mark.parametrize("code", ["memory_limit", "output_limit"])
def test_a_child_that_tells_of_a_limit_in_time_counts_like_one_that_died_of_it(bench: Bench, code: str) -> None:
    bench.begun()
    bench.answer(plan_of((1, 2), (3, 4)))

    bench.answer(Refused(Failure(code, "too much", retryable=True), "", spent=True))

    assert bench.endings == []
    assert bench.in_line()[1:] == [(Operation.RUN, (1, 1)), (Operation.RUN, (2, 2))]


class LockWithAnInterruption:
    """The n-th time it is given back, another slot comes in between."""

    def __init__(self, interruption: Callable[[], None], *, at: int) -> None:
        self._lock = threading.Lock()
        self._interruption = interruption
        self._countdown = at

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        self._countdown -= 1
        if self._countdown == 0:
            self._interruption()


@pytest.mark.parametrize("moment", [1, 2, 3])
def test_a_slice_that_is_being_halved_is_not_overlooked_by_a_slot_that_ends_in_that_moment(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    run = bench.begun()
    bench.answer(plan_of((1, 2), (3, 4)))
    dying, finishing = bench.next()[0], bench.next()[0]
    finish = LockWithAnInterruption(lambda: finishing.done(Reply(SliceDone(Slice(3, 4)), 1)), at=moment)
    monkeypatch.setattr(run, "_lock", finish)

    dying.died(DEATH)

    assert bench.in_line() == [(Operation.RUN, (1, 1)), (Operation.RUN, (2, 2))]


def test_a_plan_without_slices_is_joined_at_once(bench: Bench) -> None:
    bench.begun()
    bench.kill()

    bench.answer(Planned(Plan(slices=())))

    assert bench.in_line() == [(Operation.JOIN, None)]


def test_a_document_that_takes_too_long_in_all_has_timed_out(bench: Bench) -> None:
    """R0-65, R2-13."""
    bench.begun()
    bench.answer(plan_of((1, 1), (2, 2)))
    bench.now += 60  # in the line, which costs it nothing
    assert bench.line[0].prepare() is not None

    bench.now += 100
    assert bench.line[1].prepare() is None

    too_long = "it took longer than 100 s, which is what conversion_timeout_seconds allows"
    assert bench.failure == Failure("timed_out", too_long, retryable=False, stage="run")


def test_where_it_is_wanted_a_document_that_took_too_long_is_tried_again(bench: Bench) -> None:
    bench.limits = replace(bench.limits, retry_timed_out=True)
    bench.begun()

    bench.kill(ChildTimedOut("the child did not finish in 40 s"))

    assert bench.failure.retryable


def test_a_document_with_too_many_pages_is_refused_before_any_is_read(bench: Bench) -> None:
    bench.limits = replace(bench.limits, pages=100)
    bench.begun()

    bench.answer(plan_of((1, 60), (61, 101)))

    assert bench.failure.code == "too_many_pages"
    assert "it has 101 pages, and conversion_max_pages allows 100" in bench.failure.message
    assert not bench.failure.retryable
    assert bench.in_line() == []


def test_a_document_that_takes_too_much_processor_time_in_all_is_given_up(bench: Bench) -> None:
    bench.limits = replace(bench.limits, document_cpu_seconds=10)
    bench.begun()
    bench.answer(plan_of((1, 1), (2, 2)))
    step, _ = bench.next()
    step.done(Reply(SliceDone(Slice(1, 1)), 1, 11.0))
    step.released()

    assert bench.line[0].prepare() is None

    assert (bench.failure.code, bench.failure.retryable) == ("document_cpu_limit", False)


def test_a_child_that_runs_out_of_the_documents_time_ends_the_document(bench: Bench) -> None:
    bench.begun()
    bench.answer(plan_of((1, 1), (2, 2)))

    bench.kill(ChildTimedOut("the child did not finish in 40 s"))

    assert bench.failure.code == "timed_out"
    assert "conversion_timeout_seconds" in bench.failure.message


def test_its_seconds_are_counted_from_its_claim_on(bench: Bench) -> None:
    run = bench.run()
    bench.now += 7.5

    assert run.seconds == 7.5
