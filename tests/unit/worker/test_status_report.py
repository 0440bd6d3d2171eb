"""The worker as others see it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from blobforge.domain.endings import Completed, Failed, Released
from blobforge.domain.errors import LeaseLost
from blobforge.domain.job import Failure, Job, State
from blobforge.domain.run_window import parse_run_windows
from blobforge.domain.service_record import ServiceRecord, together
from blobforge.domain.worker import WorkerStatus
from blobforge.domain.worker_report import Machine, WorkerReport, read_report
from blobforge.ports.processor import Progress
from blobforge.testing.builders import ALICE, a_job
from blobforge.testing.clock import START, FakeClock
from blobforge.worker.loop_settings import LoopSettings
from blobforge.worker.run_schedule import RunSchedule
from blobforge.worker.status_report import StatusReporter


class Gauge:
    def measure(self) -> Machine:
        return Machine(cpu_percent=50.0)


class RecordInMemory:
    """A record in memory, which may refuse."""

    def __init__(self) -> None:
        self.kept = ServiceRecord(since=START - timedelta(hours=10), completed=40)
        self.refuses = False

    def add(self, added: ServiceRecord, *, now: datetime) -> ServiceRecord | None:
        if self.refuses:
            return None
        self.kept = together(self.kept, added, now=now)
        return self.kept


class Bench:
    def __init__(self, *, slots: int = 2, windows: str = "") -> None:
        self.clock = FakeClock()
        self.record = RecordInMemory()
        self.reporter = StatusReporter(
            LoopSettings(worker_id=ALICE, name="rack4", slots=slots),
            types=["pdf", "echo"],
            clock=self.clock,
            schedule=RunSchedule(parse_run_windows(windows), clock=self.clock, local=lambda now: now.astimezone(UTC)),
            gauge=Gauge(),
            record=self.record,
        )

    def report(self, *running: Job) -> WorkerReport:
        return read_report(self.reporter.full(running, WorkerStatus.ONLINE).metadata, worker_id=ALICE)


def running_job(job_id: int = 1, **facts: Any) -> Job:
    usual: dict[str, Any] = {"started_at": START, "source_path": "/docs/report.pdf", "source_size": 1000}
    return a_job(f"{job_id}", job_id=job_id, **{**usual, **facts})


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_worker_is_told_with_its_name_and_its_status(bench: Bench) -> None:
    job = running_job()

    worker = bench.reporter.full([job], WorkerStatus.DRAINING)

    assert (worker.id, worker.type, worker.status) == (ALICE, "echo,pdf", WorkerStatus.DRAINING)
    assert (worker.last_heartbeat, worker.current_job_id) == (START, job.id)
    assert (worker.metadata["name"], worker.metadata["slots"], worker.metadata["running"]) == ("rack4", 2, 1)


def test_a_running_job_is_told_with_its_document_and_its_progress(bench: Bench) -> None:
    """R2-17, R2-31."""
    job = running_job()
    bench.clock.advance(seconds=10)
    bench.reporter.progressed(job, Progress("Recognizing Text", 5, 12))

    (told,) = bench.report(job).jobs

    assert (told.source_hash, told.name, told.size) == (job.source_hash, "report.pdf", 1000)
    assert (told.started_at, told.elapsed_seconds) == (START, 10.0)
    assert (told.stage, told.current, told.total) == ("Recognizing Text", 5, 12)
    assert (told.rate, told.eta_seconds) == (0.5, 14.0)


def test_progress_goes_on_between_two_heartbeats_and_is_told_with_the_next(bench: Bench) -> None:
    """R2-32."""
    job = running_job()
    for current in range(1, 9):
        bench.clock.advance(seconds=1)
        bench.reporter.progressed(job, Progress("converting", current, 10))

    (told,) = bench.report(job).jobs

    assert (told.current, told.rate, told.eta_seconds) == (8, 1.0, 2.0)


def test_a_second_stage_is_measured_by_itself(bench: Bench) -> None:
    job = running_job()
    bench.clock.advance(seconds=100)
    bench.reporter.progressed(job, Progress("converting", 10, 10))
    bench.reporter.progressed(job, Progress("writing", 0, 4))
    bench.clock.advance(seconds=2)
    bench.reporter.progressed(job, Progress("writing", 1, 4))

    (told,) = bench.report(job).jobs

    assert (told.stage, told.rate, told.eta_seconds) == ("writing", 0.5, 6.0)


def test_a_job_that_said_nothing_yet_is_told_without_a_stage(bench: Bench) -> None:
    (told,) = bench.report(running_job(source_path=None, source_size=None)).jobs

    assert (told.name, told.size, told.stage, told.rate, told.eta_seconds) == ("", None, None, None, None)


def test_prefetched_jobs_are_counted_but_not_reported_as_work() -> None:
    bench = Bench(slots=1)

    report = bench.report(running_job(1), running_job(2), running_job(3))

    assert (report.running, [job.job_id for job in report.jobs]) == (3, [1])


def test_a_job_beside_long_ones_is_told_once_it_has_had_a_slot() -> None:
    bench = Bench(slots=1)
    beside = running_job(3)
    bench.reporter.progressed(beside, Progress("converting", 1, 2))

    report = bench.report(running_job(1), running_job(2), beside)

    assert [job.job_id for job in report.jobs] == [1, 3]


def test_a_word_that_comes_after_the_end_is_not_told_of_a_later_run(bench: Bench) -> None:
    job = running_job()
    bench.reporter.ended(Released(job), job)
    bench.reporter.progressed(job, Progress("converting", 9, 10))
    bench.report()

    (told,) = bench.report(job).jobs

    assert told.stage is None


def test_names_that_are_no_text_can_be_kept(bench: Bench) -> None:
    (told,) = bench.report(running_job(source_path="/docs/a\0b.pdf")).jobs

    assert told.name == "a\\0b.pdf"


def test_the_machine_is_measured_for_a_heartbeat_and_not_for_the_first_word(bench: Bench) -> None:
    """R2-16."""
    first = read_report(bench.reporter.initial([], WorkerStatus.ONLINE).metadata, worker_id=ALICE)

    assert first.machine == Machine()
    assert bench.report().machine == Machine(cpu_percent=50.0)


def test_what_was_done_is_added_to_what_was_done_before_a_restart(bench: Bench) -> None:
    """R2-19."""
    bench.clock.advance(seconds=4)
    done, failed, lost, released, again = (running_job(number) for number in range(1, 6))
    bench.reporter.ended(Completed(done, "{}"), done)
    bench.reporter.ended(Failed(failed, Failure("timed_out", "too slow")), failed._replace(state=State.DEAD))
    bench.reporter.ended(Failed(again, Failure("timed_out", "too slow")), again._replace(state=State.FAILED))
    bench.reporter.ended(Completed(lost, "{}"), LeaseLost("another has it"))
    bench.reporter.ended(Released(released), released)

    metrics = bench.report().metrics

    assert (metrics.jobs_completed, metrics.jobs_failed, metrics.bytes_processed) == (41, 1, 1000)
    assert metrics.jobs_per_hour == 1.0
    assert bench.record.kept.seconds == 4.0


def test_what_could_not_be_kept_is_told_all_the_same_and_kept_later(bench: Bench) -> None:
    bench.record.refuses = True
    job = running_job()
    bench.reporter.ended(Completed(job, "{}"), job)

    while_refused = bench.report().metrics.jobs_completed
    bench.record.refuses = False

    assert while_refused == 1
    assert bench.report().metrics.jobs_completed == 41
    assert bench.report().metrics.jobs_completed == 41


def test_the_windows_are_told_and_when_they_open() -> None:
    bench = Bench(windows="22:00-06:00")

    closed = bench.report()
    bench.clock.advance(hours=11)

    assert (closed.run_windows, closed.opens_at) == (("22:00-06:00",), START + timedelta(hours=10))
    assert bench.report().opens_at is None
