"""A science-fiction rulebook: two ragged columns of sans serif, coloured headings, notes in the outer margin."""

from reportlab.lib.colors import HexColor, white
from reportlab.lib.pagesizes import letter
from reportlab.lib.styles import ParagraphStyle

from benchmarks.styles.composer import Area, Canvas, Sheet
from benchmarks.styles.fonts import condensed_sans
from benchmarks.styles.look import BoxLook, HeadingLook, Look, Margin, TableLook
from benchmarks.styles.printing import Style
from benchmarks.styles.tables import zebra

WIDTH, HEIGHT = letter
INNER, OUTER = 44.0, 134.0
TEXT_WIDTH = WIDTH - INNER - OUTER
TEAL = HexColor("#00748a")
NIGHT = HexColor("#14232e")
ORANGE = HexColor("#d3541d")
MIST = HexColor("#e3eef1")
SAND = HexColor("#f4ede2")
FAMILY = condensed_sans()

BODY = ParagraphStyle("starship", fontName=FAMILY, fontSize=8.4, leading=11.2, textColor=NIGHT, spaceAfter=5)
LEAD = ParagraphStyle("starship lead", parent=BODY, fontSize=10.6, leading=14.6, textColor=TEAL, spaceAfter=8)
ITEM = ParagraphStyle("starship item", parent=BODY, spaceAfter=2)
CHAPTER = ParagraphStyle(
    "starship chapter", fontName="Helvetica-Bold", fontSize=30, leading=36, textColor=NIGHT, spaceAfter=6
)
FIRST = ParagraphStyle(
    "starship first", fontName="Helvetica-Bold", fontSize=12, leading=14, textColor=white, spaceBefore=10
)
SECOND = ParagraphStyle(
    "starship second", fontName="Helvetica-Bold", fontSize=10.4, leading=13, textColor=ORANGE, spaceBefore=7
)
ASIDE = ParagraphStyle("aside", fontName=f"{FAMILY}-Italic", fontSize=7.2, leading=9.4, textColor=NIGHT)
ASIDE_TITLE = ParagraphStyle(
    "aside title", fontName="Helvetica-Bold", fontSize=8.4, leading=10.4, textColor=TEAL, spaceAfter=3
)
CELL = ParagraphStyle("starship cell", fontName=FAMILY, fontSize=7.6, leading=9.6, textColor=NIGHT)
CELL_HEAD = ParagraphStyle("starship cell head", parent=CELL, fontName=f"{FAMILY}-Bold", textColor=white)


def _furniture(canvas: Canvas, page: int) -> None:
    number = page + 86
    is_right = page % 2 == 1
    canvas.setFillColor(TEAL)
    canvas.rect(WIDTH - 22 if is_right else 0, 0, 22, HEIGHT, fill=1, stroke=0)
    canvas.setFont("Helvetica-Bold", 9)
    canvas.setFillColor(NIGHT)
    canvas.drawCentredString(WIDTH - 40 if is_right else 40, 30, f"{number:03}")
    canvas.setFont(FAMILY, 7)
    canvas.drawString(INNER if is_right else OUTER, 30, "SLOW LIGHT // CORE RULES")
    canvas.saveState()
    canvas.translate(WIDTH - 8 if is_right else 15, HEIGHT / 2)
    canvas.rotate(90)
    canvas.setFillColor(white)
    canvas.setFont("Helvetica-Bold", 10)
    canvas.drawCentredString(0, 0, "04  CREW AND HULL")
    canvas.restoreState()


def _body(page: int) -> Area:
    left = INNER if page % 2 else OUTER
    return Area(left=left, width=TEXT_WIDTH, bottom=54, top=HEIGHT - 52)


ZEBRA = TableLook(cell=CELL, head=CELL_HEAD, rules=zebra(head=TEAL, stripe=MIST, plain=white), pad_x=3, pad_y=2)
CLOCK = TableLook(cell=CELL, head=CELL_HEAD, rules=zebra(head=NIGHT, stripe=SAND, plain=white), pad_x=5, pad_y=3)
HEADINGS = {
    1: HeadingLook(style=CHAPTER, rule=ORANGE),
    2: HeadingLook(style=FIRST, band=NIGHT),
    3: HeadingLook(style=SECOND),
    4: HeadingLook(style=ASIDE_TITLE),
}
ASIDE_LOOK = Look(headings=HEADINGS, body=ASIDE, opening=ASIDE, item=ASIDE, table=ZEBRA)
PANEL_LOOK = Look(headings=HEADINGS, body=BODY, opening=BODY, item=ITEM, table=ZEBRA, list_indent=10)


def _look(_columns: int) -> Look:
    margin = Margin(odd_left=INNER + TEXT_WIDTH + 14, even_left=30, width=OUTER - 14 - 30)
    return Look(
        headings=HEADINGS,
        body=BODY,
        opening=BODY,
        item=ITEM,
        table=ZEBRA,
        tables={"prices": ZEBRA, "clock": CLOCK},
        boxes={
            "aside": BoxLook(inner=ASIDE_LOOK, bars=ORANGE, pad=4, margin=margin),
            "panel": BoxLook(inner=PANEL_LOOK, background=SAND, pad=7, rounded=6),
        },
        table_title=ParagraphStyle("title", parent=CELL_HEAD, textColor=TEAL, fontSize=8.4, spaceBefore=4),
        paragraphs={"lead": LEAD},
        list_indent=11,
        bullets=("\N{BLACK SMALL SQUARE}", "\N{EN DASH}", "·"),
    )


STYLE = Style(
    name="starship",
    title="Slow Light: Crew and Hull",
    page_size=letter,
    sheet=Sheet(body=_body, furniture=_furniture, gutter=16),
    look=_look,
)
