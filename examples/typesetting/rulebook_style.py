"""How the rulebook looks: its paper, its headings, its boxes and its tables."""

from collections.abc import Sequence

from examples.typesetting.hyphenation import hyphenate
from examples.typesetting.press import Canvas, Document, Flowable, draw_spaced, paragraphs, small_caps, typeset
from reportlab.graphics.shapes import Drawing, String
from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import letter
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import HRFlowable, KeepTogether, ParagraphAndImage, Spacer, Table

PAGE_WIDTH, PAGE_HEIGHT = letter
MARGIN = 54
GUTTER = 20
COLUMN_WIDTH = (PAGE_WIDTH - 2 * MARGIN - GUTTER) / 2
FULL_WIDTH = PAGE_WIDTH - 2 * MARGIN
BOTTOM = 60
COLUMN_HEIGHT = PAGE_HEIGHT - BOTTOM - 66
FIRST_PRINTED_PAGE = 42

INK = HexColor("#2b2118")
RUST = HexColor("#8a2f1c")
GOLD = HexColor("#b8935a")
PAPER = HexColor("#f8f1df")
PAPER_EDGE = HexColor("#ebdcbc")
STRIPE = HexColor("#ead9b5")
CREAM = HexColor("#fdf8ea")
REED = HexColor("#dfe3cc")
REED_EDGE = HexColor("#6c7a4f")

BODY = ParagraphStyle(
    "rulebook body",
    fontName="Times-Roman",
    fontSize=10,
    leading=12.4,
    textColor=INK,
    alignment=TA_JUSTIFY,
    firstLineIndent=10,
    hyphenationLang=hyphenate,
    hyphenationMinWordLength=5,
)
FIRST_BODY = ParagraphStyle("rulebook first body", parent=BODY, firstLineIndent=0)
STEP = ParagraphStyle(
    "step",
    parent=FIRST_BODY,
    leftIndent=16,
    bulletIndent=3,
    bulletFontName="Times-Bold",
    bulletFontSize=10,
    spaceBefore=2,
)
CHAPTER = ParagraphStyle("chapter", fontName="Times-Bold", fontSize=31, leading=34, textColor=RUST, alignment=TA_CENTER)
CHAPTER_NUMBER = ParagraphStyle(
    "chapter number", fontName="Times-Roman", fontSize=13, leading=18, textColor=GOLD, alignment=TA_CENTER
)
EPIGRAPH = ParagraphStyle(
    "epigraph",
    fontName="Times-Italic",
    fontSize=10.5,
    leading=13.5,
    textColor=INK,
    alignment=TA_CENTER,
    leftIndent=70,
    rightIndent=70,
)
HEADING = ParagraphStyle(
    "rulebook heading", fontName="Times-Bold", fontSize=15, leading=17, textColor=RUST, spaceBefore=9, keepWithNext=1
)
SUBHEADING = ParagraphStyle("rulebook subheading", parent=HEADING, fontSize=11.5, leading=14, spaceBefore=6)
BOX_TITLE = ParagraphStyle("box title", parent=HEADING, fontSize=11.5, leading=14, spaceBefore=0, textColor=REED_EDGE)
BOX_BODY = ParagraphStyle(
    "box body", fontName="Helvetica", fontSize=8.2, leading=10.6, textColor=INK, hyphenationLang=hyphenate
)
CELL = ParagraphStyle("cell", fontName="Helvetica", fontSize=8, leading=9.8, textColor=INK)
CELL_HEAD = ParagraphStyle("cell head", parent=CELL, fontName="Helvetica-Bold", textColor=CREAM)
CELL_CENTRED = ParagraphStyle("cell centred", parent=CELL, alignment=TA_CENTER)
CELL_HEAD_CENTRED = ParagraphStyle("cell head centred", parent=CELL_HEAD, alignment=TA_CENTER)
TABLE_TITLE = ParagraphStyle("table title", parent=SUBHEADING, fontSize=10.5, leading=13, spaceBefore=8)


def body(text: str) -> list[Flowable]:
    """Paragraphs of running text: the first flush, the others indented."""
    first, *others = paragraphs(text)
    return [typeset(first, FIRST_BODY), *(typeset(other, BODY) for other in others)]


def drop_cap(text: str) -> Flowable:
    """A paragraph whose first letter stands three lines high."""
    (line,) = paragraphs(text)
    size = 46
    width = stringWidth(line[0], "Times-Bold", size)
    initial = Drawing(width, 32)
    initial.add(String(0, 1, line[0], fontName="Times-Bold", fontSize=size, fillColor=RUST))
    opening, rest = line[1:].split(" ", 1)
    return ParagraphAndImage(
        typeset(f"{small_caps(opening, size=10)} {rest}", FIRST_BODY), initial, xpad=4, ypad=1, side="left"
    )


def steps(*texts: str) -> list[Flowable]:
    """A numbered list with hanging numbers."""
    return [typeset(text, STEP, bullet=f"{number}.") for number, text in enumerate(texts, start=1)]


def points(*texts: str) -> list[Flowable]:
    return [typeset(text, STEP, bullet="•") for text in texts]


def heading(text: str) -> list[Flowable]:
    rule = HRFlowable(width="100%", thickness=0.8, color=GOLD, spaceBefore=1, spaceAfter=4)
    rule.keepWithNext = 1
    return [typeset(small_caps(text, size=15), HEADING), rule]


def subheading(text: str) -> Flowable:
    return typeset(small_caps(text, size=11.5), SUBHEADING)


def sidebar(title: str, text: str) -> list[Flowable]:
    """A box of advice beside the rules."""
    lines = [typeset(small_caps(title, size=11.5), BOX_TITLE)]
    for paragraph in paragraphs(text):
        lines += [typeset(paragraph, BOX_BODY), Spacer(1, 3)]
    box = Table([[lines]], colWidths=[COLUMN_WIDTH])
    box.setStyle(
        [
            ("BACKGROUND", (0, 0), (-1, -1), REED),
            ("BOX", (0, 0), (-1, -1), 1.2, REED_EDGE),
            ("LEFTPADDING", (0, 0), (-1, -1), 10),
            ("RIGHTPADDING", (0, 0), (-1, -1), 10),
            ("TOPPADDING", (0, 0), (-1, -1), 6),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 5),
        ]
    )
    return [Spacer(1, 8), KeepTogether([box]), Spacer(1, 8)]


def striped_table(
    title: str, rows: Sequence[Sequence[str]], *, widths: Sequence[float], centred: frozenset[int] = frozenset()
) -> list[Flowable]:
    """A table with every other row tinted; the first row is its head, the widths are shares of the whole."""
    head, *others = rows
    cells = [[typeset(text, CELL_HEAD_CENTRED if i in centred else CELL_HEAD) for i, text in enumerate(head)]]
    cells += [[typeset(text, CELL_CENTRED if i in centred else CELL) for i, text in enumerate(row)] for row in others]
    table = Table(cells, colWidths=list(widths))
    table.setStyle(
        [
            ("BACKGROUND", (0, 0), (-1, 0), RUST),
            ("ROWBACKGROUNDS", (0, 1), (-1, -1), [CREAM, STRIPE]),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LINEBELOW", (0, -1), (-1, -1), 0.8, RUST),
            ("LEFTPADDING", (0, 0), (-1, -1), 5),
            ("RIGHTPADDING", (0, 0), (-1, -1), 5),
            ("TOPPADDING", (0, 0), (-1, -1), 2.4),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 3),
        ]
    )
    return [KeepTogether([typeset(small_caps(title, size=10.5), TABLE_TITLE), Spacer(1, 2), table]), Spacer(1, 8)]


def stat_block(
    name: str, kind: str, *, ratings: Sequence[tuple[str, str]], traits: Sequence[tuple[str, str]]
) -> list[Flowable]:
    """A creature: its name, its ratings in a row, then what it is and does."""
    inner_width = COLUMN_WIDTH - 16
    rating_cells = [[typeset(f"<b>{label}</b>", CELL_CENTRED) for label, _ in ratings]]
    rating_cells += [[typeset(value, CELL_CENTRED) for _, value in ratings]]
    rating_row = Table(rating_cells, colWidths=[inner_width / len(ratings)] * len(ratings))
    rating_row.setStyle(
        [
            ("LINEABOVE", (0, 0), (-1, 0), 0.8, RUST),
            ("LINEBELOW", (0, -1), (-1, -1), 0.8, RUST),
            ("TOPPADDING", (0, 0), (-1, -1), 1.5),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
        ]
    )
    title = ParagraphStyle("stat title", parent=BOX_TITLE, textColor=RUST, fontSize=13, leading=15)
    kind_style = ParagraphStyle("stat kind", parent=BOX_BODY, fontName="Helvetica-Oblique", spaceAfter=3)
    lines = [typeset(small_caps(name, size=13), title), typeset(kind, kind_style), rating_row, Spacer(1, 4)]
    for label, text in traits:
        lines += [typeset(f"<b>{label}.</b> {text}", BOX_BODY), Spacer(1, 2.5)]
    block = Table([[lines]], colWidths=[COLUMN_WIDTH])
    block.setStyle(
        [
            ("BACKGROUND", (0, 0), (-1, -1), CREAM),
            ("LINEABOVE", (0, 0), (-1, 0), 3, RUST, "butt"),
            ("LINEBELOW", (0, -1), (-1, -1), 3, RUST, "butt"),
            ("LEFTPADDING", (0, 0), (-1, -1), 8),
            ("RIGHTPADDING", (0, 0), (-1, -1), 8),
            ("TOPPADDING", (0, 0), (-1, -1), 5),
        ]
    )
    return [Spacer(1, 8), KeepTogether([block]), Spacer(1, 8)]


def draw_paper(canvas: Canvas, document: Document) -> None:
    """The tinted sheet, its running head and its page number; even numbers are left-hand pages."""
    number = document.page + FIRST_PRINTED_PAGE - 1
    is_left = number % 2 == 0
    canvas.saveState()
    canvas.radialGradient(PAGE_WIDTH / 2, PAGE_HEIGHT / 2, PAGE_HEIGHT * 0.62, [PAPER, PAPER, PAPER_EDGE], [0, 0.55, 1])
    canvas.setStrokeColor(GOLD)
    canvas.setLineWidth(0.6)
    canvas.line(MARGIN, 50, PAGE_WIDTH - MARGIN, 50)
    canvas.setFillColor(RUST)
    canvas.setFont("Times-Bold", 10)
    canvas.drawCentredString(MARGIN + 8 if is_left else PAGE_WIDTH - MARGIN - 8, 37, str(number))
    if document.page > 1:
        running_head = "WICK & WEIR" if is_left else "CHAPTER THREE: TRAVELLING THE LONG WATER"
        draw_spaced(canvas, running_head, x=PAGE_WIDTH / 2, y=PAGE_HEIGHT - 44, font="Times-Roman", size=8, spacing=0.8)
    canvas.restoreState()
    _draw_diamond(canvas)


def _draw_diamond(canvas: Canvas) -> None:
    canvas.saveState()
    canvas.setStrokeColor(GOLD)
    canvas.setFillColor(GOLD)
    path = canvas.beginPath()
    path.moveTo(PAGE_WIDTH / 2 - 5, 50)
    path.lineTo(PAGE_WIDTH / 2, 54)
    path.lineTo(PAGE_WIDTH / 2 + 5, 50)
    path.lineTo(PAGE_WIDTH / 2, 46)
    path.close()
    canvas.drawPath(path, fill=1, stroke=0)
    canvas.restoreState()
