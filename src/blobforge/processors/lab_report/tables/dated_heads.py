"""Heads with dates: of several columns of results, each with its day, the newest has the result."""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from statistics import median
from typing import NamedTuple

from blobforge.processors.lab_report.lines.spacing import is_close
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine
from blobforge.processors.lab_report.lines.tagger import TaggedSpan
from blobforge.processors.lab_report.notation.dates import DateOrder
from blobforge.processors.lab_report.page.rows import cells_of
from blobforge.processors.lab_report.page.words import text_of
from blobforge.processors.lab_report.tables.heads import DATED, LabColumn, columns_of, header_of
from blobforge.processors.lab_report.tables.wrapped_heads import with_broken_heads
from blobforge.processors.lab_report.vocabulary.columns import kind_of_head

_MOST_LINES = 3
_BODY = 12
_NEAR = 3.0
_MEASURED = ("NUMBER", "LIMIT")
_LABELS = {"unit": ("UNIT",), "range": ("RANGE",)}


class TableHead(NamedTuple):
    """The columns, and how many lines they are headed by."""

    columns: tuple[LabColumn, ...]
    lines: int


def head_at(lines: Sequence[TaggedLine], place: int, order: DateOrder) -> TableHead | None:
    """The head that begins at this line: one line, or several where days stand above or below the names of columns."""
    columns = with_broken_heads(header_of(lines[place], order), lines, place, order) or _days_alone(lines[place], order)
    if not columns:
        return None
    count = 1
    while (
        place + count < len(lines) and count <= _MOST_LINES and is_close(lines[place + count - 1], lines[place + count])
    ):
        more = _more(columns, lines[place : place + count + 1], order)
        if more is None:
            break
        columns, count = more, count + 1
    body = lines[place + count : place + count + _BODY]
    if _is_dated_alone(columns):
        if not _has_numbers(columns, body):
            return None
        columns = (*columns, *_unheaded(columns, body))
    columns = (*columns, *_unheaded_values(columns, body))
    return TableHead(_newest(_with_names(columns)), count)


def _days_alone(line: TaggedLine, order: DateOrder) -> tuple[LabColumn, ...]:
    """Two days or more, and left of them at most one label."""
    columns = columns_of(line, order)
    days = [column for column in columns if column.kind == DATED]
    before = list(takewhile(lambda column: column.kind != DATED, columns))
    return tuple(days) if len(days) > 1 and len(before) <= 1 and len(days) + len(before) == len(columns) else ()


def _days_below(columns: Sequence[LabColumn], line: TaggedLine, order: DateOrder) -> tuple[LabColumn, ...]:
    """Days, each under a column of results, and beside them at most the rest of other heads."""
    if any(span.label in ("NUMBER", "RANGE", "LIMIT", "UNIT") for span in _unheaded_marks(line)):
        # A result with the day of the one before it.
        return ()
    own = columns_of(line, order)
    days = tuple(column for column in own if column.kind == DATED)
    results = [column for column in columns if column.kind in ("value", "previous")]
    is_dated = days and all(any(_overlap(day, column) for column in results) for day in days)
    rests = [column for column in own if column.kind != DATED]
    return days if is_dated and all(any(_overlap(rest, column) for column in columns) for rest in rests) else ()


def _more(
    columns: tuple[LabColumn, ...], lines: Sequence[TaggedLine], order: DateOrder
) -> tuple[LabColumn, ...] | None:
    """With the columns of the last of these lines, where it goes on the head that the others begin."""
    line = lines[-1]
    if _is_units(line):
        return tuple(_with_unit(column, line) for column in columns)
    days = _days_alone(line, order) or _days_below(columns, line, order)
    if days:
        return _with_days(columns, days)
    if not _is_dated_alone(columns):
        return _with_level_heads(columns, line, order)
    heads = [
        column for column in columns_of(line, order) if column.kind in ("unit", "range", "low", "high", "flag", "name")
    ]
    if not heads or any(span.label in ("RANGE", "LIMIT", "UNIT") for span in _unheaded_marks(line)):
        # Numbers of orders and times of day may stand between the days and the rest of the head.
        is_between = any(span.label in ("NUMBER", "DATE") for span in line.spans) and len(line.spans) >= len(columns)
        return columns if is_between and not line.names and not heads else None
    return tuple(sorted((*columns, *heads), key=lambda column: column.middle))


def _with_level_heads(
    columns: tuple[LabColumn, ...], line: TaggedLine, order: DateOrder
) -> tuple[LabColumn, ...] | None:
    """Heads in a line of their own, level with others of two lines: No., Test."""
    own = columns_of(line, order)
    kinds = {kind_of_head(text_of(cell)) for cell in cells_of(line.row)}
    if "name" not in kinds or not kinds <= {"name", "other", "code", "unit", "method"}:
        return None
    kept = tuple(column for column in columns if column.kind != "name")
    is_free = not any(_overlap(column, head) for column in kept for head in own)
    return tuple(sorted((*kept, *own), key=lambda column: column.middle)) if is_free and len(kept) > 1 else None


def _unheaded_marks(line: TaggedLine) -> list[TaggedSpan]:
    """Without words such as Units, which head a column and are a unit by their shape."""
    headed = {place for head in line.heads for place in range(head.first, head.last + 1)}
    return [span for span in line.spans if span.first not in headed]


def _is_units(line: TaggedLine) -> bool:
    """Units below the names of columns."""
    return sum(span.label == "UNIT" for span in line.spans) > 1 and all(
        token.kind in ("unit", "gap") for token in line.tokens
    )


def _with_unit(column: LabColumn, line: TaggedLine) -> LabColumn:
    own = [
        span
        for span in line.spans
        if _overlap(column, LabColumn("", line.tokens[span.first].x0, line.tokens[span.last].x1))
    ]
    return column._replace(unit=line.text(own[0].first, own[0].last)) if own and column.kind == "value" else column


def _with_days(columns: tuple[LabColumn, ...], days: tuple[LabColumn, ...]) -> tuple[LabColumn, ...]:
    """A day below the name of a column dates it; others are columns of their own. One word for results that stands over
    several days heads all of them."""
    spanning = [
        column
        for column in columns
        if column.kind in ("value", "previous")
        and sum(_overlap(column, day) for day in days) != 1
        and days[0].x0 <= column.middle <= days[-1].x1
    ]
    kept = [column for column in columns if column not in spanning]
    dated = [
        column._replace(day=next((day.day for day in days if _overlap(column, day)), column.day)) for column in kept
    ]
    own = [day for day in days if not any(_overlap(column, day) for column in kept)]
    return tuple(sorted((*dated, *own), key=lambda column: column.middle))


def _overlap(one: LabColumn, other: LabColumn) -> bool:
    return one.x0 < other.x1 + _NEAR and other.x0 < one.x1 + _NEAR


def _is_dated_alone(columns: Sequence[LabColumn]) -> bool:
    return all(column.kind == DATED for column in columns)


def _has_numbers(columns: Sequence[LabColumn], body: Sequence[TaggedLine]) -> bool:
    """Results stand below the days: two lines at least with a number under two of them."""
    return sum(len({_under(columns, x) for x in _numbers(line)} - {None}) > 1 for line in body) > 1


def _numbers(line: TaggedLine) -> Iterator[float]:
    return (line.tokens[span.first].middle for span in line.spans if span.label in _MEASURED)


def _under(columns: Sequence[LabColumn], x: float) -> LabColumn | None:
    return next((column for column in columns if column.x0 - _NEAR <= x <= column.x1 + _NEAR), None)


def _unheaded(columns: Sequence[LabColumn], body: Sequence[TaggedLine]) -> Iterator[LabColumn]:
    """Units and ranges that stand left or right of the days without a head."""
    for kind, labels in _LABELS.items():
        found = [
            (line.tokens[span.first].x0, line.tokens[span.last].x1)
            for line in body
            for span in line.spans
            if span.label in labels and not _between(columns, line.tokens[span.first].middle)
        ]
        if len(found) > 1:
            yield LabColumn(kind, median(x0 for x0, _ in found), median(x1 for _, x1 in found))


def _unheaded_values(columns: Sequence[LabColumn], body: Sequence[TaggedLine]) -> Iterator[LabColumn]:
    """Results that stand left of ranges and earlier ones without a head of their own."""
    kinds = sorted(column.kind for column in columns if column.kind != "name")
    if kinds != [DATED, "range"]:
        return
    first = min(column.x0 for column in columns if column.kind in ("range", DATED))
    found = [_first_number(line, first) for line in body]
    spans = [span for span in found if span is not None]
    if len(spans) > 1 and len(spans) * 2 > sum(any(_numbers(line)) for line in body):
        yield LabColumn("value", median(x0 for x0, _ in spans), median(x1 for _, x1 in spans))


def _first_number(line: TaggedLine, before: float) -> tuple[float, float] | None:
    spans = [span for span in line.spans if span.label in _MEASURED and span.first > 0]
    return next(
        (
            (line.tokens[span.first].x0, line.tokens[span.last].x1)
            for span in spans
            if line.tokens[span.last].x1 < before
        ),
        None,
    )


def _between(columns: Sequence[LabColumn], x: float) -> bool:
    return columns[0].x0 - _NEAR <= x <= columns[-1].x1 + _NEAR


def _with_names(columns: Sequence[LabColumn]) -> tuple[LabColumn, ...]:
    ordered = sorted(columns, key=lambda column: column.middle)
    if any(column.kind == "name" for column in ordered):
        return tuple(ordered)
    return (LabColumn("name", 0.0, max(ordered[0].x0 - 1.0, 0.0)), *ordered)


def _newest(columns: tuple[LabColumn, ...]) -> tuple[LabColumn, ...]:
    """Of the days, the last has the result; but where a column of results has no day, that one has it."""
    results = [column for column in columns if column.kind in ("value", DATED)]
    dated = [column for column in results if column.day is not None]
    if not dated:
        return columns
    current = [column for column in results if column.day is None] or [_last_of(dated)]
    earlier = [column for column in results if column not in current]
    kinds = dict.fromkeys(earlier, "previous") | dict.fromkeys(current, "value")
    return tuple(column._replace(kind=kinds.get(column, column.kind)) for column in columns)


def _last_of(dated: Sequence[LabColumn]) -> LabColumn:
    """Where a day is there twice, the hours follow as the days do."""
    days = [column.day for column in dated if column.day is not None]
    newest = [column for column in dated if column.day == max(days)]
    return newest[-1] if days[0] <= days[-1] else newest[0]
