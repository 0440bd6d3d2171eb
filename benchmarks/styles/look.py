"""What a page style decides about each kind of block."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reportlab.lib.colors import Color
from reportlab.lib.styles import ParagraphStyle

from benchmarks.styles.content import Grid

Command = tuple[Any, ...]
Drawn = Any


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadingLook:
    style: ParagraphStyle
    small_caps: bool = False
    underlined: bool = False
    rule: Color | None = None
    band: Color | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLook:
    """`rules` gives reportlab's table commands for a table; `stretch` makes it as wide as its column."""

    cell: ParagraphStyle
    head: ParagraphStyle
    rules: Callable[[Grid], Sequence[Command]]
    pad_x: float = 4.0
    pad_y: float = 2.0
    stretch: bool = True
    space: float = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    headings: Mapping[int, HeadingLook]
    body: ParagraphStyle
    opening: ParagraphStyle
    item: ParagraphStyle
    table: TableLook
    tables: Mapping[str, TableLook] = field(default_factory=dict)
    boxes: "Mapping[str, BoxLook]" = field(default_factory=dict)
    table_title: ParagraphStyle | None = None
    caption: ParagraphStyle | None = None
    note: ParagraphStyle | None = None
    paragraphs: Mapping[str, ParagraphStyle] = field(default_factory=dict)
    bullets: Sequence[str] = ("•", "\N{EN DASH}", "·")
    list_indent: float = 12.0
    drop_cap: Color | None = None
    figures: Mapping[str, Callable[[float], Drawn]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxLook:
    """`inner` is the look of what stands in the box; `margin` is for boxes beside the text."""

    inner: Look
    background: Color | None = None
    border: Color | None = None
    border_width: float = 0.7
    bars: Color | None = None
    pad: float = 6.0
    space: float = 8.0
    rounded: float = 0.0
    margin: "Margin | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """Where boxes beside the text begin, on odd and on even pages."""

    odd_left: float
    even_left: float
    width: float
