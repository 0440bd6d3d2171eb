"""A magazine: two justified columns, pictures with captions that text runs around, a pull quote across the gutter."""

from functools import partial

from examples.typesetting.hyphenation import hyphenate
from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.styles import ParagraphStyle

from benchmarks.styles import pictures
from benchmarks.styles.composer import Area, Canvas, Sheet
from benchmarks.styles.look import BoxLook, HeadingLook, Look, TableLook
from benchmarks.styles.printing import Obstacle, Style
from benchmarks.styles.tables import booktabs

WIDTH, HEIGHT = 595.0, 780.0
MARGIN = 48.0
WINE = HexColor("#8c1c2c")
INK = HexColor("#222222")
BLUSH = HexColor("#f6e7e4")

BODY = ParagraphStyle(
    "magazine",
    fontName="Times-Roman",
    fontSize=11,
    leading=13.8,
    textColor=INK,
    alignment=TA_JUSTIFY,
    firstLineIndent=12,
    hyphenationLang=hyphenate,
    hyphenationMinWordLength=5,
)
OPENING = ParagraphStyle("magazine opening", parent=BODY, firstLineIndent=0)
ITEM = ParagraphStyle("magazine item", parent=OPENING, spaceAfter=2)
STANDFIRST = ParagraphStyle(
    "standfirst", fontName="Helvetica-Oblique", fontSize=12, leading=16.5, textColor=INK, spaceAfter=6
)
TITLE = ParagraphStyle("magazine title", fontName="Helvetica-Bold", fontSize=46, leading=54, textColor=WINE)
CROSSHEAD = ParagraphStyle(
    "crosshead", fontName="Helvetica-Bold", fontSize=11, leading=13, textColor=WINE, spaceBefore=9, spaceAfter=2
)
CAPTION = ParagraphStyle("magazine caption", fontName="Helvetica-Oblique", fontSize=7.6, leading=9.4, textColor=INK)
PULLED = ParagraphStyle(
    "pulled", fontName="Times-Italic", fontSize=15.5, leading=19, textColor=WINE, alignment=TA_CENTER
)
CELL = ParagraphStyle("magazine cell", fontName="Helvetica", fontSize=7.8, leading=9.6)
CELL_HEAD = ParagraphStyle("magazine cell head", parent=CELL, fontName="Helvetica-Bold")
KIT = ParagraphStyle("kit", fontName="Helvetica", fontSize=9, leading=12, textColor=INK, spaceAfter=3)
KIT_TITLE = ParagraphStyle("kit title", parent=CROSSHEAD, fontSize=15, leading=18, spaceBefore=0, spaceAfter=4)


def _furniture(canvas: Canvas, page: int) -> None:
    number = page + 21
    canvas.setFillColor(INK)
    canvas.setFont("Helvetica", 7.5)
    footer = "THE REFEREE'S QUARTERLY | WINTER"
    if number % 2:
        canvas.drawRightString(WIDTH - MARGIN, 28, f"{footer} | {number}")
    else:
        canvas.drawString(MARGIN, 28, f"{number} | {footer}")
    canvas.setFillColor(WINE)
    canvas.rect(MARGIN, HEIGHT - 32, 54, 6, fill=1, stroke=0)
    canvas.setFont("Helvetica-Bold", 7.5)
    canvas.drawString(MARGIN + 60, HEIGHT - 32, "FEATURE")


def _body(_page: int) -> Area:
    return Area(left=MARGIN, width=WIDTH - 2 * MARGIN, bottom=52, top=HEIGHT - 50)


def _picture(width: float, *, seed: int, shape: float) -> object:
    return pictures.hills(seed, width=width, shape=shape, sky=(226, 196, 170), ground=(70, 38, 46))


TALLY = TableLook(cell=CELL, head=CELL_HEAD, rules=booktabs(WINE), pad_x=3, pad_y=2)
KIT_LOOK = Look(headings={2: HeadingLook(style=KIT_TITLE)}, body=KIT, opening=KIT, item=KIT, table=TALLY)
PULLED_LOOK = Look(headings={}, body=PULLED, opening=PULLED, item=PULLED, table=TALLY)


def _look(_columns: int) -> Look:
    return Look(
        headings={1: HeadingLook(style=TITLE), 2: HeadingLook(style=CROSSHEAD)},
        body=BODY,
        opening=OPENING,
        item=ITEM,
        table=TALLY,
        boxes={"kit": BoxLook(inner=KIT_LOOK, background=BLUSH, pad=12)},
        caption=CAPTION,
        paragraphs={"standfirst": STANDFIRST},
        list_indent=15,
        drop_cap=WINE,
        figures={
            "valley": partial(_picture, seed=4, shape=1.1),
            "island": partial(_picture, seed=11, shape=0.62),
        },
    )


STYLE = Style(
    name="magazine",
    title="The Referee's Quarterly: Maps That Lie",
    page_size=(WIDTH, HEIGHT),
    sheet=Sheet(body=_body, furniture=_furniture, gutter=18),
    look=_look,
    obstacles={
        2: Obstacle(
            look=BoxLook(inner=PULLED_LOOK, bars=WINE, pad=10),
            left=WIDTH / 2 - 95,
            top=HEIGHT - 210,
            width=190,
        )
    },
)
