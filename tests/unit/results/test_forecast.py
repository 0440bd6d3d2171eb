"""How long work will take, from work that was done."""

from datetime import datetime, timedelta

import pytest

from blobforge.results.forecast import Done, estimate, pace_of
from blobforge.testing.clock import START


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def done(began: float, ended: float, pages: int = 10) -> Done:
    return Done(at(began), at(ended), pages)


def test_documents_one_after_the_other_give_their_own_pace() -> None:
    pace = pace_of([done(0, 10), done(10, 20), done(20, 30)])

    assert pace is not None
    assert (pace.documents, pace.pages, pace.worked) == (3, 30, timedelta(seconds=30))
    assert (pace.seconds_a_page, pace.at_once, pace.scatter) == (1.0, 1.0, 0.0)


def test_documents_beside_each_other_are_not_counted_twice() -> None:
    pace = pace_of([done(0, 10), done(0, 10)])

    assert pace is not None
    assert (pace.worked, pace.at_once) == (timedelta(seconds=10), 2.0)


def test_documents_that_were_claimed_ahead_and_waited_do_not_slow_the_pace() -> None:
    pace = pace_of([done(0, 10), done(0, 20), done(0, 30)])

    assert pace is not None
    assert (pace.worked, pace.seconds_a_page) == (timedelta(seconds=30), 1.0)


def test_time_in_which_nobody_worked_does_not_count() -> None:
    pace = pace_of([done(0, 10), done(1000, 1010)])

    assert pace is not None
    assert pace.worked == timedelta(seconds=20)


def test_a_short_document_within_a_long_one_adds_no_time() -> None:
    pace = pace_of([done(0, 100), done(40, 50)])

    assert pace is not None
    assert pace.worked == timedelta(seconds=100)


def test_steady_work_is_foretold_exactly() -> None:
    pace = pace_of([done(number * 10, number * 10 + 10) for number in range(20)])

    assert pace is not None
    expected = timedelta(seconds=1000)
    assert estimate(pace, documents=100, pages=1000) == (expected, expected, expected)


def test_the_more_the_documents_differ_the_wider_the_range() -> None:
    steady = pace_of([done(0, 10), done(10, 21), done(21, 30)])
    unsteady = pace_of([done(0, 2), done(2, 27), done(27, 30)])

    assert steady is not None
    assert unsteady is not None
    narrow, wide = (estimate(pace, documents=50, pages=500) for pace in (steady, unsteady))
    assert narrow.likely == wide.likely
    assert wide.low < narrow.low < narrow.likely < narrow.high < wide.high


def test_the_more_is_known_the_narrower_the_range() -> None:
    few = pace_of([done(0, 5), done(5, 20)])
    many = pace_of([entry for n in range(20) for entry in (done(n * 20, n * 20 + 5), done(n * 20 + 5, n * 20 + 20))])

    assert few is not None
    assert many is not None
    assert estimate(many, documents=500, pages=5000).high < estimate(few, documents=500, pages=5000).high


def test_one_document_alone_gives_a_wide_range() -> None:
    pace = pace_of([done(0, 10)])

    assert pace is not None
    low, likely, high = estimate(pace, documents=1, pages=10)
    assert likely == timedelta(seconds=10)
    assert timedelta(0) < low < likely < high


@pytest.mark.parametrize("work", [[], [done(0, 10, pages=0)], [done(5, 5)], [done(10, 0)]])
def test_from_nothing_nothing_is_foretold(work: list[Done]) -> None:
    assert pace_of(work) is None
