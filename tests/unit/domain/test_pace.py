"""Rates and the time that is left."""

from datetime import timedelta

from blobforge.domain import pace
from blobforge.testing.clock import START


def later(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


def test_units_a_second_give_the_time_for_the_rest() -> None:
    """R2-31."""
    stage_progress = pace.first_stage("Recognizing Text", 5, 12, began=START)

    now = START + later(10)

    assert pace.rate(stage_progress, now=now) == 0.5
    assert pace.time_left(stage_progress, now=now) == later(14)


def test_a_later_stage_counts_from_its_first_word() -> None:
    stage_progress = pace.later_stage("writing", 4, 10, now=START)

    stage_progress = pace.moved(stage_progress, 7, 10, now=START + later(6))

    assert pace.rate(stage_progress, now=START + later(6)) == 0.5
    assert pace.time_left(stage_progress, now=START + later(6)) == later(6)


def test_nothing_is_told_before_something_is_done() -> None:
    stage_progress = pace.later_stage("writing", 4, 10, now=START)

    assert pace.rate(stage_progress, now=START + later(6)) is None
    assert pace.time_left(stage_progress, now=START + later(6)) is None


def test_a_clock_that_stood_still_gives_no_rate() -> None:
    stage_progress = pace.first_stage("converting", 5, 12, began=START)

    assert pace.rate(stage_progress, now=START) is None


def test_units_that_are_done_again_are_measured_anew() -> None:
    stage_progress = pace.first_stage("converting", 8, 12, began=START)

    back = pace.moved(stage_progress, 2, 12, now=START + later(8))
    again = pace.moved(back, 4, 12, now=START + later(10))

    assert pace.rate(again, now=START + later(10)) == 1.0


def test_more_units_than_were_announced_leave_no_time_below_zero() -> None:
    stage_progress = pace.first_stage("converting", 15, 12, began=START)

    assert pace.time_left(stage_progress, now=START + later(5)) == later(0)
