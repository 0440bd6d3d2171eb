"""When a worker may take jobs."""

from datetime import UTC, datetime, timedelta

from blobforge.domain.run_window import parse_run_windows
from blobforge.testing.clock import START, FakeClock
from blobforge.worker.run_schedule import RunSchedule, wall_clock


def in_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def schedule(text: str, clock: FakeClock) -> RunSchedule:
    return RunSchedule(parse_run_windows(text), clock=clock, local=in_utc)


def test_without_windows_they_never_close() -> None:
    always = schedule("", FakeClock())

    assert always.is_open()
    assert always.opens_at() is None
    assert always.seconds_to_sleep() == 60


def test_a_closed_schedule_says_when_it_opens() -> None:
    clock = FakeClock()
    night = schedule("22:00-06:00", clock)

    closed, opens_at = night.is_open(), night.opens_at()
    clock.advance(hours=10)

    assert (closed, opens_at) == (False, START + timedelta(hours=10))
    assert night.is_open()
    assert night.opens_at() is None


def test_sleep_ends_at_the_next_change_and_after_a_minute_at_the_latest() -> None:
    clock = FakeClock()
    night = schedule("22:00-06:00", clock)

    assert night.seconds_to_sleep() == 60
    clock.advance(hours=9, minutes=59, seconds=30)
    assert night.seconds_to_sleep() == 30


def test_a_clock_that_is_set_back_closes_them_again() -> None:
    clock = FakeClock()
    night = schedule("22:00-06:00", clock)
    clock.advance(hours=11)
    assert night.is_open()

    clock.advance(hours=-5)

    assert not night.is_open()


def test_the_wall_is_in_the_time_zone_of_this_machine() -> None:
    assert wall_clock(START) == START
    assert wall_clock(START).utcoffset() == START.astimezone().utcoffset()
