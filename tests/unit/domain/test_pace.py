"""Rates and the time that is left."""

from datetime import timedelta

from blobforge.domain import pace
from blobforge.testing.clock import START


def later(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


def test_units_a_second_give_the_time_for_the_rest() -> None:
    """R2-31."""
    leg = pace.first_leg("Recognizing Text", 5, 12, began=START)

    now = START + later(10)

    assert pace.rate(leg, now=now) == 0.5
    assert pace.time_left(leg, now=now) == later(14)


def test_a_later_stage_counts_from_its_first_word() -> None:
    leg = pace.next_leg("writing", 4, 10, now=START)

    leg = pace.moved(leg, 7, 10, now=START + later(6))

    assert pace.rate(leg, now=START + later(6)) == 0.5
    assert pace.time_left(leg, now=START + later(6)) == later(6)


def test_nothing_is_estimated_before_something_is_done() -> None:
    leg = pace.next_leg("writing", 4, 10, now=START)

    assert pace.rate(leg, now=START + later(6)) is None
    assert pace.time_left(leg, now=START + later(6)) is None


def test_a_clock_that_stood_still_gives_no_rate() -> None:
    leg = pace.first_leg("converting", 5, 12, began=START)

    assert pace.rate(leg, now=START) is None


def test_units_that_are_done_again_are_measured_anew() -> None:
    leg = pace.first_leg("converting", 8, 12, began=START)

    back = pace.moved(leg, 2, 12, now=START + later(8))
    again = pace.moved(back, 4, 12, now=START + later(10))

    assert pace.rate(again, now=START + later(10)) == 1.0


def test_more_units_than_were_announced_leave_no_time_below_zero() -> None:
    leg = pace.first_leg("converting", 15, 12, began=START)

    assert pace.time_left(leg, now=START + later(5)) == later(0)
