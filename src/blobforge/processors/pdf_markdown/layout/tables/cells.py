"""Writes the cells of a detected table as Markdown, its header without emphasis."""

import re
from collections.abc import Sequence

from blobforge.processors.pdf_markdown.layout.model.content import TextLine, TextWord
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole
from blobforge.processors.pdf_markdown.layout.model.table import Cell, DetectedTable
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey
from blobforge.processors.pdf_markdown.layout.text.inline import joined, markdown_of, plain_text

_LEADER = re.compile(r"[.·…]{4,}$")


def table_passage(table: DetectedTable, survey: DocumentSurvey, *, page: int) -> Passage:
    heads = _heads(table)
    rows = [[_cell(cell, survey, is_head=number < heads) for cell in row] for number, row in enumerate(table.rows)]
    return Passage(role=PassageRole.TABLE, page=page, box=table.box, rows=rows, heads=heads, spans=table.spans)


def _heads(table: DetectedTable) -> int:
    """How many rows at the top are set apart from those below, with all rows that their cells reach down to."""
    looks = [_is_set_apart(row) for row in table.rows]
    heads = looks.index(False) if not all(looks) else int(_is_bold(table.rows[0]))
    # A label by itself heads the rows below it, not the columns. (As a title it may stand above the header.)
    several = [row for row in range(heads) if sum(map(bool, table.rows[row])) > 1]
    heads = next((row for row in range(1, heads) if row not in several), heads) if several else 0
    reach = [span.row + span.rows for span in table.spans if span.row < heads]
    return max([heads, *reach])


def _is_set_apart(row: Sequence[Cell]) -> bool:
    """Whether each cell is bold, or each is slanted."""
    return any(row) and (_is_bold(row) or all(_is_slanted(line) for cell in row for line in cell))


def _is_bold(row: Sequence[Cell]) -> bool:
    return all(line.is_bold for cell in row for line in cell)


def _is_slanted(line: TextLine) -> bool:
    return all(word.style.italic for word in line.words)


def _without_leader(words: list[TextWord]) -> list[TextWord]:
    """Without the dots that lead from a label to its figures."""
    if not words or not (found := _LEADER.search(words[-1].text)):
        return words
    if found.start() > 0:
        return [*words[:-1], words[-1]._replace(text=words[-1].text[: found.start()])]
    return words[:-1] or words


def _cell(cell: Cell, survey: DocumentSurvey, *, is_head: bool) -> str:
    """A header is bold by itself."""
    words = _without_leader(joined(cell, hyphenated=survey.hyphenated))
    is_plain = is_head and (all(line.is_bold for line in cell) or all(map(_is_slanted, cell)))
    text = plain_text(words) if is_plain else markdown_of(words, bold=not survey.bold)
    return text.replace("|", "\\|")
