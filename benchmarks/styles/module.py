"""A typewritten adventure: one column of Courier, headings in capitals, tables held together by spaces alone."""

from reportlab.lib.colors import black
from reportlab.lib.pagesizes import letter
from reportlab.lib.styles import ParagraphStyle

from benchmarks.styles.composer import Area, Canvas, Sheet
from benchmarks.styles.look import BoxLook, HeadingLook, Look, TableLook
from benchmarks.styles.printing import Style
from benchmarks.styles.tables import open_rules

WIDTH, HEIGHT = letter
MARGIN = 72.0

BODY = ParagraphStyle("module", fontName="Courier", fontSize=10, leading=12, firstLineIndent=30)
OPENING = ParagraphStyle("module opening", parent=BODY, firstLineIndent=0, spaceAfter=8)
TITLE = ParagraphStyle("module title", fontName="Courier-Bold", fontSize=14, leading=18, alignment=1, spaceAfter=4)
HEAD = ParagraphStyle("module head", fontName="Courier", fontSize=10, leading=12, spaceBefore=10, spaceAfter=8)
CELL = ParagraphStyle("module cell", fontName="Courier", fontSize=10, leading=12)


def _furniture(canvas: Canvas, page: int) -> None:
    canvas.setFillColor(black)
    canvas.setFont("Courier", 10)
    canvas.drawCentredString(WIDTH / 2, 40, f"- {page + 2} -")
    if page > 1:
        canvas.drawString(MARGIN, HEIGHT - 46, "COUNTING HOUSE")
        canvas.drawRightString(WIDTH - MARGIN, HEIGHT - 46, "R-4")


def _body(_page: int) -> Area:
    return Area(left=MARGIN, width=WIDTH - 2 * MARGIN, bottom=66, top=HEIGHT - 72)


OPEN = TableLook(cell=CELL, head=CELL, rules=open_rules, pad_x=9, pad_y=0, stretch=False, space=12)
READ_ALOUD = ParagraphStyle("read aloud", parent=OPENING, spaceAfter=0)


def _look(_columns: int) -> Look:
    plain = {
        1: HeadingLook(style=TITLE),
        2: HeadingLook(style=HEAD, underlined=True),
    }
    inner = Look(headings=plain, body=READ_ALOUD, opening=READ_ALOUD, item=READ_ALOUD, table=OPEN)
    return Look(
        headings=plain,
        body=OPENING,
        opening=OPENING,
        item=ParagraphStyle("module item", parent=OPENING, spaceAfter=0),
        table=OPEN,
        boxes={"read": BoxLook(inner=inner, border=black, border_width=1, pad=9, space=4)},
        list_indent=30,
    )


STYLE = Style(
    name="module",
    title="The Drowned Counting House",
    page_size=letter,
    sheet=Sheet(body=_body, furniture=_furniture, section_gap=6),
    look=_look,
)
