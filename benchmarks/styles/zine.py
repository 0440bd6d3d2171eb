"""A zine on landscape sheets: four columns with rules between them, small capitals, a drop cap, a black box."""

from examples.typesetting.hyphenation import hyphenate
from reportlab.lib.colors import HexColor, black, white
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle

from benchmarks.styles.composer import Area, Canvas, Sheet
from benchmarks.styles.fonts import condensed_serif
from benchmarks.styles.look import BoxLook, HeadingLook, Look, TableLook
from benchmarks.styles.printing import Style
from benchmarks.styles.tables import rules_between_rows

WIDTH, HEIGHT = landscape(A4)
PLUM = HexColor("#7b1e3a")
FAMILY = condensed_serif()

BODY = ParagraphStyle(
    "zine",
    fontName=FAMILY,
    fontSize=8.8,
    leading=11.8,
    alignment=TA_JUSTIFY,
    hyphenationLang=hyphenate,
    hyphenationMinWordLength=5,
    spaceAfter=3.5,
)
STANDFIRST = ParagraphStyle("standfirst", fontName=f"{FAMILY}-Italic", fontSize=10, leading=13.4, spaceAfter=2)
TITLE = ParagraphStyle("zine title", fontName="Times-Bold", fontSize=34, leading=38, textColor=PLUM)
FIRST = ParagraphStyle("zine first", fontName="Times-Bold", fontSize=13, leading=15, spaceBefore=6, spaceAfter=2)
SECOND = ParagraphStyle("zine second", fontName=f"{FAMILY}-Bold", fontSize=8.8, leading=11.8, spaceBefore=3)
CELL = ParagraphStyle("zine cell", fontName=FAMILY, fontSize=8, leading=10)
CELL_HEAD = ParagraphStyle("zine cell head", parent=CELL, fontName=f"{FAMILY}-Bold")
ON_BLACK = ParagraphStyle("on black", fontName="Helvetica", fontSize=9, leading=12, textColor=white)
ON_BLACK_TITLE = ParagraphStyle("on black title", parent=ON_BLACK, fontName="Helvetica-Bold", fontSize=10, leading=14)


def _furniture(canvas: Canvas, page: int) -> None:
    canvas.setFillColor(black)
    canvas.setFont(FAMILY, 7)
    canvas.drawString(34, 20, "SMALL PLACES no. 9")
    canvas.drawCentredString(WIDTH / 2, 20, f"~ {page} ~")
    canvas.drawRightString(WIDTH - 34, 20, "smallplaces.example")


def _body(_page: int) -> Area:
    return Area(left=34, width=WIDTH - 68, bottom=38, top=HEIGHT - 34)


RULED = TableLook(cell=CELL, head=CELL_HEAD, rules=rules_between_rows(PLUM), pad_x=2, pad_y=1.6)


def _look(_columns: int) -> Look:
    inner = Look(
        headings={3: HeadingLook(style=ON_BLACK_TITLE)}, body=ON_BLACK, opening=ON_BLACK, item=ON_BLACK, table=RULED
    )
    return Look(
        headings={
            1: HeadingLook(style=TITLE, small_caps=True),
            2: HeadingLook(style=FIRST, small_caps=True),
            3: HeadingLook(style=SECOND),
        },
        body=BODY,
        opening=BODY,
        item=ParagraphStyle("zine item", parent=BODY, spaceAfter=0),
        table=RULED,
        boxes={"black": BoxLook(inner=inner, background=black, pad=8)},
        paragraphs={"standfirst": STANDFIRST},
        bullets=("*", "\N{EN DASH}", "·"),
        list_indent=10,
        drop_cap=PLUM,
    )


STYLE = Style(
    name="zine",
    title="The Hungry Orchard",
    page_size=(WIDTH, HEIGHT),
    sheet=Sheet(body=_body, furniture=_furniture, gutter=20, column_rule=HexColor("#999999")),
    look=_look,
)
