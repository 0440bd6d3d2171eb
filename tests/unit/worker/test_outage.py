"""An outage of an hour is told in a few lines."""

import pytest

from blobforge.domain.errors import DiskFull, StoreUnavailable
from blobforge.worker.outage import Outage


def test_an_outage_is_told_at_once_then_seldom_and_when_it_is_over(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "blobforge")
    seconds = 0.0
    outage = Outage("the queue", seconds=lambda: seconds)

    for second in range(3600):
        seconds = float(second)
        outage.goes_on(StoreUnavailable("connection refused"))
    outage.is_over()
    outage.is_over()

    told = [record.getMessage() for record in caplog.records]
    assert "the queue does not answer; waiting" in told[0]
    assert "connection refused" in told[0]
    assert all("the queue still does not answer" in line for line in told[1:-1])
    assert "the queue answers again" in told[-1]
    assert len(told) < 15


def test_a_disk_has_words_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "blobforge")
    outage = Outage("the disk", lacks="has no room", has="has room again")

    outage.goes_on(DiskFull("make room"))
    outage.is_over()

    told = [record.getMessage() for record in caplog.records]
    assert ["the disk has no room; waiting" in told[0], "the disk has room again" in told[1]] == [True, True]


def test_the_next_outage_is_told_at_once_again(caplog: pytest.LogCaptureFixture) -> None:
    outage = Outage("the queue")

    for _ in range(2):
        outage.goes_on(StoreUnavailable("gone"))
        outage.is_over()

    assert len([record for record in caplog.records if "does not answer; waiting" in record.getMessage()]) == 2
