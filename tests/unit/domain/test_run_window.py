"""The hours in which a worker may work."""

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blobforge.domain.errors import InvalidValue
from blobforge.domain.run_window import RunWindow, is_open, next_change, parse_run_window, parse_run_windows

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = parse_run_windows("22:00-06:00")


def in_berlin(moment: datetime) -> datetime:
    return moment.astimezone(BERLIN)


def in_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("22:00-06:00", RunWindow(time(22), time(6))),
        ("9:05-17:30", RunWindow(time(9, 5), time(17, 30))),
        ("18:00-24:00", RunWindow(time(18), time(0))),
        ("00:00-24:00", RunWindow(time(0), time(0))),
    ],
)
def test_a_window_is_two_times_of_day(text: str, window: RunWindow) -> None:
    assert parse_run_window(text) == window
    assert parse_run_window(str(window)) == window


@pytest.mark.parametrize(
    "text", ["", "22-6", "22:00", "22:00-25:00", "22:60-06:00", "24:01-06:00", "10:00-10:00", "a-b"]
)
def test_anything_else_is_refused_in_words(text: str) -> None:
    with pytest.raises(InvalidValue, match="run window"):
        parse_run_window(text)


def test_several_windows_have_commas_between_them() -> None:
    assert parse_run_windows(" 12:00-13:00, 22:00-06:00 ,") == (*parse_run_windows("12:00-13:00"), *NIGHT)
    assert parse_run_windows("") == ()


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ("2026-01-01T21:59:59", False),
        ("2026-01-01T22:00:00", True),
        ("2026-01-02T00:00:00", True),
        ("2026-01-02T05:59:59", True),
        ("2026-01-02T06:00:00", False),
    ],
)
def test_a_window_goes_over_midnight_and_ends_before_its_end(moment: str, expected: bool) -> None:
    assert is_open(NIGHT, now=utc(moment), local=in_utc) is expected


def test_the_clock_on_the_wall_decides() -> None:
    assert is_open(NIGHT, now=utc("2026-01-01T21:00"), local=in_berlin)
    assert not is_open(NIGHT, now=utc("2026-07-01T19:59"), local=in_berlin)
    assert is_open(NIGHT, now=utc("2026-07-01T20:00"), local=in_berlin)


def test_without_windows_it_is_always_open_and_nothing_changes() -> None:
    assert is_open((), now=utc("2026-01-01T12:00"), local=in_utc)
    assert next_change((), now=utc("2026-01-01T12:00"), local=in_utc) is None


def test_a_window_of_the_whole_day_never_closes() -> None:
    whole = parse_run_windows("00:00-24:00")

    assert is_open(whole, now=utc("2026-01-01T00:00"), local=in_utc)
    assert next_change(whole, now=utc("2026-01-01T12:00"), local=in_utc) is None


@pytest.mark.parametrize(
    ("now", "change"),
    [
        ("2026-01-01T12:00:30", "2026-01-01T22:00"),
        ("2026-01-01T22:00:00", "2026-01-02T06:00"),
        ("2026-01-02T05:59:59", "2026-01-02T06:00"),
    ],
)
def test_the_next_opening_or_closing_is_known(now: str, change: str) -> None:
    assert next_change(NIGHT, now=utc(now), local=in_utc) == utc(change)


def test_of_two_windows_that_touch_the_end_of_the_second_counts() -> None:
    both = parse_run_windows("20:00-22:00,22:00-06:00")

    assert next_change(both, now=utc("2026-01-01T21:00"), local=in_utc) == utc("2026-01-02T06:00")


def test_the_night_in_which_clocks_go_forward_is_an_hour_shorter() -> None:
    # In Berlin, 2026-03-29 has no time between 02:00 and 03:00.
    assert next_change(NIGHT, now=utc("2026-03-28T21:00"), local=in_berlin) == utc("2026-03-29T04:00")


def test_the_night_in_which_clocks_go_back_is_an_hour_longer() -> None:
    # In Berlin, the hour from 02:00 to 03:00 comes twice on 2026-10-25.
    assert next_change(NIGHT, now=utc("2026-10-24T20:00"), local=in_berlin) == utc("2026-10-25T05:00")


def test_a_window_that_begins_in_the_missing_hour_opens_after_it() -> None:
    missing = parse_run_windows("02:30-05:00")

    assert next_change(missing, now=utc("2026-03-29T00:00"), local=in_berlin) == utc("2026-03-29T01:00")


def test_a_window_in_the_hour_that_comes_twice_opens_twice() -> None:
    twice = parse_run_windows("02:00-02:30")

    opens = next_change(twice, now=utc("2026-10-24T23:00"), local=in_berlin)
    assert opens == utc("2026-10-25T00:00")
    closes = next_change(twice, now=opens, local=in_berlin)
    assert closes == utc("2026-10-25T00:30")
    assert next_change(twice, now=closes, local=in_berlin) == utc("2026-10-25T01:00")


MINUTES = st.builds(time, st.integers(0, 23), st.integers(0, 59))


IN_2026 = st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001


@given(st.tuples(MINUTES, MINUTES).filter(lambda pair: pair[0] != pair[1]), IN_2026)
def test_at_a_change_it_is_the_other_way_round(times: tuple[time, time], now: datetime) -> None:
    windows = (RunWindow(*times),)

    change = next_change(windows, now=now, local=in_berlin)

    assert change is not None
    assert change > now
    assert is_open(windows, now=change, local=in_berlin) is not is_open(windows, now=now, local=in_berlin)
