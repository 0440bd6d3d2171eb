# ruff: noqa: RUF001 - Cyrillic words
"""What a section of a report was measured in: glucose under the heading Urine is not glucose in blood."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from blobforge.processors.lab_report.biomarkers.rows import Specimen
from blobforge.processors.lab_report.found import CONTINUATION, Found
from blobforge.processors.lab_report.rows import cells_of
from blobforge.processors.lab_report.words import text_of

_LONGEST_HEADING = 7
_INDENT = 10.0
_NUMBERED = re.compile(r"\s*(?:№|n[°º.]|no\.?|nr\.?)\s*\d+$", re.IGNORECASE)
_HEADINGS: tuple[tuple[Specimen, re.Pattern[str]], ...] = (
    (
        "urine",
        re.compile(
            r"\burin\w*|\burinalysis|\bharn(?!s)\w*|\borina\w*|\burina\w*|\bмоч(?:а|и|у|е|ой)\b|\bсеч[аіу]\w*",
            re.IGNORECASE,
        ),
    ),
    (
        "stool",
        re.compile(
            r"\bstool\b|\bf(?:a)?eces\b|\bstuhl\w*|\bselles\b|\bheces\b|\bfeci\b|\bкал[а]?\b|\bкопрограмм?а",
            re.IGNORECASE,
        ),
    ),
    ("semen", re.compile(r"\bsperm\w*|\bsemen\b|\bsemin\w+|\bejakulat\w*|\bсперм\w*", re.IGNORECASE)),
    ("other", re.compile(r"\bcsf\b|\bliquor\b|\bsaliva\b|\bsynovial\b|\bpleural\b|\bсинови\w*", re.IGNORECASE)),
    (
        "blood",
        re.compile(
            r"\bblood\b|\bserum\b|\bplasma\b|\bha?emat\w*|\bchemistry\b|\bbiochem\w*|\blipid\w*|\bthyroid\w*|\bh?ormon\w*|\bimmun\w*|\bvitamin\w*|"
            r"\bhemogram\w*|\bhämogramm\w*|\bnum[ée]ration\w*|\bleukogram\w*|\bгемограм\w*|\bcoagul\w*|\bcbc\b|\bblut\w*|\bchemie\b|\bhämat\w*|\bgerinnung\w*|\bsang\w*|\bhémat\w*|\bbiochim\w*|"
            r"\bhematolog\w*|\bbioqu[ií]m\w*|\bematolog\w*|\bemocromo\b|\bchimica\b|\bкров\w*|\bбиохим\w*|\bгематолог\w*|"
            r"\bгормон\w*|\bбіохім\w*|\bсыворот\w*|\bкоагул\w*|\b[гх]емостаз\w*|\bсироват\w*",
            re.IGNORECASE,
        ),
    ),
)


class Heading(NamedTuple):
    """What the cells of a heading say, from left to right, each for what stands below it."""

    cells: tuple[tuple[float, Specimen | None], ...] = ()

    def over(self, row: Found) -> Specimen | None:
        left = row.line.row.box.x0 + _INDENT
        return next((specimen for x0, specimen in reversed(self.cells) if x0 <= left), None)


def specimens_of(rows: Sequence[Found]) -> Iterator[Specimen | None]:
    """For each line, what the last heading above it says; None before the first."""
    current = Heading()
    told: list[tuple[Found, Heading]] = []
    for row in rows:
        if told and _begins_part(told[-1][0], row):
            current = next((heading for above, heading in reversed(told) if _is_over(above, row)), Heading())
        if not row.readings and row.rule != CONTINUATION:
            current = _heading(row, current)
        told.append((row, current))
        yield current.over(row)


def _heading(row: Found, current: Heading) -> Heading:
    cells = [(cell[0].x0, _told(text_of(cell))) for cell in cells_of(row.line.row)]
    if len({specimen for _, specimen in cells if specimen is not None}) > 1:
        # Headings of parts that stand side by side.
        return Heading(tuple((x0, specimen) for x0, specimen in cells if specimen is not None))
    text = row.line.row.text
    specimen = _told(text)
    # A heading in capitals that says nothing of it begins a section of its own, in blood as most are.
    return Heading(((float("-inf"), specimen),)) if specimen is not None or _is_title(text) else current


def _begins_part(above: Found, row: Found) -> bool:
    """What stands beside the last part of the page is not under its heading."""
    one, other = above.line.row, row.line.row
    return one.page == other.page and other.box.bottom < one.box.top - other.size


def _is_over(above: Found, row: Found) -> bool:
    one, other = above.line.row, row.line.row
    return one.page < other.page or (one.page == other.page and one.box.bottom <= other.box.top)


def is_of_blood(rows: Sequence[Found]) -> bool:
    """Whether the report speaks of nothing else: then what blood and urine share was measured in blood."""
    others = [words for specimen, words in _HEADINGS if specimen != "blood"]
    return not any(words.search(row.line.row.text) for row in rows for words in others)


def _is_title(text: str) -> bool:
    text = _NUMBERED.sub("", text)
    return (
        text.isupper() and not any(map(str.isdigit, text)) and len(text) > 1 and len(text.split()) <= _LONGEST_HEADING
    )


def _told(text: str) -> Specimen | None:
    if len(text.split()) > _LONGEST_HEADING:
        return None
    found = [specimen for specimen, words in _HEADINGS if words.search(text)]
    return found[0] if found else None
