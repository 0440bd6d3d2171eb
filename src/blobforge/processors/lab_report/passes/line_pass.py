"""What a pass over the lines of a report is: a function, and what it declares to take and to give."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from blobforge.processors.lab_report.biomarkers.lexicon import Lexicon
from blobforge.processors.lab_report.lines.record import LineRecord, Rule
from blobforge.processors.lab_report.notation.dates import DAY_FIRST, DateOrder

Records = Sequence[LineRecord]


class PassContext(NamedTuple):
    """What all passes over one report know of it."""

    lexicon: Lexicon
    date_order: DateOrder = DAY_FIRST


@dataclass(frozen=True, slots=True, kw_only=True)
class LinePass:
    """`takes` are the rules of the lines that it may change, `gives` the rules that it may leave in their place.

    It gets the records of all lines and gives as many back, in the same order; it alters none that it was given.
    """

    name: str
    takes: frozenset[Rule]
    gives: frozenset[Rule]
    run: Callable[[Records, PassContext], list[LineRecord]]


def undeclared_changes(each: LinePass, before: Records, after: Records) -> Iterator[str]:
    """What a run changed without having declared it: the tests hold every pass to its declaration."""
    for old, new in zip(before, after, strict=True):
        if old is new or old == new:
            continue
        if old.line is not new.line:
            yield f"{each.name}: {old.line.row.text!r} is another line"
        elif old.rule not in each.takes or new.rule not in each.gives:
            yield f"{each.name}: {old.line.row.text!r} went from {old.rule!r} to {new.rule!r}"
