"""Turns blocks into what reportlab can place, as a look asks for it."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from examples.typesetting.press import small_caps
from reportlab.graphics.shapes import Drawing, String
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import HRFlowable, Paragraph, ParagraphAndImage, Spacer, Table

from benchmarks.styles.content import Block, Box, Columns, Grid, Heading, Items, Note, Text
from benchmarks.styles.look import BoxLook, HeadingLook, Look
from benchmarks.styles.margin import MarginBox
from benchmarks.styles.tables import set_table

Flowable = Any
UNPADDED = tuple((f"{side}PADDING", (0, 0), (-1, -1), 0) for side in ("LEFT", "RIGHT", "TOP", "BOTTOM"))
PICTURE_GAP = 8.0


def set_blocks(blocks: Sequence[Block], look: Look, *, width: float) -> list[Flowable]:
    flowables: list[Flowable] = []
    previous: Block | None = None
    for block, following in zip_longest(blocks, blocks[1:]):
        if isinstance(block, Text) and isinstance(previous, Text) and "around" in previous.hints:
            flowables.append(_text_around_figure(previous, block, look, width))
        elif isinstance(block, Note):
            _attach_note(flowables[-1], block, look)
            continue
        elif isinstance(block, Text):
            flowables += _set_text(block, look, width=width, previous=previous, following=following)
        else:
            flowables += _set_other(block, look, width)
        previous = block
    return flowables


def _set_other(block: Heading | Items | Grid | Box | Columns, look: Look, width: float) -> list[Flowable]:
    match block:
        case Heading():
            return _set_heading(block, look.headings[block.level], width)
        case Items() if "contents" in block.hints:
            return _set_contents(block, look, width)
        case Items():
            return list(_set_items(block, look, width, depth=0))
        case Grid():
            return set_table(block, look.tables.get(block.hints.get("table", ""), look.table), width=width)
        case Box() if "margin" in block.hints:
            return [_set_margin_box(block, look.boxes[block.hints["margin"]])]
        case Box():
            return [set_box(block, look.boxes[block.hints.get("box", "")], width=width)]
        case Columns():
            raise ValueError("a change of columns belongs between sections, not inside a box")


def _set_heading(heading: Heading, look: HeadingLook, width: float) -> list[Flowable]:
    text = small_caps(heading.text, size=look.style.fontSize) if look.small_caps else heading.text
    paragraph = Paragraph(f"<u>{text}</u>" if look.underlined else text, look.style)
    paragraph.keepWithNext = 1
    if look.band is not None:
        return [_in_band(paragraph, look, width)]
    if look.rule is None:
        return [paragraph]
    rule = HRFlowable(width="100%", thickness=0.7, color=look.rule, spaceBefore=1, spaceAfter=3)
    rule.keepWithNext = 1
    return [paragraph, rule]


def _in_band(paragraph: Flowable, look: HeadingLook, width: float) -> Flowable:
    commands = [("BACKGROUND", (0, 0), (-1, -1), look.band), ("LEFTPADDING", (0, 0), (-1, -1), 6)]
    commands += [("TOPPADDING", (0, 0), (-1, -1), 2), ("BOTTOMPADDING", (0, 0), (-1, -1), 4)]
    band = Table([[paragraph]], colWidths=[width], style=commands, spaceBefore=look.style.spaceBefore, spaceAfter=4)
    band.keepWithNext = 1
    return band


def _set_text(
    block: Text, look: Look, *, width: float, previous: Block | None, following: Block | None
) -> list[Flowable]:
    if "around" in block.hints:
        return []
    if "figure" in block.hints:
        return [_figure(block, look, width)]
    if "drop-cap" in block.hints:
        return [_with_drop_cap(block.text, look)]
    if block.is_bold_line and isinstance(following, Grid) and look.table_title is not None:
        title = Paragraph(block.text, look.table_title)
        title.keepWithNext = 1
        return [title]
    return [Paragraph(block.text, _paragraph_style(block, look, previous))]


def _paragraph_style(block: Text, look: Look, previous: Block | None) -> ParagraphStyle:
    for hint in block.hints:
        if hint in look.paragraphs:
            return look.paragraphs[hint]
    follows_text = isinstance(previous, Text) and previous.hints.keys() <= {"drop-cap"}
    return look.body if follows_text else look.opening


def _with_drop_cap(text: str, look: Look) -> Flowable:
    """The first letter stands three lines high, the rest of its word is in capitals."""
    size = look.body.leading * 3.4
    font = look.headings[1].style.fontName
    initial = Drawing(stringWidth(text[0], font, size), look.body.leading * 2.6)
    initial.add(String(0, 1, text[0], fontName=font, fontSize=size, fillColor=look.drop_cap))
    opening, rest = text[1:].split(" ", 1)
    paragraph = Paragraph(f"{opening.upper()} {rest}", look.opening)
    return ParagraphAndImage(paragraph, initial, xpad=4, ypad=1, side="left")


def _figure(block: Text, look: Look, width: float) -> Flowable:
    picture = look.figures[block.hints["figure"]](width)
    caption = Paragraph(block.text, look.caption)
    style = [*UNPADDED, ("BOTTOMPADDING", (0, 0), (-1, 0), 4)]
    return Table([[picture], [caption]], colWidths=[width], style=style, spaceBefore=8, spaceAfter=8)


def _text_around_figure(figure: Text, text: Text, look: Look, width: float) -> Flowable:
    side = figure.hints["around"]
    narrow = width * float(figure.hints.get("share", "0.45"))
    # reportlab would set its own gap to the right of the figure even where the text is on the left.
    inner_edge = "LEFTPADDING" if side == "right" else "RIGHTPADDING"
    style = [*UNPADDED, (inner_edge, (0, 0), (-1, -1), PICTURE_GAP)]
    apart = Table([[_figure(figure, look, narrow)]], colWidths=[narrow + PICTURE_GAP], style=style)
    return ParagraphAndImage(Paragraph(text.text, look.opening), apart, xpad=0, ypad=2, side=side)


def _attach_note(flowable: Flowable, note: Note, look: Look) -> None:
    flowable.footnotes = [
        *getattr(flowable, "footnotes", []),
        Paragraph(f"<super>{note.number}</super> {note.text}", look.note),
    ]


def _set_items(block: Items, look: Look, width: float, *, depth: int) -> Iterator[Flowable]:
    indent = look.item.leftIndent + look.list_indent * (depth + 1)
    style = ParagraphStyle(
        f"{look.item.name} {depth}",
        parent=look.item,
        leftIndent=indent,
        firstLineIndent=0,
        bulletIndent=indent - look.list_indent,
        bulletFontName=look.item.fontName,
        bulletFontSize=look.item.fontSize,
    )
    for number, item in enumerate(block.items):
        mark = look.bullets[depth] if block.first_number is None else f"{block.first_number + number}."
        for part in item:
            if isinstance(part, Text):
                yield Paragraph(part.text, style, bulletText=mark)
            elif isinstance(part, Items):
                yield from _set_items(part, look, width, depth=depth + 1)
    if depth == 0:
        yield Spacer(1, look.body.leading * 0.4)


def _set_contents(block: Items, look: Look, width: float) -> list[Flowable]:
    """Every entry ends in its page: `2.1 Sampling 3` is printed with a dotted line before the 3."""
    style = look.paragraphs["contents"]
    lines = []
    for item in block.items:
        (entry,) = item
        assert isinstance(entry, Text)
        title, page = entry.text.rsplit(" ", 1)
        indent = 14 * title.split(" ")[0].count(".")
        lines.append(_dotted(title, page, style, indent=indent, width=width))
    return [*lines, Spacer(1, style.leading)]


def _dotted(title: str, page: str, style: ParagraphStyle, *, indent: float, width: float) -> Flowable:
    size, font = style.fontSize, style.fontName
    drawing = Drawing(width, style.leading)
    start = indent + stringWidth(title, font, size) + 4
    end = width - stringWidth(page, font, size) - 4
    dots = " ." * int((end - start) / stringWidth(" .", font, size))
    drawing.add(String(indent, 3, title, fontName=font, fontSize=size))
    drawing.add(String(end, 3, dots, fontName=font, fontSize=size, textAnchor="end"))
    drawing.add(String(width, 3, page, fontName=font, fontSize=size, textAnchor="end"))
    return drawing


def _set_margin_box(box: Box, look: BoxLook) -> Flowable:
    assert look.margin is not None
    return MarginBox(
        set_box(box, look, width=look.margin.width), odd_left=look.margin.odd_left, even_left=look.margin.even_left
    )


def set_box(box: Box, look: BoxLook, *, width: float) -> Flowable:
    inner = set_blocks(box.blocks, look.inner, width=width - 2 * look.pad)
    commands: list[tuple[Any, ...]] = [
        *((f"{side}PADDING", (0, 0), (-1, -1), look.pad) for side in ("LEFT", "RIGHT", "TOP", "BOTTOM"))
    ]
    if look.background is not None:
        commands.append(("BACKGROUND", (0, 0), (-1, -1), look.background))
    if look.border is not None:
        commands.append(("BOX", (0, 0), (-1, -1), look.border_width, look.border))
    if look.bars is not None:
        commands += [(line, (0, 0), (-1, -1), 2, look.bars) for line in ("LINEABOVE", "LINEBELOW")]
    corners = [look.rounded] * 4 if look.rounded else None
    return Table(
        [[inner]],
        colWidths=[width],
        style=commands,
        spaceBefore=look.space,
        spaceAfter=look.space,
        cornerRadii=corners,
    )
