"""Heads of columns that are broken over lines: Reference above, range below."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from blobforge.processors.lab_report.lines.tagged_line import TaggedLine
from blobforge.processors.lab_report.notation.dates import DAY_FIRST, DateOrder, find_date, is_date
from blobforge.processors.lab_report.page.rows import cells_of
from blobforge.processors.lab_report.page.words import text_of
from blobforge.processors.lab_report.tables.heads import DATED, LabColumn
from blobforge.processors.lab_report.vocabulary.columns import kind_of_head

_CLOSE = 1.6
"""Of the letter size, from the bottom of one line to the bottom of the next."""
_NEAR = 2.0


class HeadStack(NamedTuple):
    """Cells of the head's lines that stand over each other."""

    x0: float
    x1: float
    texts: tuple[str, ...]


def with_broken_heads(
    columns: tuple[LabColumn, ...], lines: Sequence[TaggedLine], place: int, order: DateOrder = DAY_FIRST
) -> tuple[LabColumn, ...]:
    """The columns, where the line above or below completes the name of one, or names one that has no name here."""
    if not columns:
        return ()
    beside = [lines[at] for at in (place - 1, place, place + 1) if 0 <= at < len(lines)]
    rows = [line for line in beside if line is lines[place] or _is_part(line, lines[place])]
    whole = list(columns)
    for stack in _stacks(rows):
        kind = kind_of_head(" ".join(stack.texts)) if len(stack.texts) > 1 else None
        own = [column for column in whole if column.x0 < stack.x1 + _NEAR and stack.x0 < column.x1 + _NEAR]
        day = None if own else _day_in(stack, order)
        if day is not None:
            whole.append(LabColumn(DATED, stack.x0, stack.x1, day))
        if kind is None or len(own) > 1 or day is not None:
            continue
        whole = [column for column in whole if column not in own]
        whole.append(own[0]._replace(kind=kind) if own else LabColumn(kind, stack.x0, stack.x1))
    return tuple(sorted(whole, key=lambda column: column.middle))


def _day_in(stack: HeadStack, order: DateOrder) -> date | None:
    """The day of a column of results whose head stands a little higher or lower than the others."""
    return next((find_date(text, order) for text in stack.texts if is_date(text)), None)


def _is_part(line: TaggedLine, head: TaggedLine) -> bool:
    fall = abs(line.row.box.bottom - head.row.box.bottom)
    is_close = line.row.page == head.row.page and fall < _CLOSE * head.row.size
    return is_close and not any(span.label in ("NUMBER", "RANGE", "LIMIT") for span in line.spans)


def _stacks(lines: Sequence[TaggedLine]) -> Iterator[HeadStack]:
    stacks: list[HeadStack] = []
    for line in lines:
        for cell in cells_of(line.row):
            x0, x1, text = cell[0].x0, cell[-1].x1, text_of(cell)
            under = next((stack for stack in stacks if stack.x0 < x1 and x0 < stack.x1), None)
            if under is None:
                stacks.append(HeadStack(x0, x1, (text,)))
            else:
                stacks[stacks.index(under)] = HeadStack(min(under.x0, x0), max(under.x1, x1), (*under.texts, text))
    yield from stacks
