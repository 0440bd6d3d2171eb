"""How a run looks; tests/e2e looks at a real one on a terminal."""

import io
import sys

import pytest

from blobforge.cli.progress import (
    ConversionBarDisplay,
    ConversionLineDisplay,
    ProgressDisplay,
    SilentDisplay,
    counted,
    display,
    failure_line,
)
from blobforge.conversion.document import ConversionOutcome, DocumentReport
from blobforge.conversion.service import InWork

GOOD = DocumentReport(path="/docs/good.pdf", outcome=ConversionOutcome.CONVERTED, pages=3)
BAD = DocumentReport(
    path="/docs/bad.pdf", outcome=ConversionOutcome.FAILED, code="not_a_pdf", message="bad.pdf: it is HTML"
)


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Watch:
    """A clock that a test moves by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def show(shown: ProgressDisplay) -> None:
    """A run with everything in it."""
    with shown:
        shown.begin(documents=2, size=1000)
        shown.progress(pages=2, size=300)
        shown.document(GOOD)
        shown.document(BAD)
        shown.progress(pages=3, size=1000)


def a_screen(monkeypatch: pytest.MonkeyPatch, *, kind: str = "xterm") -> FakeTerminal:
    """In the place of stderr. No fixture, since pytest puts its own there after those."""
    screen = FakeTerminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", kind)
    return screen


def test_programs_are_shown_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    shown = display(quiet=True)

    show(shown)

    assert isinstance(shown, SilentDisplay)
    assert capsys.readouterr() == ("", "")


def test_a_pipe_gets_lines(capsys: pytest.CaptureFixture[str]) -> None:
    shown = display(quiet=False)

    show(shown)

    assert isinstance(shown, ConversionLineDisplay)
    assert capsys.readouterr().err == (
        "converting 2 documents (1.0 kB)\nfailed: /docs/bad.pdf: it is HTML [not_a_pdf]\n"
    )


def test_lines_give_a_sign_of_life_every_ten_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    watch = Watch()
    shown = ConversionLineDisplay(watch)

    for seconds, pages in ((9.9, 1), (0.1, 2), (9.9, 3), (0.2, 4)):
        watch.now += seconds
        shown.progress(pages=pages, size=0)

    assert capsys.readouterr().err == "0 of 0 documents, 2 pages\n0 of 0 documents, 4 pages\n"


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = a_screen(monkeypatch)
    shown = display(quiet=False)

    show(shown)

    assert isinstance(shown, ConversionBarDisplay)
    text = screen.getvalue()
    assert "0/2 documents" in text
    assert "failed: /docs/bad.pdf: it is HTML [not_a_pdf]\n" in text


def test_what_is_in_work_is_named_below_the_bar_and_cut_to_its_width(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = a_screen(monkeypatch)
    monkeypatch.setenv("COLUMNS", "60")

    with display(quiet=False) as shown:
        shown.begin(documents=2, size=1000)
        shown.progress(
            pages=2, size=300, in_work=[InWork("atlas.pdf", 2, 5), InWork("letter.pdf", 0, 1), InWork("x" * 80, 1, 2)]
        )

    assert "atlas.pdf 2/5, letter.pdf, xxxxxxx" in screen.getvalue()
    assert "x…" in screen.getvalue()
    assert "x" * 61 not in screen.getvalue()


def test_lines_name_what_is_in_work(capsys: pytest.CaptureFixture[str]) -> None:
    watch = Watch()
    shown = ConversionLineDisplay(watch)
    watch.now += 11

    shown.progress(pages=2, size=0, in_work=[InWork("atlas.pdf", 2, 5)])

    assert capsys.readouterr().err == "0 of 0 documents, 2 pages; now atlas.pdf 2/5\n"


def test_a_terminal_that_wants_no_colour_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = a_screen(monkeypatch)
    monkeypatch.setenv("NO_COLOR", "1")

    show(display(quiet=False))

    assert "0/2 documents" in screen.getvalue()
    assert "\x1b[3" not in screen.getvalue()


def test_a_terminal_that_cannot_move_its_cursor_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    a_screen(monkeypatch, kind="dumb")

    assert isinstance(display(quiet=False), ConversionLineDisplay)


def test_a_bar_that_never_began_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = a_screen(monkeypatch)

    with display(quiet=False):
        pass

    assert screen.getvalue() == ""


def test_a_name_that_looks_like_markup_or_moves_the_cursor_is_shown_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = a_screen(monkeypatch)

    with display(quiet=False) as shown:
        shown.document(
            DocumentReport(path="/docs/[red]a\x1b[2J.pdf", outcome=ConversionOutcome.FAILED, code="x", message="no")
        )

    assert r"failed: /docs/[red]a\x1b[2J.pdf: no [x]" in screen.getvalue()


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("bad.pdf: it is HTML", "/docs/bad.pdf: it is HTML [not_a_pdf]"),
        ("other.pdf: it is HTML", "/docs/bad.pdf: other.pdf: it is HTML [not_a_pdf]"),
        ("/docs/bad.pdf cannot be read", "/docs/bad.pdf cannot be read [not_a_pdf]"),
        (None, "/docs/bad.pdf: no reason was given [not_a_pdf]"),
    ],
)
def test_a_failure_names_the_document_once(message: str | None, line: str) -> None:
    report = DocumentReport(path="/docs/bad.pdf", outcome=ConversionOutcome.FAILED, code="not_a_pdf", message=message)

    assert failure_line(report) == line


@pytest.mark.parametrize(("number", "text"), [(0, "0 pages"), (1, "1 page"), (2, "2 pages")])
def test_one_is_not_many(number: int, text: str) -> None:
    assert counted(number, "page") == text


def test_one_page_is_one_page_in_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = a_screen(monkeypatch)

    with display(quiet=False) as shown:
        shown.begin(documents=1, size=1000)
        shown.progress(pages=1, size=300)

    assert "1 page, " in screen.getvalue()
    assert "1 pages" not in screen.getvalue()
