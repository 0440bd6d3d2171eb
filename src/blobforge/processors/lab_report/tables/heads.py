"""Heads of tables: which line is one, and what its columns are."""

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import NamedTuple

from blobforge.processors.lab_report.lines.tagged_line import TaggedLine, joined
from blobforge.processors.lab_report.lines.tagger import TaggedSpan
from blobforge.processors.lab_report.notation.dates import DAY_FIRST, DateOrder, find_date, is_date
from blobforge.processors.lab_report.notation.units import printed_unit
from blobforge.processors.lab_report.page.tokens import LineToken
from blobforge.processors.lab_report.vocabulary import phrases

_CONNECTORS = phrases.CONNECTORS | frozenset("&/(),:.*-")
_ESSENTIAL = frozenset(("name", "value", "unit", "range", "low", "high"))
MEASURED = "measured"
DATED = "dated"
"""The kind of a column whose head is nothing but a date."""
# Where a cell speaks of several things, the first in this list is what its column holds.
_PRECEDENCE = ("previous", "code", "range", "low", "high", "value", "unit", "method", "name", "flag", "other")


class LabColumn(NamedTuple):
    """`day` is the date that is printed in its head, `unit` the unit that all of its values have."""

    kind: str
    x0: float
    x1: float
    day: date | None = None
    unit: str | None = None

    @property
    def middle(self) -> float:
        return (self.x0 + self.x1) / 2


def header_of(line: TaggedLine, order: DateOrder = DAY_FIRST) -> tuple[LabColumn, ...]:
    """The columns that a line heads; none where it heads no table."""
    if not line.heads or _is_text(line):
        return ()
    columns = _with_measured(columns_of(line, order))
    kinds = ["value" if column.kind == DATED else column.kind for column in columns]
    essential = _ESSENTIAL.intersection(kinds)
    if len(essential) < 2 or not essential & {"value", "range"} or kinds.count("") > 2:
        return ()
    if len(columns) == 2 and len(list(_cells(line))) == 1:
        # Test results: the title of a page.
        return ()
    return _named(columns)


def _with_measured(columns: tuple[LabColumn, ...]) -> tuple[LabColumn, ...]:
    """A head with a unit (IgE, kU/l) is one of values where nothing else is."""
    kind = "" if any(column.kind == "value" for column in columns) else "value"
    return tuple(column._replace(kind=kind) if column.kind == MEASURED else column for column in columns)


def is_scale_head(line: TaggedLine) -> bool:
    """Steps of a scale side by side (Desirable, Borderline high): what stands below them was not measured."""
    cells = [joined(line.tokens[place] for place in cell) for cell in _cells(line)]
    return len(cells) > 1 and all(phrases.is_grade(cell) and not any(map(str.isdigit, cell)) for cell in cells)


def columns_of(line: TaggedLine, order: DateOrder) -> tuple[LabColumn, ...]:
    """One or more for each cell, whether or not the line heads a table."""
    return tuple(column for cell in _cells(line) for column in _columns(line, cell, order))


def _is_text(line: TaggedLine) -> bool:
    """Numbers are under a head, not in it; and a sentence has more words than a head has."""
    days = {place for cell in _cells(line) if is_date(joined(line.tokens[at] for at in cell)) for place in cell}
    measured = [span for span in line.spans if span.label in ("NUMBER", "RANGE", "LIMIT") and span.first not in days]
    if any(span.first > 0 for span in measured):
        return True
    words = [
        token
        for token in line.tokens
        if token.kind in ("word", "flag", "outcome") and token.text.lower() not in _CONNECTORS
    ]
    headed = {place for span in line.heads for place in range(span.first, span.last + 1)}
    covered = sum(place in headed for place, token in enumerate(line.tokens) if token in words)
    return covered * 2 < len(words)


def _cells(line: TaggedLine) -> Iterator[list[int]]:
    places = [place for place, token in enumerate(line.tokens) if token.kind != "gap"]
    for _, cell in groupby(places, key=lambda place: line.tokens[place].cell):
        yield list(cell)


def _columns(line: TaggedLine, cell: Sequence[int], order: DateOrder) -> Iterator[LabColumn]:
    """One column a cell, unless two heads stand side by side in it without a word between them."""
    heads = [span for span in line.heads if span.first in cell]
    text = joined(line.tokens[place] for place in cell)
    if is_date(text):
        yield _column(DATED, line.tokens, cell)._replace(day=find_date(text, order))
        return
    days = [place for place in cell if line.tokens[place].kind == "date"]
    if days and len(cell) > 1 and not any(span.label in ("value", "previous") for span in heads):
        # Columns that stand so close that no gap parts their heads.
        for part in _parted(cell, days):
            yield from _columns(line, part, order)
        return
    unit = next((span for span in line.spans if span.label == "UNIT" and span.first in cell), None)
    printed = printed_unit(line.text(unit.first, unit.last)) if unit else None
    if not heads and printed is not None and sum(map(str.isalpha, text)) > len(printed):
        yield _column(MEASURED, line.tokens, cell)._replace(unit=printed)
        return
    if not heads:
        # Signs such as - o + are no heads, but a number sign before the names is one.
        if sum(map(str.isalpha, text)) > 1:
            yield _column("", line.tokens, cell)
        elif cell[0] == 0:
            yield _column("other", line.tokens, cell)
        return
    kinds = {span.label for span in heads}
    if len(kinds) == 1 or _are_linked(cell, heads) or _is_end(kinds):
        kind = _kind_of(kinds)
        own = printed if kind == "value" else None
        yield _column(kind, line.tokens, cell)._replace(day=find_date(text, order), unit=own)
        return
    for span in heads:
        yield _column(span.label, line.tokens, range(span.first, span.last + 1))


def _parted(cell: Sequence[int], days: Sequence[int]) -> Iterator[list[int]]:
    """The cell, cut before and after each day."""
    for _, run in groupby(cell, key=lambda place: place if place in days else None):
        yield list(run)


def _is_end(kinds: set[str]) -> bool:
    """Ref low: one end of the range."""
    return kinds in ({"range", "low"}, {"range", "high"})


def _kind_of(kinds: set[str]) -> str:
    """Test (unit): the unit stands with the name. Ref low: the end, not the range."""
    if _is_end(kinds):
        return next(iter(kinds - {"range"}))
    return "name" if kinds == {"name", "unit"} else min(kinds, key=_PRECEDENCE.index)


def _are_linked(cell: Sequence[int], heads: Sequence[TaggedSpan]) -> bool:
    headed = {place for span in heads for place in range(span.first, span.last + 1)}
    between = range(heads[0].first, heads[-1].last + 1)
    return any(place not in headed for place in cell if place in between)


def _column(kind: str, tokens: Sequence[LineToken], places: Sequence[int]) -> LabColumn:
    chosen = [tokens[place] for place in places]
    return LabColumn(kind, min(token.x0 for token in chosen), max(token.x1 for token in chosen))


def _named(columns: tuple[LabColumn, ...]) -> tuple[LabColumn, ...]:
    """A column whose head is the panel's name, before one of values, has the names."""
    named: list[LabColumn] = []
    for place, column in enumerate(columns):
        follows_result = any(other.kind in ("value", "range") for other in columns[:place])
        leads_result = place + 1 < len(columns) and columns[place + 1].kind == "value"
        is_panel = column.kind == "" and (place == 0 or (follows_result and leads_result))
        named.append(column._replace(kind="name") if is_panel else column)
    if named[0].kind == "other" and named[1].kind == DATED:
        # The word that labels the days stands over the names.
        named[0] = named[0]._replace(kind="name")
    if any(column.kind == "name" for column in named):
        return tuple(named)
    # Nothing heads the names: they stand left of the first head.
    return (LabColumn("name", 0.0, max(columns[0].x0 - 1.0, 0.0)), *columns)
