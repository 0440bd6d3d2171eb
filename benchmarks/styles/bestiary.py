"""A bestiary of digest size in three narrow columns: small capitals, tinted stat blocks, a chapter tab."""

from examples.typesetting.hyphenation import hyphenate
from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.styles import ParagraphStyle

from benchmarks.styles.composer import Area, Canvas, Sheet
from benchmarks.styles.look import BoxLook, HeadingLook, Look, TableLook
from benchmarks.styles.printing import Style
from benchmarks.styles.tables import open_rules, rules_between_rows, zebra

WIDTH, HEIGHT = 396.0, 612.0
INK = HexColor("#1d1a16")
MOSS = HexColor("#3f5130")
PALE = HexColor("#e4e8d8")
CREAM = HexColor("#f6efdc")
FIRST_NUMBER = 61

BODY = ParagraphStyle(
    "bestiary",
    fontName="Times-Roman",
    fontSize=7.6,
    leading=9,
    textColor=INK,
    alignment=TA_JUSTIFY,
    firstLineIndent=8,
    hyphenationLang=hyphenate,
    hyphenationMinWordLength=5,
)
OPENING = ParagraphStyle("bestiary opening", parent=BODY, firstLineIndent=0)
LEAD = ParagraphStyle("bestiary lead", parent=OPENING, fontSize=9, leading=11)
HEAD = ParagraphStyle("bestiary head", fontName="Times-Bold", textColor=MOSS)
CHAPTER = ParagraphStyle("chapter", parent=HEAD, fontSize=22, leading=26, alignment=TA_CENTER, spaceAfter=6)
ENTRY = ParagraphStyle("entry", parent=HEAD, fontSize=11, leading=12, spaceBefore=7)
MINOR = ParagraphStyle("minor", parent=HEAD, fontSize=8, leading=9.4, fontName="Times-BoldItalic", spaceBefore=4)
SANS = ParagraphStyle("box", fontName="Helvetica", fontSize=6.4, leading=7.8, textColor=INK, spaceAfter=1.5)
SANS_HEAD = ParagraphStyle("box head", parent=SANS, fontName="Helvetica-Bold")
BOX_TITLE = ParagraphStyle("box title", parent=SANS, fontName="Helvetica-Bold", fontSize=8, leading=9.6, spaceAfter=2)
CELL = ParagraphStyle("cell", fontName="Times-Roman", fontSize=7.2, leading=8.4)
CELL_HEAD = ParagraphStyle("cell head", parent=CELL, fontName="Times-Bold")


def _furniture(canvas: Canvas, page: int) -> None:
    number = page + FIRST_NUMBER - 1
    is_right = number % 2 == 1
    outer = WIDTH - 26 if is_right else 26
    canvas.setFillColor(MOSS)
    canvas.setFont("Times-Italic", 7.5)
    if page > 1:
        title = "Beasts of the Low Country" if is_right else "Salt & Sedge"
        canvas.drawCentredString(WIDTH / 2, HEIGHT - 24, title)
    draw = canvas.drawRightString if is_right else canvas.drawString
    canvas.setFont("Times-Bold", 8)
    draw(outer, 18, str(number))
    _draw_tab(canvas, is_right=is_right)


def _draw_tab(canvas: Canvas, *, is_right: bool) -> None:
    canvas.saveState()
    canvas.translate(WIDTH if is_right else 0, 400)
    canvas.rotate(90)
    canvas.setFillColor(MOSS)
    canvas.rect(0, 0 if is_right else -14, 70, 14, fill=1, stroke=0)
    canvas.setFillColor(HexColor("#ffffff"))
    canvas.setFont("Helvetica-Bold", 7)
    canvas.drawCentredString(35, 4 if is_right else -10, "CREATURES")
    canvas.restoreState()


def _body(page: int) -> Area:
    return Area(left=27, width=342, bottom=34, top=HEIGHT - (36 if page > 1 else 42))


ZEBRA = TableLook(cell=CELL, head=CELL_HEAD, rules=zebra(head=PALE, stripe=CREAM), pad_x=3, pad_y=1.4)
WIDE = TableLook(cell=CELL, head=CELL_HEAD, rules=rules_between_rows(MOSS), pad_x=3, pad_y=1.8)
RATINGS = TableLook(
    cell=ParagraphStyle("rating", parent=SANS, fontSize=6, leading=7),
    head=ParagraphStyle("rating head", parent=SANS_HEAD, fontSize=5.2, leading=7),
    rules=open_rules,
    pad_x=0.3,
    pad_y=0.5,
    space=3,
)
INNER = Look(
    headings={3: HeadingLook(style=BOX_TITLE)},
    body=SANS,
    opening=SANS,
    item=ParagraphStyle("box item", parent=SANS),
    table=RATINGS,
    list_indent=7,
)
BOXES = {
    "stats": BoxLook(inner=INNER, background=PALE, bars=MOSS, pad=5, space=6),
    "tale": BoxLook(inner=INNER, background=CREAM, border=INK, pad=5, space=6),
}


def _look(columns: int) -> Look:
    running = LEAD if columns == 1 else OPENING
    return Look(
        headings={
            1: HeadingLook(style=CHAPTER, small_caps=True),
            2: HeadingLook(style=ENTRY, small_caps=True, rule=MOSS),
            3: HeadingLook(style=MINOR),
        },
        body=LEAD if columns == 1 else BODY,
        opening=running,
        item=OPENING,
        table=ZEBRA,
        tables={"wide": WIDE},
        boxes=BOXES,
        table_title=ParagraphStyle("title", parent=CELL_HEAD, spaceBefore=4),
        drop_cap=MOSS,
        list_indent=10,
    )


STYLE = Style(
    name="bestiary",
    title="Beasts of the Low Country",
    page_size=(WIDTH, HEIGHT),
    sheet=Sheet(body=_body, furniture=_furniture, gutter=11),
    look=_look,
)
