"""Tables: how wide their columns are, and the kinds of rules and tints that styles choose from."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from reportlab.lib.colors import Color
from reportlab.lib.enums import TA_CENTER, TA_LEFT, TA_RIGHT
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import Paragraph, Table

from benchmarks.styles.content import Grid
from benchmarks.styles.look import Command, TableLook

ALIGNMENTS = {"left": TA_LEFT, "center": TA_CENTER, "right": TA_RIGHT}
Rules = Callable[[Grid], Sequence[Command]]


def set_table(grid: Grid, look: TableLook, *, width: float) -> list[Any]:
    rows = grid.rows if grid.has_head else grid.rows[1:]
    heads = head_rows(grid)
    cells = [
        [
            Paragraph(text, _style(look, alignment, is_head=row < heads))
            for text, alignment in _aligned(grid, row, texts)
        ]
        for row, texts in enumerate(rows)
    ]
    commands = [("VALIGN", (0, 0), (-1, -1), "TOP"), *_padding(look), *_spans(grid), *look.rules(grid)]
    table = Table(
        cells,
        colWidths=column_widths(grid, look, width=width),
        repeatRows=heads,
        style=commands,
        hAlign="LEFT",
        spaceBefore=look.space / 2,
        spaceAfter=look.space,
    )
    return [table]


def head_rows(grid: Grid) -> int:
    """A head whose cells are merged has the columns' own names in a second row."""
    if not grid.has_head:
        return 0
    return 2 if "merged" in grid.hints else 1


def column_widths(grid: Grid, look: TableLook, *, width: float) -> Sequence[float]:
    """As wide as the text wants where there is room; else what is left after the longest words is shared out."""
    padding = 2 * look.pad_x + 1
    rows = grid.rows[1:] if "merged" in grid.hints else grid.rows
    styles = [look.head] + [look.cell] * (len(rows) - 1)
    wanted, least = [], []
    for column in zip(*rows, strict=True):
        wanted.append(padding + max(_text_width(text, style) for text, style in zip(column, styles, strict=True)))
        least.append(padding + max(_word_width(text, style) for text, style in zip(column, styles, strict=True)))
    slack = width - sum(wanted)
    if slack >= 0:
        share = slack / sum(wanted) if look.stretch else 0
        return [want * (1 + share) for want in wanted]
    spare = (width - sum(least)) / sum(want - few for want, few in zip(wanted, least, strict=True))
    return [few + (want - few) * spare for want, few in zip(wanted, least, strict=True)]


def open_rules(_grid: Grid) -> Sequence[Command]:
    """Nothing but alignment."""
    return []


def full_grid(line: Color, *, head: Color | None = None, weight: float = 0.5) -> Rules:
    def rules(grid: Grid) -> Sequence[Command]:
        tint = [("BACKGROUND", (0, 0), (-1, head_rows(grid) - 1), head)] if head is not None and grid.has_head else []
        return [*tint, ("GRID", (0, 0), (-1, -1), weight, line)]

    return rules


def booktabs(line: Color) -> Rules:
    """Thick, thin and thick rules; a thin one under every merged head."""

    def rules(grid: Grid) -> Sequence[Command]:
        last = head_rows(grid) - 1
        return [
            ("LINEABOVE", (0, 0), (-1, 0), 1.1, line),
            ("LINEBELOW", (0, last), (-1, last), 0.6, line),
            ("LINEBELOW", (0, -1), (-1, -1), 1.1, line),
            *(("LINEBELOW", (first, 0), (end, 0), 0.4, line) for first, end in _merged(grid)),
        ]

    return rules


def rules_between_rows(line: Color) -> Rules:
    def rules(grid: Grid) -> Sequence[Command]:
        head = [("LINEBELOW", (0, 0), (-1, 0), 1.2, line)] if grid.has_head else []
        return [("LINEBELOW", (0, 0), (-1, -1), 0.35, line), *head]

    return rules


def zebra(*, head: Color, stripe: Color, plain: Color | None = None) -> Rules:
    def rules(grid: Grid) -> Sequence[Command]:
        first = head_rows(grid)
        tint = [("BACKGROUND", (0, 0), (-1, first - 1), head)] if first else []
        return [*tint, ("ROWBACKGROUNDS", (0, first), (-1, -1), [plain, stripe])]

    return rules


def _aligned(grid: Grid, row: int, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    if row == 0 and "merged" in grid.hints:
        return zip(texts, ["center"] * len(texts), strict=True)
    return zip(texts, grid.alignments, strict=True)


def _style(look: TableLook, alignment: str, *, is_head: bool) -> ParagraphStyle:
    style = look.head if is_head else look.cell
    return ParagraphStyle(f"{style.name} {alignment}", parent=style, alignment=ALIGNMENTS[alignment])


def _padding(look: TableLook) -> Iterator[Command]:
    for side in ("LEFT", "RIGHT"):
        yield (f"{side}PADDING", (0, 0), (-1, -1), look.pad_x)
    for side in ("TOP", "BOTTOM"):
        yield (f"{side}PADDING", (0, 0), (-1, -1), look.pad_y)


def _spans(grid: Grid) -> Sequence[Command]:
    return [("SPAN", (first, 0), (end, 0)) for first, end in _merged(grid)]


def _merged(grid: Grid) -> Sequence[tuple[int, int]]:
    """An empty cell of a merged head belongs to the one on its left."""
    if "merged" not in grid.hints:
        return []
    starts = [column for column, text in enumerate(grid.rows[0]) if text]
    return [(first, after - 1) for first, after in pairwise([*starts, len(grid.rows[0])]) if after - first > 1]


def _text_width(text: str, style: ParagraphStyle) -> float:
    return float(stringWidth(_without_tags(text), style.fontName, style.fontSize))


def _word_width(text: str, style: ParagraphStyle) -> float:
    return max((_text_width(word, style) for word in _without_tags(text).split()), default=0.0)


def _without_tags(text: str) -> str:
    return re.sub(r"<[^>]+>", "", text)
