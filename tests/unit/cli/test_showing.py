"""Looks at a queue, printed one below the other or drawn on one screen."""

import io
import json
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import timedelta

import pytest
from tests.unit.cli.reports import LOST_AFTER, queue_with, running_job, seen, worker
from tests.unit.worker.flaky import FlakyCoordinator

from blobforge.cli.overview import showing
from blobforge.cli.overview.facts import Overview
from blobforge.cli.overview.looking import Look, looks
from blobforge.domain.errors import StoreUnavailable
from blobforge.testing.clock import FakeClock

AWAY = StoreUnavailable("the server at example.org refuses")


class FakeTerminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


Draw = Callable[[Iterable[Look]], str]


@pytest.fixture
def draw(monkeypatch: pytest.MonkeyPatch) -> Draw:
    """What a terminal gets."""

    def on_a_terminal(seen: Iterable[Look]) -> str:
        screen = FakeTerminal()
        for name, value in {"TERM": "xterm", "COLUMNS": "80", "LINES": "24"}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "stdout", screen)
        with suppress(ZeroDivisionError):
            showing.draw(seen, ends="Ctrl-C ends")
        return screen.getvalue()

    return on_a_terminal


@pytest.fixture
def overview() -> Overview:
    return seen(queue_with(worker(jobs=[running_job()])))


def looked(flaky: FlakyCoordinator, stop: threading.Event) -> list[Look]:
    """Looks until something has been seen three times."""
    found: list[Look] = []
    for each in looks(
        flaky.as_coordinator(),
        project="default",
        clock=FakeClock(),
        lost_after=LOST_AFTER,
        every=timedelta(milliseconds=1),
        stop=stop,
    ):
        found.append(each)
        if len(found) == 3:
            stop.set()
    return found


def test_a_queue_that_goes_away_is_told_and_comes_back() -> None:
    flaky = FlakyCoordinator(queue_with())
    flaky.refuse("counts", passing=1)

    found = looked(flaky, threading.Event())

    assert [isinstance(each, Overview) for each in found] == [True, False, True]


def test_a_queue_that_is_away_from_the_start_is_an_error() -> None:
    flaky = FlakyCoordinator(queue_with())
    flaky.refuse("counts")

    with pytest.raises(StoreUnavailable):
        looked(flaky, threading.Event())


def test_who_is_told_to_stop_looks_once_and_no_more() -> None:
    stop = threading.Event()
    stop.set()

    assert len(looked(FlakyCoordinator(queue_with()), stop)) == 1


def test_boards_are_printed_one_below_the_other(capsys: pytest.CaptureFixture[str], overview: Overview) -> None:
    """R2-23."""
    showing.print_boards([overview, AWAY, overview])

    out, err = capsys.readouterr()
    assert out.count("BlobForge · default") == 2
    assert "\n\nBlobForge" in out
    assert err == "warning: the server at example.org refuses\n"


def test_documents_are_printed_each_on_its_line(capsys: pytest.CaptureFixture[str], overview: Overview) -> None:
    showing.print_documents([overview, AWAY, overview])

    out, err = capsys.readouterr()
    assert [json.loads(line)["project"] for line in out.splitlines()] == ["default", "default"]
    assert "example.org" in err


def test_a_screen_is_drawn_anew_and_given_back(draw: Draw, overview: Overview) -> None:
    """R2-23."""
    drawn = draw([overview, overview])

    assert drawn.startswith("\x1b[?1049h")
    assert drawn.endswith("\x1b[?25h\x1b[?1049l")
    assert drawn.count("annual-report.pdf") == 2


def test_while_the_queue_is_away_the_last_board_stays_with_a_message(draw: Draw, overview: Overview) -> None:
    last = draw([overview, AWAY]).rpartition("BlobForge")[2]

    assert "annual-report.pdf" in last
    assert "the queue does not answer: the server at example.org refuses" in last


def test_a_screen_is_given_back_when_something_breaks(draw: Draw, overview: Overview) -> None:
    def breaking() -> Iterator[Look]:
        yield overview
        raise ZeroDivisionError

    assert draw(breaking()).endswith("\x1b[?1049l")
