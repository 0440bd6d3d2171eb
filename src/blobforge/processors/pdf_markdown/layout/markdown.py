"""Passages become Markdown."""

from collections.abc import Sequence
from itertools import pairwise

from blobforge.processors.pdf_markdown.layout.passages import Passage, Role
from blobforge.processors.pdf_markdown.layout.tables.html import html_table

_NESTED = "    "
"""Enough for any marker, and too little for code."""


def markdown_of_document(passages: Sequence[Passage]) -> str:
    if not passages:
        return ""
    pieces = [_markdown(passages[0])]
    for before, passage in pairwise(passages):
        is_list = before.role is Role.ITEM and passage.role is Role.ITEM
        pieces += ["\n" if is_list else "\n\n", _markdown(passage)]
    return "".join(pieces)


def _markdown(passage: Passage) -> str:
    match passage.role:
        case Role.HEADING:
            text = f"{'#' * max(passage.level, 1)} {passage.plain}"
        case Role.ITEM:
            text = f"{_NESTED * passage.level}{passage.marker} {passage.text}"
        case Role.TABLE:
            text = (
                html_table(passage.rows, passage.spans, heads=passage.heads) if passage.spans else _table(passage.rows)
            )
        case Role.QUOTE:
            inner = markdown_of_document(passage.children)
            text = "\n".join(f"> {line}".rstrip() for line in inner.split("\n"))
        case Role.NOTE:
            text = f"[^{passage.marker}]: {passage.text}"
        case Role.CODE:
            text = f"```\n{passage.text}\n```"
        case Role.FIGURE:
            text = "\n\n".join([passage.text, *map(_markdown, passage.children)])
        case Role.PARAGRAPH | Role.PICTURE_TEXT:
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
