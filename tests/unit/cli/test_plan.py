"""How `plan` tells the time that a new run takes."""

from dataclasses import replace
from datetime import timedelta

from blobforge.cli.commands.plan import _estimate_json, _time_lines
from blobforge.domain.recipe import Recipe
from blobforge.results.forecast import Estimate, MeasuredPace
from blobforge.results.redoing import Amount, Gaps, RedoPlan

MILLISECONDS = MeasuredPace(
    documents=2, pages=6, worked=timedelta(milliseconds=24), at_once=1.0, seconds_a_page=0.004, scatter=0.001
)
PLAN = RedoPlan(
    recipe=Recipe(processor="p", version="1", engine="e", engine_version="1"),
    done=Amount(),
    kept=Amount(),
    redo=Amount(2, 6, 200),
    lost=0,
    gaps=Gaps(),
    stocks=(),
    uncompleted=0,
    pace=MILLISECONDS,
    pace_is_of_engine=True,
    estimate=Estimate(timedelta(milliseconds=8), timedelta(milliseconds=24), timedelta(milliseconds=300)),
)


def test_times_of_some_milliseconds_are_told_as_such() -> None:
    told = dict(_time_lines(PLAN))

    assert told["time"] == "about 24 ms, between 8 ms and 0.3 s"
    assert told["judged by"] == "2 documents: 6 pages in 24 ms, 1.0 at once"
    estimate = _estimate_json(PLAN)
    assert estimate is not None
    assert (estimate["likely_seconds"], estimate["worked_seconds"]) == (0.024, 0.024)


def test_pages_that_were_skipped_may_take_longer_than_what_it_is_judged_by() -> None:
    told = [text for _, text in _time_lines(replace(PLAN, gaps=Gaps(1, 3, 1)))]

    assert "pages that were skipped before, as those for OCR, may be much slower" in told
    assert not any("slower" in text for _, text in _time_lines(PLAN))
