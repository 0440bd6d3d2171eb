"""What a worker has done over all its restarts."""

from datetime import timedelta

from blobforge.domain.service_record import (
    ServiceRecord,
    metrics_of,
    read_record,
    record_json,
    together,
    with_completed,
    with_failed,
)
from blobforge.domain.worker_report import Metrics
from blobforge.testing.clock import START

HOUR = timedelta(hours=1)


def completed(record: ServiceRecord, *, size: int = 100, seconds: float = 2.0) -> ServiceRecord:
    return with_completed(record, size=size, took=timedelta(seconds=seconds), now=START)


def test_the_five_metrics_come_from_what_was_done() -> None:
    """R2-19."""
    record = with_failed(completed(completed(ServiceRecord(since=START - HOUR), seconds=2), size=50, seconds=4))

    assert metrics_of(record, now=START) == Metrics(
        jobs_completed=2, jobs_failed=1, bytes_processed=150, avg_processing_time=3.0, jobs_per_hour=2.0
    )


def test_a_new_worker_has_no_mean_and_no_pace() -> None:
    assert metrics_of(ServiceRecord(since=START), now=START) == Metrics()


def test_the_pace_of_a_young_worker_is_that_of_its_life() -> None:
    record = completed(ServiceRecord(since=START - timedelta(minutes=6)))

    assert metrics_of(record, now=START).jobs_per_hour == 10.0


def test_the_first_seconds_make_no_absurd_pace() -> None:
    record = completed(ServiceRecord(since=START - timedelta(seconds=1)))

    assert metrics_of(record, now=START).jobs_per_hour == 60.0


def test_what_is_more_than_an_hour_ago_is_no_pace_any_more() -> None:
    record = completed(ServiceRecord(since=START - HOUR))

    assert metrics_of(record, now=START + HOUR).jobs_per_hour == 0.0
    assert metrics_of(record, now=START + HOUR).jobs_completed == 1


def test_minutes_that_are_long_over_are_forgotten() -> None:
    record = completed(ServiceRecord())

    record = together(record, ServiceRecord(), now=START + 2 * HOUR)

    assert record.recent == {}


def test_two_records_add_up_and_the_earlier_start_counts() -> None:
    one, other = completed(ServiceRecord(since=START)), completed(ServiceRecord(since=START - HOUR))

    both = together(one, with_failed(other), now=START)

    assert (both.since, both.completed, both.failed, both.bytes_processed) == (START - HOUR, 2, 1, 200)
    assert sum(both.recent.values()) == 2


def test_a_clock_that_ran_backwards_makes_no_negative_time() -> None:
    assert completed(ServiceRecord(), seconds=-5).seconds == 0.0


def test_a_record_survives_being_written() -> None:
    record = with_failed(completed(ServiceRecord(since=START)))

    assert read_record(record_json(record)) == record


def test_what_makes_no_sense_in_a_record_counts_as_nothing() -> None:
    """R2-46."""
    assert read_record(["no", "record"]) == ServiceRecord()
    assert read_record(
        {"since": "yesterday", "completed": "many", "failed": -3, "seconds": None, "recent": {"x": 1, "5": "y"}}
    ) == ServiceRecord(recent={5: 0})


def test_a_record_that_does_not_know_its_beginning_has_the_pace_of_an_hour() -> None:
    record = ServiceRecord(since=None, completed=1, seconds=2.0)

    assert metrics_of(record, now=START).jobs_completed == 1
