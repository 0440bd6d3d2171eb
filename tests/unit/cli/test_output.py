"""What commands print."""

import io
import json
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from blobforge.cli import output
from blobforge.cli.output import Column, age_text, duration_text, size_text


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (99_949, "99.9 kB"),
        (99_951, "100 kB"),
        (999_600, "1.0 MB"),
        (1_440_000, "1.4 MB"),
        (3_200_000_000, "3.2 GB"),
        (5_000_000_000_000_000, "5000.0 TB"),
    ],
)
def test_sizes_have_a_unit_that_fits(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-1, "0.0 s"),
        (0.44, "0.4 s"),
        (9.97, "10 s"),
        (12, "12 s"),
        (59.6, "1 min 00 s"),
        (185, "3 min 05 s"),
        (3720, "1 h 02 min"),
        (183_600, "2 d 03 h"),
    ],
)
def test_durations_have_two_units_at_most(seconds: float, text: str) -> None:
    assert duration_text(timedelta(seconds=seconds)) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-5, "now"), (0.5, "now"), (12, "12 s ago"), (180, "3 min ago"), (7200, "2 h ago"), (432_000, "5 d ago")],
)
def test_ages_have_one_unit(seconds: float, text: str) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)

    assert age_text(now - timedelta(seconds=seconds), now=now) == text


def test_a_piped_table_has_whole_cells_in_plain_columns(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_table([Column("NAME"), Column("PAGES", right=True)], [("a" * 100, "7"), ("b", "1234")])

    assert capsys.readouterr().out.splitlines() == [
        f"{'NAME':100}  PAGES",
        f"{'a' * 100}      7",
        f"{'b':100}   1234",
    ]


def test_every_row_of_a_piped_table_has_every_column(capsys: pytest.CaptureFixture[str]) -> None:
    """An empty cell would move all that follow it, for `awk -F '  +'` as for a person."""
    output.print_table([Column("NAME"), Column("ERROR"), Column("AGE")], [("a.pdf", "", "4 s ago"), ("b.pdf", "x", "")])

    assert [re.split(" {2,}", line) for line in capsys.readouterr().out.splitlines()] == [
        ["NAME", "ERROR", "AGE"],
        ["a.pdf", "-", "4 s ago"],
        ["b.pdf", "x", "-"],
    ]


def test_a_fact_is_broken_between_words_and_goes_on_below_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = FakeTerminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("COLUMNS", "30")

    output.print_fact("  error     ", "the worker was killed, and a/path/that/is/longer/than/a/line is whole")

    assert screen.getvalue().splitlines() == [
        "  error     the worker was",
        "            killed, and",
        "            a/path/that/is/longer/than/a/line",
        "            is whole",
    ]


def test_a_table_of_nothing_has_its_titles(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_table([Column("NAME"), Column("PAGES")], [])

    assert capsys.readouterr().out == "NAME  PAGES\n"


def test_a_file_name_cannot_move_the_cursor_or_break_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_table([Column("NAME")], [("a\x1b[2J\nb.pdf",)])

    assert capsys.readouterr().out.splitlines()[1:] == [r"a\x1b[2J\nb.pdf"]


def test_a_table_on_a_terminal_keeps_what_looks_like_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = FakeTerminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("NO_COLOR", "1")

    output.print_table([Column("NAME", keep=True), Column("PAGES", right=True)], [("[red]draft[/red].pdf", "7")])

    assert "[red]draft[/red].pdf" in screen.getvalue()


def test_json_reaches_a_stream_that_is_not_utf8(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))

    output.print_json({"name": "Žluťoučký 🐎"})
    output.print_line("Žluť")
    sys.stdout.flush()

    document, _, line = raw.getvalue().decode("ascii").rstrip("\n").rpartition("\n")
    assert json.loads(document) == {"name": "Žluťoučký 🐎"}
    assert line == r"\u017dlu\u0165"


def test_json_for_people_keeps_letters_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_json({"name": "Žluťoučký"})

    assert capsys.readouterr().out == '{\n  "name": "Žluťoučký"\n}\n'


def test_messages_go_to_stderr_without_colour(capsys: pytest.CaptureFixture[str]) -> None:
    output.say("hello")
    output.warn("careful")
    output.complain("no")

    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "hello\nwarning: careful\nerror: no\n"


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colour_is_for_terminals_that_want_it(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], coloured: bool
) -> None:
    for name, value in {"TERM": "xterm", **variables}.items():
        monkeypatch.setenv(name, value)

    assert output.has_colour(FakeTerminal()) is coloured
    assert output.has_colour(io.StringIO()) is False
    assert output.has_colour(None) is False


def test_a_warning_on_a_terminal_has_a_yellow_label(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = FakeTerminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")

    output.warn("careful")

    assert screen.getvalue() == "\x1b[33m\x1b[1mwarning:\x1b[0m careful\n"


@pytest.mark.parametrize("tell", [output.say, output.warn, output.complain])
def test_a_message_on_a_terminal_is_broken_between_words(
    monkeypatch: pytest.MonkeyPatch, tell: Callable[[str], None]
) -> None:
    screen = FakeTerminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")

    tell("letter.pdf: this is not a PDF (there is no %PDF in its first 1024 bytes) [not_a_pdf]")

    lines = screen.getvalue().splitlines()
    assert all(len(line) <= 40 for line in lines)
    assert "letter.pdf: this is not a PDF (there is no %PDF in its first 1024 bytes) [not_a_pdf]" in " ".join(lines)


def test_a_message_in_a_pipe_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    output.warn("word " * 40 + "end")

    assert capsys.readouterr().err == "warning: " + "word " * 40 + "end\n"


def test_what_is_set_in_stays_set_in_on_each_line(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = FakeTerminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "30")

    output.say("  one two three four five six seven eight")

    assert [line[:2].strip() for line in screen.getvalue().splitlines()] == ["", ""]


def test_a_narrow_table_breaks_no_word_while_another_column_can_give(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = FakeTerminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")

    output.print_table(
        [Column("VERSION"), Column("DOCUMENTS", keep=True), Column("DIFFERENCE")],
        [["2 on pdf-oxide 0.3.78", "4", "read_pictures=True"]],
    )

    assert "read_pictures=True" in screen.getvalue()
    assert "".join(screen.getvalue().split()).endswith("0.3.78")


NAME = "caf\udce9.pdf"
"""What Python makes of a file's name in Latin-1."""


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("print_it", [output.print_json, output.print_json_line])
def test_a_name_that_is_no_utf_8_is_the_same_valid_text_in_all_json(
    print_it: Callable[[object], None], encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lone surrogate in JSON is refused by many readers, and others make something else of it."""
    stdout = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr(sys, "stdout", stdout)

    print_it({"path": NAME, "é": ["é\udce9\ud800"]})

    stdout.flush()
    written = stdout.buffer.getvalue().decode(encoding)
    assert json.loads(written) == {"path": r"caf\xe9.pdf", "é": [r"é\xe9\ud800"]}
    assert r"\udce9" not in written


def test_a_name_that_is_no_utf_8_is_told_to_people_as_json_has_it(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_line(NAME)
    output.warn(NAME)

    told = capsys.readouterr()
    assert told.out == "caf\\xe9.pdf\n"
    assert told.err == "warning: caf\\xe9.pdf\n"
