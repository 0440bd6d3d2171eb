"""A handbook on tinted paper: text indented under its headings, nested lists, a long table, a stamp on every page."""

from reportlab.lib.colors import Color, HexColor
from reportlab.lib.pagesizes import letter
from reportlab.lib.styles import ParagraphStyle

from benchmarks.styles.composer import Area, Canvas, Sheet
from benchmarks.styles.fonts import vera
from benchmarks.styles.look import BoxLook, HeadingLook, Look, TableLook
from benchmarks.styles.printing import Style
from benchmarks.styles.tables import full_grid, open_rules

WIDTH, HEIGHT = letter
LEFT = 60.0
INDENT = 72.0
PAPER = HexColor("#f3efe4")
PINE = HexColor("#22483c")
BROWN = HexColor("#5a4632")
SHADE = HexColor("#ddd5c0")
FAMILY = vera()

BODY = ParagraphStyle("handbook", fontName=FAMILY, fontSize=9, leading=13, leftIndent=INDENT, spaceAfter=6)
LEAD = ParagraphStyle("handbook lead", parent=BODY, fontName=f"{FAMILY}-Italic", leftIndent=0, spaceAfter=8)
ITEM = ParagraphStyle("handbook item", parent=BODY, spaceAfter=2)
TITLE = ParagraphStyle("handbook title", fontName="Times-Bold", fontSize=28, leading=36, textColor=PINE)
PART = ParagraphStyle(
    "part", fontName="Times-Bold", fontSize=17, leading=21, textColor=PINE, spaceBefore=14, spaceAfter=2
)
TOPIC = ParagraphStyle(
    "topic", fontName="Times-BoldItalic", fontSize=13, leading=16, textColor=BROWN, spaceBefore=8, spaceAfter=3
)
BOXED = ParagraphStyle("boxed", fontName=FAMILY, fontSize=8.4, leading=11.6, spaceAfter=4)
BOXED_TITLE = ParagraphStyle("boxed title", fontName=f"{FAMILY}-Bold", fontSize=9.4, leading=13, textColor=PINE)
CELL = ParagraphStyle("handbook cell", fontName=FAMILY, fontSize=7.8, leading=10)
CELL_HEAD = ParagraphStyle("handbook cell head", parent=CELL, fontName=f"{FAMILY}-Bold")


def _furniture(canvas: Canvas, page: int) -> None:
    canvas.setFillColor(PAPER)
    canvas.rect(0, 0, WIDTH, HEIGHT, fill=1, stroke=0)
    _draw_watermark(canvas)
    canvas.setFillColor(BROWN)
    canvas.setFont("Times-Roman", 9)
    canvas.drawRightString(WIDTH - LEFT, HEIGHT - 40, f"Warden's Field Handbook \N{BULLET} {page + 4}")
    canvas.setFont("Helvetica", 6.5)
    canvas.drawCentredString(WIDTH / 2, 24, "Licensed to Mara Quillfeather (order 7731904, mara@quill.example)")


def _draw_watermark(canvas: Canvas) -> None:
    canvas.saveState()
    canvas.translate(WIDTH / 2, HEIGHT / 2)
    canvas.rotate(52)
    canvas.setFillColor(Color(0.35, 0.28, 0.2, alpha=0.09))
    canvas.setFont("Helvetica-Bold", 84)
    canvas.drawCentredString(0, -20, "REVIEW COPY")
    canvas.restoreState()


def _body(_page: int) -> Area:
    return Area(left=LEFT, width=WIDTH - 2 * LEFT, bottom=56, top=HEIGHT - 62)


GRID = TableLook(cell=CELL, head=CELL_HEAD, rules=full_grid(BROWN, head=SHADE), pad_x=4, pad_y=3)
PLAIN = TableLook(cell=CELL, head=CELL_HEAD, rules=open_rules, pad_x=6, pad_y=2)
BOXED_LOOK = Look(
    headings={3: HeadingLook(style=BOXED_TITLE)},
    body=BOXED,
    opening=BOXED,
    item=ParagraphStyle("boxed item", parent=BOXED, spaceAfter=1),
    table=GRID,
    list_indent=16,
)


def _look(_columns: int) -> Look:
    return Look(
        headings={
            1: HeadingLook(style=TITLE, rule=PINE),
            2: HeadingLook(style=PART, rule=BROWN),
            3: HeadingLook(style=TOPIC),
        },
        body=BODY,
        opening=BODY,
        item=ITEM,
        table=GRID,
        tables={"plain": PLAIN},
        boxes={"note": BoxLook(inner=BOXED_LOOK, border=PINE, border_width=1.4, pad=9, rounded=5)},
        table_title=ParagraphStyle("title", parent=CELL_HEAD, textColor=PINE, fontSize=9, leading=12, spaceBefore=4),
        paragraphs={"lead": LEAD},
        list_indent=18,
    )


STYLE = Style(
    name="handbook",
    title="Warden's Field Handbook",
    page_size=letter,
    sheet=Sheet(body=_body, furniture=_furniture),
    look=_look,
)
