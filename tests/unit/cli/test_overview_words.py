"""Times, shares and stages in few letters."""

from datetime import timedelta

import pytest
from tests.unit.cli.reports import running_job

from blobforge.cli.overview.words import percent, rate_text, share_done, short_time, stage_text, time_left_text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-3, "0s"), (45, "45s"), (150, "2m30s"), (3900, "1h05m"), (4 * 3600 + 3 * 86_400, "3d04h"), (59.7, "1m00s")],
)
def test_times_are_short(seconds: float, text: str) -> None:
    assert short_time(timedelta(seconds=seconds)) == text


@pytest.mark.parametrize(("eta", "heard", "text"), [(45.0, 0, "~45s"), (162.0, 12, "~2m30s"), (10.0, 30, "soon")])
def test_the_time_that_is_left_is_counted_down_since_it_was_told(eta: float, heard: float, text: str) -> None:
    """R2-33."""
    assert time_left_text(running_job(eta_seconds=eta), heard=timedelta(seconds=heard)) == text


def test_where_no_time_is_known_none_is_told() -> None:
    assert time_left_text(running_job(eta_seconds=None), heard=timedelta(0)) == ""


@pytest.mark.parametrize(
    ("stage", "total", "text"),
    [
        ("Recognizing Text", 12, "Recognizing Text: 5/12"),
        ("converting", 12, "Converting: 5/12"),
        ("writing", 0, "Writing"),
        (None, 0, "Working"),
    ],
)
def test_a_stage_is_told_with_its_count(stage: str | None, total: int, text: str) -> None:
    """R2-33."""
    assert stage_text(running_job(stage=stage, total=total)) == text


def test_shares_stay_within_bounds() -> None:
    assert share_done(running_job(current=5, total=0)) == 0.0
    assert share_done(running_job(current=15, total=12)) == 1.0
    assert (percent(1, 4), percent(None, 4), percent(1, 0)) == ("25%", "", "")


def test_slow_rates_are_told_by_the_minute() -> None:
    assert (rate_text(8.25), rate_text(0.11), rate_text(None)) == ("8.2/s", "6.6/min", "")
