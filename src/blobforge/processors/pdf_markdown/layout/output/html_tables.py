"""Tables as HTML, for what a pipe table cannot hold: cells over several rows or columns."""

import html
import re
from collections.abc import Iterator, Sequence

from blobforge.processors.pdf_markdown.layout.model.table import Span

_MARKS = re.compile(
    r"\\(?P<escaped>.)|(?P<stars>\*+)|\[\^(?P<note>[^\]]+)\]|\[(?P<label>(?:\\.|[^\]\\])*)\]\((?P<target><[^>]*>|[^)]*)\)"
)
_OPEN = {1: "<em>", 2: "<strong>", 3: "<strong><em>"}
_CLOSE = {1: "</em>", 2: "</strong>", 3: "</em></strong>"}


def html_table(rows: Sequence[Sequence[str]], spans: Sequence[Span], *, heads: int) -> str:
    """Without an empty line in it: Markdown would end the table there."""
    wide = {(span.row, span.column): span for span in spans}
    covered = {place for span in spans for place in _covered(span)}
    lines = ["<table>"]
    for number, row in enumerate(rows):
        tag = "th" if number < heads else "td"
        cells = (
            _cell(text, tag, wide.get((number, column)))
            for column, text in enumerate(row)
            if (number, column) not in covered
        )
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</table>"])


def _covered(span: Span) -> Iterator[tuple[int, int]]:
    """The places of a cell besides its first."""
    for row in range(span.row, span.row + span.rows):
        for column in range(span.column, span.column + span.columns):
            if (row, column) != (span.row, span.column):
                yield row, column


def _cell(text: str, tag: str, span: Span | None) -> str:
    extent = ""
    if span is not None:
        extent += f' colspan="{span.columns}"' if span.columns > 1 else ""
        extent += f' rowspan="{span.rows}"' if span.rows > 1 else ""
    return f"<{tag}{extent}>{html_text(text)}</{tag}>"


def html_text(markdown: str) -> str:
    """Markdown within a line, as `inline` writes it, in the words of HTML."""
    pieces: list[str] = []
    end = is_open = 0
    for found in _MARKS.finditer(markdown):
        pieces.append(html.escape(markdown[end : found.start()], quote=False))
        end = found.end()
        if found["stars"]:
            marks, is_open = _emphasis(len(found["stars"]), is_open)
            pieces.append(marks)
        elif found["escaped"]:
            pieces.append(html.escape(found["escaped"], quote=False))
        elif found["note"]:
            pieces.append(f"<sup>{html.escape(found['note'])}</sup>")
        else:
            pieces.append(f'<a href="{html.escape(found["target"].strip("<>"))}">{html_text(found["label"])}</a>')
    return "".join((*pieces, html.escape(markdown[end:], quote=False)))


def _emphasis(stars: int, is_open: int) -> tuple[str, int]:
    """What a run of stars stands for, and how many are open after it: it may end one emphasis and begin another."""
    closing = _CLOSE.get(is_open, "")
    left = stars - is_open
    return closing + _OPEN.get(left, ""), max(left, 0)
