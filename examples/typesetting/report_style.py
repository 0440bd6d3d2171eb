"""How the report looks: headings, lists, two kinds of ruled table, footnotes and a chart."""

from collections.abc import Mapping, Sequence

from examples.typesetting.press import Canvas, Document, Flowable, paragraphs, typeset
from reportlab.graphics.shapes import Drawing, Line, Rect, String
from reportlab.lib.colors import HexColor, white
from reportlab.lib.enums import TA_JUSTIFY, TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import KeepTogether, Spacer, Table

PAGE_WIDTH, PAGE_HEIGHT = A4
MARGIN = 71
TEXT_WIDTH = PAGE_WIDTH - 2 * MARGIN
TOP = 84
BOTTOM = 64
FOOTNOTE_HEIGHT = 52

INK = HexColor("#1c2530")
NAVY = HexColor("#17406d")
SAND = HexColor("#d9a441")
GREY = HexColor("#6b7683")
HAIRLINE = HexColor("#b9c2cc")
PALE = HexColor("#e9eff5")

BODY = ParagraphStyle(
    "report body",
    fontName="Times-Roman",
    fontSize=11,
    leading=14.6,
    textColor=INK,
    alignment=TA_JUSTIFY,
    spaceAfter=7,
)
TITLE = ParagraphStyle("report title", fontName="Helvetica-Bold", fontSize=25, leading=30, textColor=NAVY)
SUBTITLE = ParagraphStyle("subtitle", fontName="Helvetica", fontSize=12.5, leading=17, textColor=GREY, spaceAfter=16)
HEADING = ParagraphStyle(
    "report heading",
    fontName="Helvetica-Bold",
    fontSize=15,
    leading=19,
    textColor=NAVY,
    spaceBefore=12,
    spaceAfter=6,
    keepWithNext=1,
)
SUBHEADING = ParagraphStyle(
    "report subheading", parent=HEADING, fontSize=11.5, leading=15, textColor=INK, spaceBefore=7, spaceAfter=3
)
ITEM = ParagraphStyle(
    "item", parent=BODY, leftIndent=22, bulletIndent=7, bulletFontName="Times-Roman", bulletFontSize=11, spaceAfter=3.5
)
INNER_ITEM = ParagraphStyle("inner item", parent=ITEM, leftIndent=42, bulletIndent=28)
CAPTION = ParagraphStyle("caption", fontName="Helvetica", fontSize=9, leading=12, textColor=INK, spaceAfter=4)
FIGURE_CAPTION = ParagraphStyle("figure caption", parent=CAPTION, spaceBefore=4, spaceAfter=10)
CELL = ParagraphStyle("report cell", fontName="Helvetica", fontSize=9, leading=11.5, textColor=INK)
NUMBER = ParagraphStyle("number", parent=CELL, alignment=TA_RIGHT)
FOOTNOTE = ParagraphStyle("footnote", fontName="Times-Roman", fontSize=8.8, leading=10.8, textColor=INK)


def body(text: str) -> list[Flowable]:
    return [typeset(paragraph, BODY) for paragraph in paragraphs(text)]


def heading(text: str, *, anchor: str) -> Flowable:
    return typeset(f'<a name="{anchor}"/>{text}', HEADING)


def subheading(text: str) -> Flowable:
    return typeset(text, SUBHEADING)


def link(text: str, *, target: str) -> str:
    return f'<a href="{target}" color="#17406d"><u>{text}</u></a>'


def note(number: int) -> str:
    """A mark that points at a footnote of the same page."""
    return f'<super rise="4" size="7.5">{number}</super>'


def bullets(*texts: str) -> list[Flowable]:
    return [typeset(text, ITEM, bullet="•") for text in texts]


def inner_bullets(*texts: str) -> list[Flowable]:
    return [typeset(text, INNER_ITEM, bullet="--") for text in texts]


def numbered(*texts: str) -> list[Flowable]:
    return [typeset(text, ITEM, bullet=f"{number}.") for number, text in enumerate(texts, start=1)]


def grid_table(caption: str, rows: Sequence[Sequence[str]], *, widths: Sequence[float], numeric_from: int) -> Flowable:
    """Every cell ruled on all four sides, the head tinted."""
    table = Table(_cells(rows, numeric_from=numeric_from), colWidths=list(widths), hAlign="LEFT")
    table.setStyle(
        [
            ("GRID", (0, 0), (-1, -1), 0.6, GREY),
            ("BACKGROUND", (0, 0), (-1, 0), PALE),
            ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
            ("TOPPADDING", (0, 0), (-1, -1), 3),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
        ]
    )
    return KeepTogether([typeset(caption, CAPTION), table, Spacer(1, 12)])


def open_table(caption: str, rows: Sequence[Sequence[str]], *, widths: Sequence[float], numeric_from: int) -> Flowable:
    """Ruled above, under the head and below only; the last row is the total."""
    table = Table(_cells(rows, numeric_from=numeric_from), colWidths=list(widths), hAlign="LEFT")
    table.setStyle(
        [
            ("LINEABOVE", (0, 0), (-1, 0), 1.2, INK),
            ("LINEBELOW", (0, 0), (-1, 0), 0.6, INK),
            ("LINEABOVE", (0, -1), (-1, -1), 0.6, INK),
            ("LINEBELOW", (0, -1), (-1, -1), 1.2, INK),
            ("TOPPADDING", (0, 0), (-1, -1), 2.5),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 3),
        ]
    )
    return KeepTogether([typeset(caption, CAPTION), table, Spacer(1, 12)])


def _cells(rows: Sequence[Sequence[str]], *, numeric_from: int) -> list[list[Flowable]]:
    head, *others = rows

    def cell(text: str, column: int) -> Flowable:
        return typeset(text, NUMBER if column >= numeric_from else CELL)

    first = [cell(f"<b>{text}</b>", column) for column, text in enumerate(head)]
    return [first, *([cell(text, column) for column, text in enumerate(row)] for row in others)]


def bar_chart(
    labels: Sequence[str], series: Mapping[str, Sequence[float]], *, top: float, step: float, unit: str
) -> Drawing:
    """Grouped bars, drawn line by line: a vector figure with its words as text."""
    width, height, left, floor = TEXT_WIDTH, 190, 34, 34
    scale = (height - floor - 26) / top
    drawing = Drawing(width, height)
    for index in range(int(top / step) + 1):
        y = floor + index * step * scale
        drawing.add(Line(left, y, width, y, strokeColor=HAIRLINE, strokeWidth=0.5))
        drawing.add(_label(f"{index * step:g}", left - 5, y - 3, anchor="end"))
    drawing.add(_label(unit, 0, height - 10, anchor="start"))
    slot = (width - left) / len(labels)
    bar = slot * 0.34
    for number, (values, colour) in enumerate(zip(series.values(), (NAVY, SAND), strict=True)):
        for place, value in enumerate(values):
            x = left + slot * place + slot * 0.14 + number * (bar + 1.5)
            drawing.add(Rect(x, floor, bar, value * scale, fillColor=colour, strokeColor=None))
            drawing.add(_label(f"{value:.1f}", x + bar / 2, floor + value * scale + 3, anchor="middle"))
    for place, label in enumerate(labels):
        drawing.add(_label(label, left + slot * (place + 0.5), floor - 12, anchor="middle"))
    drawing.add(Line(left, floor, width, floor, strokeColor=INK, strokeWidth=0.8))
    _add_legend(drawing, list(series), left=left)
    return drawing


def _add_legend(drawing: Drawing, names: Sequence[str], *, left: float) -> None:
    for place, (name, colour) in enumerate(zip(names, (NAVY, SAND), strict=True)):
        x = left + place * 130
        drawing.add(Rect(x, 4, 9, 9, fillColor=colour, strokeColor=None))
        drawing.add(_label(name, x + 14, 5.5, anchor="start"))


def _label(text: str, x: float, y: float, *, anchor: str) -> String:
    return String(x, y, text, fontName="Helvetica", fontSize=8, fillColor=INK, textAnchor=anchor)


def draw_page(canvas: Canvas, document: Document, *, running_title: str, footnotes: Mapping[int, str]) -> None:
    """The running head, the page number, and the footnotes of this page over a short rule."""
    canvas.saveState()
    if document.page > 1:
        canvas.setFillColor(GREY)
        canvas.setFont("Helvetica", 8.5)
        canvas.drawString(MARGIN, PAGE_HEIGHT - 54, running_title)
        canvas.setStrokeColor(HAIRLINE)
        canvas.setLineWidth(0.5)
        canvas.line(MARGIN, PAGE_HEIGHT - 60, PAGE_WIDTH - MARGIN, PAGE_HEIGHT - 60)
    else:
        _draw_band(canvas)
    canvas.setFillColor(GREY)
    canvas.setFont("Helvetica", 8.5)
    canvas.drawCentredString(PAGE_WIDTH / 2, 36, str(document.page))
    canvas.restoreState()
    _draw_footnotes(canvas, footnotes)


def _draw_band(canvas: Canvas) -> None:
    canvas.setFillColor(NAVY)
    canvas.rect(0, PAGE_HEIGHT - 46, PAGE_WIDTH, 46, fill=1, stroke=0)
    canvas.setFillColor(white)
    canvas.setFont("Helvetica-Bold", 11)
    canvas.drawString(MARGIN, PAGE_HEIGHT - 28, "Sundermere Harbour Trust")
    canvas.setFillColor(SAND)
    canvas.rect(0, PAGE_HEIGHT - 49, PAGE_WIDTH, 3, fill=1, stroke=0)


def _draw_footnotes(canvas: Canvas, footnotes: Mapping[int, str]) -> None:
    if not footnotes:
        return
    blocks = [typeset(f"{note(number)} {text}", FOOTNOTE) for number, text in footnotes.items()]
    heights = [block.wrap(TEXT_WIDTH, FOOTNOTE_HEIGHT)[1] for block in blocks]
    y = BOTTOM + sum(heights)
    canvas.saveState()
    canvas.setStrokeColor(GREY)
    canvas.setLineWidth(0.5)
    canvas.line(MARGIN, y + 5, MARGIN + 120, y + 5)
    canvas.restoreState()
    for block, height in zip(blocks, heights, strict=True):
        y -= height
        block.drawOn(canvas, MARGIN, y)
