"""What there is to see of a queue, and what it costs to look."""

import json
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from tests.unit.cli.reports import LOST_AFTER, queue_with, running_job, seen, worker
from tests.unit.worker.flaky import FlakyCoordinator

from blobforge.cli.overview.as_json import overview_json
from blobforge.cli.overview.facts import WorkerState, look_at_workers
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed, Failed
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.job import Failure, State
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.domain.worker_report import Metrics, RunningJob
from blobforge.ports.job_store import Queue
from blobforge.testing.builders import ALICE, BOB, new_job
from blobforge.testing.clock import START

PDFS = Queue("default", ("pdf",))


def with_jobs(queue: CoordinationService, *, dead: int = 0, failed: int = 0, completed: int = 0) -> None:
    queue.submit([new_job(f"{number}") for number in range(dead + failed + completed + 2)])
    held = queue.claim(PDFS, worker_id=ALICE, limit=dead + failed + completed)
    queue.end([Failed(job, Failure("not_a_pdf", "it is HTML")) for job in held[:dead]])
    late = Failure("timed_out", "too slow", retryable=True)
    queue.end([Failed(job, late) for job in held[dead : dead + failed]])
    queue.end([Completed(job, "{}") for job in held[dead + failed :]])


def with_running(count: int) -> tuple[CoordinationService, list[RunningJob]]:
    """A queue with so many running jobs, and what a worker tells of them."""
    queue = queue_with()
    queue.submit([new_job(f"running {number}") for number in range(count)])
    held = queue.claim(PDFS, worker_id=ALICE, limit=count)
    return queue, [running_job(job_id=job.id, source_hash=job.source_hash) for job in held]


def programs_get(queue: CoordinationService) -> Any:
    return json.loads(json.dumps(overview_json(seen(queue))))


def test_what_has_ended_since_its_worker_told_of_it_is_not_running() -> None:
    queue, told = with_running(4)
    queue.register_worker(worker(jobs=told, ago=34))
    ended, cancelled, again, still = queue.get_many([JobId(job.job_id) for job in told])
    queue.end([Completed(ended, "{}")])
    queue.cancel(cancelled.id)
    queue.requeue(again.id)
    (other,) = queue.claim(PDFS, worker_id=BOB)

    overview = seen(queue)

    assert other.id == again.id
    assert overview.count(State.RUNNING) == 2
    assert [job.job_id for _, job in overview.running] == [again.id, still.id]
    assert (overview.totals.busy, overview.not_told) == (2, 0)


def test_programs_get_no_documents_that_have_ended_since_their_worker_told_of_them() -> None:
    queue, told = with_running(3)
    queue.register_worker(worker(jobs=told, ago=34))
    queue.end([Completed(queue.get(JobId(told[0].job_id)), "{}")])
    queue.cancel(JobId(told[1].job_id))

    (listed,) = programs_get(queue)["workers"]

    assert [job["job_id"] for job in listed["jobs"]] == [str(told[2].job_id)]


def test_of_a_lost_worker_programs_get_what_it_told_last() -> None:
    queue, told = with_running(1)
    queue.register_worker(worker(jobs=told, ago=3600))
    queue.end([Completed(queue.get(JobId(told[0].job_id)), "{}")])

    (listed,) = programs_get(queue)["workers"]

    assert (listed["standing"], len(listed["jobs"])) == ("lost", 1)


def test_what_has_ended_is_not_running_where_as_many_have_begun_since() -> None:
    queue, told = with_running(2)
    queue.register_worker(worker(jobs=told[:1], ago=34))
    queue.end([Completed(queue.get(JobId(told[0].job_id)), "{}")])

    overview = seen(queue)

    assert (overview.count(State.RUNNING), overview.running, overview.not_told) == (1, [], 1)


def test_the_time_that_is_left_is_not_that_of_a_document_which_has_ended() -> None:
    queue, told = with_running(2)
    queue.register_worker(worker(jobs=[replace(told[0], eta_seconds=7200.0), told[1]]))
    queue.end([Completed(queue.get(JobId(told[0].job_id)), "{}")])

    left = seen(queue).time_left

    assert left is not None
    assert left < timedelta(minutes=2)


def test_what_a_lost_worker_held_is_counted_apart_from_what_was_not_told_of_yet() -> None:
    queue, told = with_running(3)
    queue.register_worker(worker(jobs=told[:1], ago=3600))

    overview = seen(queue)

    assert (overview.held_by_lost, overview.not_told) == (1, 2)


def test_what_runs_and_was_not_told_of_yet_is_counted() -> None:
    queue, told = with_running(3)
    queue.register_worker(worker(jobs=told[:1]))

    assert seen(queue).not_told == 2


@pytest.mark.parametrize(("told", "more"), [(0, {}), (4, {"states": 1})], ids=["nothing is told", "jobs are told"])
def test_a_look_asks_seven_questions_however_much_there_is(told: int, more: dict[str, int]) -> None:
    queue, jobs = with_running(20 * 4)
    for number in range(20):
        queue.register_worker(worker(f"w{number}", jobs=jobs[4 * number : 4 * number + told]))
    with_jobs(queue, dead=30, failed=30)
    asked: Counter[str] = Counter()
    flaky = FlakyCoordinator(queue)
    for name in dir(queue):
        flaky.on_call[name] = partial(asked.update, [name])

    seen(flaky.as_coordinator())

    assert asked == {"counts": 1, "gaps": 1, "doubts": 1, "workers": 1, "page": 1, "pauses": 1, **more}


def test_where_nothing_failed_no_job_is_asked_for() -> None:
    queue = queue_with()
    flaky = FlakyCoordinator(queue)
    flaky.refuse("page")

    assert seen(flaky.as_coordinator()).failures == ()


@pytest.mark.parametrize(("ago", "lost"), [(12, False), (180, False), (181, True)])
def test_a_worker_that_missed_three_beats_is_lost_and_does_not_work(ago: float, lost: bool) -> None:
    overview = seen(queue_with(worker(ago=ago, jobs=[running_job()])))

    assert overview.workers[0].standing is (WorkerState.LOST if lost else WorkerState.WORKING)
    assert len(overview.running) == (0 if lost else 1)
    assert (overview.totals.alive, overview.totals.lost) == ((0, 1) if lost else (1, 0))


def test_who_is_heard_more_often_is_missed_sooner() -> None:
    assert seen(queue_with(worker(ago=20, heartbeat_seconds=5.0))).workers[0].standing is WorkerState.LOST


def test_a_moment_of_silence_is_no_loss() -> None:
    assert seen(queue_with(worker(ago=4, heartbeat_seconds=0.5))).workers[0].standing is WorkerState.IDLE


def test_a_worker_that_says_nothing_of_its_beats_is_lost_with_its_lease() -> None:
    silent = Worker(id=ALICE, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=START - timedelta(seconds=181))

    assert seen(queue_with(silent)).workers[0].standing is WorkerState.LOST


@pytest.mark.parametrize(
    ("one", "standing"),
    [
        (worker(), WorkerState.IDLE),
        (worker(jobs=[running_job()]), WorkerState.WORKING),
        (worker(jobs=[running_job()], status=WorkerStatus.DRAINING), WorkerState.DRAINING),
        (worker(opens_at=START + timedelta(hours=1)), WorkerState.SLEEPING),
        (worker(opens_at=START + timedelta(hours=1), jobs=[running_job()]), WorkerState.WORKING),
        (worker(status=WorkerStatus.OFFLINE), WorkerState.LOST),
    ],
)
def test_how_a_worker_stands(one: Worker, standing: WorkerState) -> None:
    assert seen(queue_with(one)).workers[0].standing is standing


def test_the_busy_come_first_and_the_lost_last() -> None:
    workers = [worker("lost", ago=999), worker("idle"), worker("busy", jobs=[running_job()])]

    found = look_at_workers(queue_with(*workers), now=START, lost_after=LOST_AFTER)

    assert [one.report.name for one in found] == ["busy", "idle", "lost"]


def test_processes_of_one_name_share_a_record_which_counts_once() -> None:
    """R2-20."""
    old = Metrics(jobs_completed=10, avg_processing_time=2.0, jobs_per_hour=5.0)
    new = Metrics(jobs_completed=12, jobs_failed=1, bytes_processed=100, avg_processing_time=2.0, jobs_per_hour=7.0)
    other = Metrics(jobs_completed=4, avg_processing_time=6.0, jobs_per_hour=3.0)
    workers = [
        worker("rack4", process="1.00", metrics=old),
        worker("rack4", process="2.00", metrics=new),
        worker("rack5", metrics=other),
    ]

    totals = seen(queue_with(*workers)).totals

    assert (totals.jobs_completed, totals.jobs_failed, totals.bytes_processed) == (16, 1, 100)
    assert (totals.avg_processing_time, totals.jobs_per_hour) == (3.0, 10.0)
    assert totals.slots == 12


def test_who_is_lost_has_done_what_it_did_but_has_no_pace() -> None:
    totals = seen(queue_with(worker(ago=999))).totals

    assert (totals.jobs_completed, totals.jobs_per_hour, totals.slots) == (1340, 0.0, 0)


def test_slots_are_not_busier_than_they_can_be() -> None:
    assert seen(queue_with(worker(slots=2, jobs=[running_job()] * 5))).totals.busy == 2


def test_dead_jobs_are_shown_and_failed_ones_where_none_is_dead() -> None:
    dead, failed = queue_with(), queue_with()
    with_jobs(dead, dead=2, failed=3)
    with_jobs(failed, failed=3)

    assert [job.state for job in seen(dead).failures] == [State.DEAD] * 2
    assert [job.state for job in seen(failed).failures] == [State.FAILED] * 3


def test_the_time_for_what_waits_comes_from_the_mean_time_of_a_document_and_the_slots() -> None:
    measured = Metrics(jobs_completed=3, avg_processing_time=600.0, jobs_per_hour=4.0)
    queue, _ = with_running(1)
    queue.register_worker(worker(metrics=measured, slots=2))
    queue.submit([new_job("waiting")])

    assert seen(queue).time_left == timedelta(minutes=10)


def test_no_time_is_told_while_nothing_runs_for_what_waits_may_be_for_nobody_who_is_there() -> None:
    queue = queue_with(worker(metrics=Metrics(jobs_completed=3, avg_processing_time=600.0)))
    with_jobs(queue, completed=3)

    assert seen(queue).time_left is None


def test_hours_in_which_no_worker_ran_do_not_make_the_rest_take_hours() -> None:
    queue, told = with_running(2)
    jobs = [replace(told[0], eta_seconds=105.0), replace(told[1], eta_seconds=116.0)]
    one_an_hour_ago = Metrics(jobs_completed=2, avg_processing_time=2.2, jobs_per_hour=6.0)
    queue.register_worker(worker(jobs=jobs, metrics=one_an_hour_ago, slots=2, ago=0))
    queue.submit([new_job(f"waiting {number}") for number in range(3)])

    left = seen(queue).time_left

    assert left is not None
    assert timedelta(seconds=110) < left < timedelta(seconds=120)


def test_before_the_first_one_is_done_what_runs_is_the_measure() -> None:
    queue, told = with_running(1)
    half_done = replace(told[0], elapsed_seconds=30.0, eta_seconds=30.0)
    queue.register_worker(worker(jobs=[half_done], metrics=Metrics(), slots=1, ago=0))
    queue.submit([new_job("waiting")])

    left = seen(queue).time_left

    assert left is not None
    assert timedelta(seconds=85) < left <= timedelta(seconds=90)


def test_all_of_it_takes_no_less_than_the_longest_of_its_parts() -> None:
    slow = running_job(eta_seconds=7200.0)
    measured = Metrics(jobs_completed=3, avg_processing_time=9.0)
    queue, _ = with_running(2)
    queue.register_worker(worker(jobs=[running_job(eta_seconds=60.0), slow], metrics=measured))

    left = seen(queue).time_left

    assert left is not None
    assert timedelta(minutes=119) < left <= timedelta(hours=2)


def test_without_a_measure_or_without_work_no_time_is_told() -> None:
    idle = queue_with(worker(metrics=Metrics()))
    with_jobs(idle, completed=3)

    assert seen(idle).time_left is None
    assert seen(queue_with(worker())).time_left is None


def test_programs_get_all_of_it() -> None:
    queue = queue_with(worker(jobs=[running_job()]))
    with_jobs(queue, dead=1)

    told: dict[str, Any] = json.loads(json.dumps(overview_json(seen(queue))))

    assert list(told) == [
        "project",
        "now",
        "counts",
        "paused",
        "gaps",
        "doubts",
        "workers",
        "totals",
        "seconds_left",
        "failures",
    ]
    (one,) = told["workers"]
    assert (one["id"], one["standing"], one["jobs"][0]["name"]) == ("rack4.1.00", "working", "annual-report.pdf")
    assert told["counts"] == {
        "pdf": {"pending": 2, "running": 0, "completed": 0, "failed": 0, "dead": 1, "cancelled": 0}
    }


def test_a_worker_of_another_version_is_seen_too() -> None:
    """R2-46."""
    strange = Worker(
        id=WorkerId("strange"),
        type="pdf",
        status=WorkerStatus.ONLINE,
        last_heartbeat=START,
        metadata={"slots": "many", "jobs": "none", "running": 1},
    )

    (one,) = seen(queue_with(strange)).workers

    assert (one.report.name, one.report.slots, one.standing) == ("strange", 0, WorkerState.WORKING)
