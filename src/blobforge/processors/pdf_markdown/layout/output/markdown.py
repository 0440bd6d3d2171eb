"""Writes passages as Markdown."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole
from blobforge.processors.pdf_markdown.layout.output.html_tables import html_table

_NESTED = "    "
"""Enough for any marker, and too little for code."""


class Lines(NamedTuple):
    """A range of lines of a text: its first, counted from 0, and how many they are."""

    first: int
    height: int


def markdown_of_document(passages: Sequence[Passage]) -> str:
    return markdown_with_lines(passages)[0]


def markdown_with_lines(passages: Sequence[Passage]) -> tuple[str, list[Lines]]:
    """The Markdown, and where in it each passage is."""
    if not passages:
        return "", []
    pieces = [_markdown(passages[0])]
    lines = [Lines(0, pieces[0].count("\n") + 1)]
    for before, passage in pairwise(passages):
        between = "\n" if before.role is PassageRole.ITEM and passage.role is PassageRole.ITEM else "\n\n"
        pieces += [between, text := _markdown(passage)]
        lines.append(Lines(lines[-1].first + lines[-1].height - 1 + len(between), text.count("\n") + 1))
    return "".join(pieces), lines


def _markdown(passage: Passage) -> str:
    match passage.role:
        case PassageRole.HEADING:
            text = f"{'#' * max(passage.level, 1)} {passage.plain}"
        case PassageRole.ITEM:
            text = f"{_NESTED * passage.level}{passage.marker} {passage.text}"
        case PassageRole.TABLE:
            text = (
                html_table(passage.rows, passage.spans, heads=passage.heads) if passage.spans else _table(passage.rows)
            )
        case PassageRole.QUOTE:
            inner = markdown_of_document(passage.children)
            text = "\n".join(f"> {line}".rstrip() for line in inner.split("\n"))
        case PassageRole.NOTE:
            text = f"[^{passage.marker}]: {passage.text}"
        case PassageRole.CODE:
            text = f"```\n{passage.text}\n```"
        case PassageRole.FIGURE:
            text = "\n\n".join([passage.text, *map(_markdown, passage.children)])
        case PassageRole.PARAGRAPH | PassageRole.PICTURE_TEXT | PassageRole.RUNNING | PassageRole.ASIDE:
            text = passage.text
    return text


def _table(rows: Sequence[Sequence[str]]) -> str:
    width = max(map(len, rows))
    lines = [_row(row, width) for row in rows]
    lines.insert(1, "|" + "---|" * width)
    return "\n".join(lines)


def _row(row: Sequence[str], width: int) -> str:
    cells = [*row, *[""] * (width - len(row))]
    return f"| {' | '.join(cells)} |"
