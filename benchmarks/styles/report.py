"""A report in one wide column: numbered headings, contents with dot leaders, footnotes, ruled and booktabs tables."""

from random import Random

from reportlab.graphics.shapes import Drawing, Line, Rect
from reportlab.lib.colors import HexColor, black
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle

from benchmarks.styles.composer import Area, Canvas, Sheet
from benchmarks.styles.look import HeadingLook, Look, TableLook
from benchmarks.styles.printing import Style
from benchmarks.styles.tables import booktabs, full_grid

WIDTH, HEIGHT = A4
LEFT, TEXT_WIDTH = 92.0, WIDTH - 184
GREY = HexColor("#e6e6e6")

BODY = ParagraphStyle(
    "report", fontName="Times-Roman", fontSize=10.8, leading=13.8, alignment=TA_JUSTIFY, firstLineIndent=16
)
OPENING = ParagraphStyle("report opening", parent=BODY, firstLineIndent=0)
ITEM = ParagraphStyle("report item", parent=OPENING, spaceAfter=3)
ABSTRACT = ParagraphStyle(
    "abstract", parent=OPENING, fontSize=9.4, leading=12, leftIndent=28, rightIndent=28, spaceAfter=6
)
SUBTITLE = ParagraphStyle("subtitle", fontName="Times-Italic", fontSize=11.5, leading=15, alignment=1, spaceAfter=14)
TITLE = ParagraphStyle("report title", fontName="Times-Bold", fontSize=21, leading=26, alignment=1, spaceAfter=4)
FIRST = ParagraphStyle("first", fontName="Helvetica-Bold", fontSize=13, leading=16, spaceBefore=14, spaceAfter=5)
SECOND = ParagraphStyle("second", parent=FIRST, fontSize=10.8, leading=14, spaceBefore=9, spaceAfter=3)
CELL = ParagraphStyle("report cell", fontName="Times-Roman", fontSize=9.2, leading=11)
CELL_HEAD = ParagraphStyle("report cell head", parent=CELL, fontName="Times-Bold")
CONTENTS = ParagraphStyle("contents", fontName="Times-Roman", fontSize=10.4, leading=14)


def _furniture(canvas: Canvas, page: int) -> None:
    canvas.setFillColor(black)
    canvas.setFont("Times-Roman", 9)
    canvas.drawCentredString(WIDTH / 2, 44, str(page))
    if page > 1:
        canvas.setFont("Times-Italic", 9)
        canvas.drawString(LEFT, HEIGHT - 54, "Night Ferries on the Lower Arn")
        canvas.drawRightString(LEFT + TEXT_WIDTH, HEIGHT - 54, "River Board, III.7")
        canvas.setLineWidth(0.4)
        canvas.line(LEFT, HEIGHT - 59, LEFT + TEXT_WIDTH, HEIGHT - 59)


def _body(page: int) -> Area:
    return Area(left=LEFT, width=TEXT_WIDTH, bottom=72, top=HEIGHT - (78 if page > 1 else 104))


def _chart(width: float) -> Drawing:
    """Fourteen columns in two parts, one of them missing."""
    dice = Random(7)
    drawing = Drawing(width, 120)
    step = width / 15
    for week in range(1, 15):
        if week == 9:
            continue
        lower, upper = dice.randint(40, 55), dice.randint(28, 48)
        x = week * step - step / 3
        drawing.add(Rect(x, 0, step * 0.6, lower, fillColor=HexColor("#444444"), strokeWidth=0))
        drawing.add(Rect(x, lower, step * 0.6, upper, fillColor=HexColor("#b5b5b5"), strokeWidth=0))
    drawing.add(Line(0, 0, width, 0, strokeWidth=0.8))
    drawing.add(Line(8, 0, 8, 116, strokeWidth=0.8))
    return drawing


BOOKS = TableLook(cell=CELL, head=CELL_HEAD, rules=booktabs(black), pad_x=4, pad_y=1.6, space=12)
GRID = TableLook(cell=CELL, head=CELL_HEAD, rules=full_grid(black, head=GREY), pad_x=4, pad_y=2.4, space=12)


def _look(_columns: int) -> Look:
    return Look(
        headings={1: HeadingLook(style=TITLE), 2: HeadingLook(style=FIRST), 3: HeadingLook(style=SECOND)},
        body=BODY,
        opening=OPENING,
        item=ITEM,
        table=BOOKS,
        tables={"grid": GRID, "books": BOOKS},
        table_title=ParagraphStyle("title", parent=CELL_HEAD, spaceBefore=8, spaceAfter=2),
        caption=ParagraphStyle("caption", fontName="Times-Italic", fontSize=9.2, leading=11),
        note=ParagraphStyle("note", fontName="Times-Roman", fontSize=8.4, leading=10),
        paragraphs={"subtitle": SUBTITLE, "abstract": ABSTRACT, "contents": CONTENTS},
        list_indent=18,
        figures={"chart": _chart},
    )


STYLE = Style(
    name="report",
    title="Night Ferries on the Lower Arn",
    page_size=A4,
    sheet=Sheet(body=_body, furniture=_furniture),
    look=_look,
)
