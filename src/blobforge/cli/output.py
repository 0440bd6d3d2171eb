"""What commands print: data on stdout, as a table or as JSON; messages on stderr."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import IO, NamedTuple, TypeVar

import click

from blobforge.domain.json_value import JsonValue
from blobforge.telemetry.safe_text import as_text, on_one_line
from blobforge.telemetry.screen_lines import width_of, wrapped

_LONGEST_WORD = 24

Function = TypeVar("Function", bound=Callable[..., object])


class Column(NamedTuple):
    """`keep` columns are never broken over lines; numbers stand at the right.

    In a table that has columns with a `rank` or to be `cut`, nothing is broken over lines: where a terminal is narrow,
    those of the highest rank are left out first, and the ends of those that may be cut.
    """

    title: str
    right: bool = False
    keep: bool = False
    rank: int = 0
    cut: bool = False


def json_option(function: Function) -> Function:
    """Gives a command `--json`, as the keyword `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")(function)


def print_json(value: JsonValue) -> None:
    """One JSON document on stdout."""
    # Where stdout cannot hold every character, JSON can still write them all.
    plain = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "") != "utf8"
    click.echo(json.dumps(_as_text(value), indent=2, ensure_ascii=plain))


def print_json_line(value: JsonValue) -> None:
    """One JSON value on one line of stdout, for who reads them as they come."""
    click.echo(json.dumps(_as_text(value)))


def _as_text(value: JsonValue) -> JsonValue:
    """A lone surrogate, as in a file's name that is no UTF-8, is no valid JSON to many readers."""
    if isinstance(value, str):
        return as_text(value)
    if isinstance(value, Mapping):
        return {as_text(name): _as_text(inner) for name, inner in value.items()}
    return [_as_text(inner) for inner in value] if isinstance(value, Sequence) else value


def print_line(text: str = "") -> None:
    """One line of data on stdout."""
    click.echo(printable(text, sys.stdout))


def print_paragraph(text: str, *, indent: str = "") -> None:
    """Text on stdout: broken between words on a terminal, one line for a pipe or file."""
    click.echo(for_people(indent + text, sys.stdout))


def print_fact(label: str, text: str) -> None:
    """A labelled line on stdout: on a terminal, what does not fit goes on below the text, broken between words."""
    if is_terminal(sys.stdout):
        click.echo(wrapped(label + printable(text, sys.stdout), width_of(sys.stdout), indent=" " * len(label)))
    else:
        print_line(label + text)


def print_table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """A table on stdout: fitted to a terminal, or with whole cells and plain columns for a pipe or file."""
    safe = [[printable(cell, sys.stdout) for cell in row] for row in rows]
    if is_terminal(sys.stdout):
        _print_fitted(columns, safe)
    else:
        _print_plain(columns, safe)


def say(text: str) -> None:
    """A message for people, on stderr."""
    click.echo(for_people(text, sys.stderr), err=True)


def warn(text: str) -> None:
    _labelled("warning:", "yellow", text)


def complain(text: str) -> None:
    _labelled("error:", "red", text)


def is_terminal(stream: IO[str] | None) -> bool:
    return stream is not None and stream.isatty()


def has_colour(stream: IO[str] | None) -> bool:
    """Only on a terminal, and not where NO_COLOR or a dumb terminal says otherwise."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def size_text(size: int) -> str:
    """`0 B`, `812 B`, `1.4 MB`."""
    amount = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 999.5:
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= 99.95 else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def duration_text(duration: timedelta) -> str:
    """`0.4 s`, `12 s`, `3 min 05 s`, `1 h 02 min`, `2 d 03 h`."""
    total = duration.total_seconds()
    if total < 9.95:
        return f"{max(total, 0.0):.1f} s"
    minutes, seconds = divmod(round(total), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours:02} h"
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"


def age_text(moment: datetime, *, now: datetime) -> str:
    """How long ago, in its largest unit: `now`, `12 s ago`, `3 min ago`, `2 h ago`, `5 d ago`."""
    seconds = int((now - moment).total_seconds())
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        if seconds >= length:
            return f"{seconds // length} {unit} ago"
    return "now"


def _labelled(label: str, colour: str, text: str) -> None:
    heading = click.style(label, fg=colour, bold=True) if has_colour(sys.stderr) else label
    click.echo(heading + for_people(f"{label} {text}", sys.stderr).removeprefix(label), err=True)


def for_people(text: str, stream: IO[str]) -> str:
    """Broken between words on a terminal, below where it began; one line for a pipe or file."""
    line = printable(text, stream)
    if not is_terminal(stream):
        return line
    indent = line[: len(line) - len(line.lstrip(" "))]
    return wrapped(line, width_of(stream), indent=indent)


def printable(text: str, stream: IO[str] | None) -> str:
    """No control characters, and nothing that the stream's encoding cannot hold: a file's name may be any bytes."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return on_one_line(as_text(text)).encode(encoding, "backslashreplace").decode(encoding)


def _print_fitted(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=sys.stdout, highlight=False, color_system="auto" if has_colour(sys.stdout) else None)
    if any(column.rank or column.cut for column in columns):
        from blobforge.cli.overview.table import Field, fitted

        fields = [Field(column.title, column.rank, column.right, column.cut) for column in columns]
        console.print(fitted(fields, [[Text(cell) for cell in row] for row in rows], width=console.width))
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold" if has_colour(sys.stdout) else "")
    for place, column in enumerate(columns):
        table.add_column(
            column.title,
            justify="right" if column.right else "left",
            no_wrap=column.keep or _is_of_words(row[place] for row in rows),
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def _is_of_words(cells: Iterable[str]) -> bool:
    """Whether a column has nowhere to be broken but within words: then another one gives way."""
    return all(len(cell) <= _LONGEST_WORD and " " not in cell for cell in cells)


def _print_plain(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    titles = [column.title for column in columns]
    # What splits a line by its columns would take the next cell for an empty one.
    rows = [[cell or "-" for cell in row] for row in rows]
    widths = [max(map(len, cells)) for cells in zip(titles, *rows, strict=True)]
    for row in (titles, *rows):
        cells = (
            cell.rjust(width) if column.right else cell.ljust(width)
            for column, cell, width in zip(columns, row, widths, strict=True)
        )
        click.echo("  ".join(cells).rstrip())
