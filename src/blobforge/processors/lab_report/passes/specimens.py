"""What a section of a report was measured in: glucose under the heading Urine is not glucose in blood."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from blobforge.processors.lab_report.lines.record import LineRecord, Rule
from blobforge.processors.lab_report.page.rows import cells_of
from blobforge.processors.lab_report.page.words import text_of
from blobforge.processors.lab_report.vocabulary.specimens import HEADINGS, Specimen

_LONGEST_HEADING = 7
_INDENT = 10.0
_NUMBERED = re.compile(r"\s*(?:№|n[°º.]|no\.?|nr\.?)\s*\d+$", re.IGNORECASE)


class SpecimenHeading(NamedTuple):
    """What the cells of a heading say, from left to right, each for what stands below it."""

    cells: tuple[tuple[float, Specimen | None], ...] = ()

    def over(self, row: LineRecord) -> Specimen | None:
        left = row.line.row.box.x0 + _INDENT
        return next((specimen for x0, specimen in reversed(self.cells) if x0 <= left), None)


def specimens_of(rows: Sequence[LineRecord]) -> Iterator[Specimen | None]:
    """For each line, what the last heading above it says; None before the first."""
    current = SpecimenHeading()
    told: list[tuple[LineRecord, SpecimenHeading]] = []
    for row in rows:
        if told and _begins_part(told[-1][0], row):
            current = next((heading for above, heading in reversed(told) if _is_over(above, row)), SpecimenHeading())
        if not row.observations and row.rule != Rule.CONTINUATION:
            current = _heading(row, current)
        told.append((row, current))
        yield current.over(row)


def _heading(row: LineRecord, current: SpecimenHeading) -> SpecimenHeading:
    cells = [(cell[0].x0, _told(text_of(cell))) for cell in cells_of(row.line.row)]
    if len({specimen for _, specimen in cells if specimen is not None}) > 1:
        # Headings of parts that stand side by side.
        return SpecimenHeading(tuple((x0, specimen) for x0, specimen in cells if specimen is not None))
    text = row.line.row.text
    specimen = _told(text)
    # A heading in capitals that says nothing of it begins a section of its own, in blood as most are.
    return SpecimenHeading(((float("-inf"), specimen),)) if specimen is not None or _is_title(text) else current


def _begins_part(above: LineRecord, row: LineRecord) -> bool:
    """What stands beside the last part of the page is not under its heading."""
    one, other = above.line.row, row.line.row
    return one.page == other.page and other.box.bottom < one.box.top - other.size


def _is_over(above: LineRecord, row: LineRecord) -> bool:
    one, other = above.line.row, row.line.row
    return one.page < other.page or (one.page == other.page and one.box.bottom <= other.box.top)


def is_of_blood(rows: Sequence[LineRecord]) -> bool:
    """Whether the report speaks of nothing else: then what blood and urine share was measured in blood."""
    others = [words for specimen, words in HEADINGS.items() if specimen != "blood"]
    return not any(words.search(row.line.row.text) for row in rows for words in others)


def _is_title(text: str) -> bool:
    text = _NUMBERED.sub("", text)
    return (
        text.isupper() and not any(map(str.isdigit, text)) and len(text) > 1 and len(text.split()) <= _LONGEST_HEADING
    )


def _told(text: str) -> Specimen | None:
    if len(text.split()) > _LONGEST_HEADING:
        return None
    found = [specimen for specimen, words in HEADINGS.items() if words.search(text)]
    return found[0] if found else None
