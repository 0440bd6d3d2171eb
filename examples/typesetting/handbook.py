"""The handbook: a long book in chapters, with an outline, a table of contents and a glossary."""

from functools import partial
from pathlib import Path
from random import Random

from examples.typesetting.handbook_matter import COPYRIGHT, GLOSSARY, PREFACE, SUBTITLE, TITLE
from examples.typesetting.hyphenation import hyphenate
from examples.typesetting.press import (
    Canvas,
    Document,
    Flowable,
    frame,
    open_document,
    paragraphs,
    small_caps,
    typeset,
    typographic,
)
from examples.typesetting.prose import Scribe, Topic, capitalised, read_topics
from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import (
    CondPageBreak,
    HRFlowable,
    KeepTogether,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Spacer,
    Table,
)
from reportlab.platypus.tableofcontents import TableOfContents

PAGE_WIDTH, PAGE_HEIGHT = A5
MARGIN = 50
TEXT_WIDTH = PAGE_WIDTH - 2 * MARGIN
INK = HexColor("#20242a")
GREEN = HexColor("#2f5d50")
SEASONS = ("spring", "summer", "autumn", "winter")

BODY = ParagraphStyle(
    "handbook body",
    fontName="Times-Roman",
    fontSize=10.6,
    leading=13.9,
    textColor=INK,
    alignment=TA_JUSTIFY,
    firstLineIndent=13,
    hyphenationLang=hyphenate,
)
FIRST = ParagraphStyle("handbook first", parent=BODY, firstLineIndent=0)
PART = ParagraphStyle("handbook part", parent=FIRST, spaceBefore=4)
ITEM = ParagraphStyle(
    "handbook item",
    parent=FIRST,
    leftIndent=18,
    bulletIndent=4,
    bulletFontName="Times-Roman",
    bulletFontSize=10.6,
    spaceBefore=2.5,
)
CHAPTER = ParagraphStyle(
    "handbook chapter", fontName="Times-Bold", fontSize=22, leading=26, textColor=GREEN, spaceAfter=20
)
SECTION = ParagraphStyle(
    "handbook section",
    fontName="Times-Bold",
    fontSize=12.5,
    leading=15,
    textColor=GREEN,
    spaceBefore=12,
    spaceAfter=4,
)
CELL = ParagraphStyle("handbook cell", fontName="Times-Roman", fontSize=9.2, leading=11.4, textColor=INK)
BOOK_TITLE = ParagraphStyle(
    "book title", fontName="Times-Bold", fontSize=27, leading=32, textColor=GREEN, alignment=TA_CENTER
)
BOOK_SUBTITLE = ParagraphStyle(
    "book subtitle",
    fontName="Times-Italic",
    fontSize=13,
    leading=18,
    textColor=INK,
    alignment=TA_CENTER,
    spaceBefore=12,
)
SMALL = ParagraphStyle("small", parent=FIRST, fontSize=8.8, leading=11.4, spaceAfter=6)
CONTENTS_LINE = ParagraphStyle("contents line", fontName="Times-Roman", fontSize=10.4, leading=11.5, textColor=INK)


def write(path: Path) -> None:
    document = open_document(
        path, title=TITLE, subject="A long book about invented harbours, written for BlobForge", page_size=A5
    )
    document.addPageTemplates(_page_templates())
    document.afterFlowable = partial(_enter_into_outline, document)
    document.running_title = ""
    document.opening_page = 0
    scribe = Scribe(Random(1868))
    story = _front_matter()
    for number, topic in enumerate(read_topics(), start=1):
        story += _chapter(number, topic, scribe)
    # The table of contents knows its page numbers after the first pass.
    document.multiBuild([*story, *_glossary()])


def _page_templates() -> list[Flowable]:
    def text() -> Flowable:
        return frame("text", left=MARGIN, bottom=58, width=TEXT_WIDTH, height=PAGE_HEIGHT - 58 - 62)

    return [
        PageTemplate("bare", frames=[text()]),
        PageTemplate("text", frames=[text()], onPageEnd=_draw_page),
    ]


def _draw_page(canvas: Canvas, document: Document) -> None:
    """Left-hand pages carry the book's title, right-hand pages the chapter's, and a chapter's first page neither."""
    canvas.saveState()
    canvas.setFillColor(INK)
    canvas.setFont("Times-Italic", 9)
    is_left = document.page % 2 == 0
    draw, edge = (canvas.drawString, MARGIN) if is_left else (canvas.drawRightString, PAGE_WIDTH - MARGIN)
    draw(edge, 36, str(document.page))
    if document.page != document.opening_page:
        draw(edge, PAGE_HEIGHT - 44, typographic(TITLE) if is_left else document.running_title)
    canvas.restoreState()


def _enter_into_outline(document: Document, flowable: Flowable) -> None:
    style = getattr(flowable, "style", None)
    if style not in (CHAPTER, SECTION):
        return
    level = 0 if style is CHAPTER else 1
    title = flowable.getPlainText()
    key = f"{document.page}-{level}-{title}"
    document.canv.bookmarkPage(key)
    document.canv.addOutlineEntry(title, key, level=level, closed=True)
    if style is CHAPTER:
        document.running_title = title
        document.opening_page = document.page
        document.notify("TOCEntry", (0, title, document.page, key))


def _front_matter() -> list[Flowable]:
    contents = TableOfContents(levelStyles=[CONTENTS_LINE], dotsMinLevel=0)
    contents_title = ParagraphStyle("contents title", parent=CHAPTER, spaceBefore=0)
    return [
        Spacer(1, 130),
        typeset(TITLE, BOOK_TITLE),
        HRFlowable(width="30%", thickness=1, color=GREEN, spaceBefore=14, spaceAfter=2),
        typeset(SUBTITLE, BOOK_SUBTITLE),
        PageBreak(),
        Spacer(1, 330),
        *(typeset(paragraph, SMALL) for paragraph in paragraphs(COPYRIGHT)),
        PageBreak(),
        typeset("Contents", contents_title),
        contents,
        NextPageTemplate("text"),
        PageBreak(),
        typeset("Preface", CHAPTER),
        *_running_text(PREFACE),
    ]


def _running_text(text: str) -> list[Flowable]:
    first, *others = paragraphs(text)
    return [typeset(first, FIRST), *(typeset(other, BODY) for other in others)]


def _chapter(number: int, topic: Topic, scribe: Scribe) -> list[Flowable]:
    scribe.turn_to(topic)
    return [
        PageBreak(),
        typeset(f"{number} {topic.title}", CHAPTER),
        *_opening(scribe),
        *_parts(topic, scribe),
        *_what_to_look_for(topic, scribe),
        *_work(topic, scribe),
        *_year(number, topic, scribe),
        *_mishaps(scribe),
        *_questions(scribe),
        *_teaching(scribe),
    ]


def _section(title: str) -> list[Flowable]:
    """A heading that does not stand alone at the foot of a page; what follows it may still break across pages."""
    return [CondPageBreak(62), typeset(title, SECTION)]


def _opening(scribe: Scribe) -> list[Flowable]:
    first, *others = (f"{scribe.draw('reason')}. {scribe.paragraph('intro', 'intro', 'intro')}" for _ in range(3))
    *opening_words, rest = first.split(" ", 3)
    return [
        typeset(f"{small_caps(' '.join(opening_words), size=10.6)} {rest}", FIRST),
        *(typeset(other, BODY) for other in others),
    ]


def _parts(topic: Topic, scribe: Scribe) -> list[Flowable]:
    about = ("part", "object", "part_fault") if topic.parts_are_objects else ("part", "part", "part_fault")
    return [
        *_section("Part by part"),
        *(
            typeset(f"<b>{capitalised(name)}.</b> {scribe.paragraph(*about)}", PART)
            for name in scribe.in_random_order(topic.phrases["part"])
        ),
    ]


def _what_to_look_for(topic: Topic, scribe: Scribe) -> list[Flowable]:
    signs = [f"When {sign}, {scribe.sentence('sign')}" for sign in scribe.in_random_order(topic.phrases["sign"])]
    return [
        *_section("What to look for"),
        typeset(scribe.paragraph("look", "look", "look"), FIRST),
        *(typeset(sign, ITEM, bullet="•") for sign in signs),
        Spacer(1, 4),
        typeset(scribe.paragraph("fault", "fault"), BODY),
        typeset(scribe.paragraph("fault", "look", "fault"), BODY),
        typeset(scribe.paragraph("look", "fault", "fault"), BODY),
    ]


def _work(topic: Topic, scribe: Scribe) -> list[Flowable]:
    steps = [f"{capitalised(task)}. {scribe.paragraph('step')}" for task in topic.phrases["task"]]
    return [
        *_section("The work itself"),
        typeset(scribe.paragraph("work", "work", "work"), FIRST),
        *(typeset(step, ITEM, bullet=f"{place}.") for place, step in enumerate(steps, start=1)),
        Spacer(1, 4),
        typeset(scribe.paragraph("tools", "tools", "tools"), BODY),
        typeset(scribe.paragraph("work", "tools"), BODY),
    ]


def _year(number: int, topic: Topic, scribe: Scribe) -> list[Flowable]:
    rows = [[typeset(f"<b>{head}</b>", CELL) for head in ("Season", "What to do", "When")]]
    for season in SEASONS:
        texts = (capitalised(season), capitalised(scribe.draw("task")), scribe.draw("time"))
        rows.append([typeset(text, CELL) for text in texts])
    table = Table(rows, colWidths=[50, TEXT_WIDTH - 150, 100])
    table.setStyle(
        [
            ("LINEABOVE", (0, 0), (-1, 0), 0.9, GREEN),
            ("LINEBELOW", (0, 0), (-1, -1), 0.4, GREEN),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("TOPPADDING", (0, 0), (-1, -1), 2),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 3),
        ]
    )
    caption = typeset(f"<i>Table {number}. The year of {topic.thing}</i>", CELL)
    first, *others = (scribe.paragraph(season, season, season, season) for season in SEASONS)
    return [
        *_section("Through the year"),
        typeset(first, FIRST),
        *(typeset(other, BODY) for other in others),
        Spacer(1, 8),
        KeepTogether([caption, Spacer(1, 3), table]),
        Spacer(1, 6),
    ]


def _mishaps(scribe: Scribe) -> list[Flowable]:
    first = scribe.paragraph("mishap", "then", "then", "then", "lesson")
    second = scribe.paragraph("mishap", "then", "then", "lesson", "lesson")
    third = scribe.paragraph("mishap", "then", "then", "lesson")
    return [
        *_section("When it goes wrong"),
        typeset(first, FIRST),
        typeset(second, BODY),
        typeset(third, BODY),
    ]


def _questions(scribe: Scribe) -> list[Flowable]:
    pairs = [scribe.paragraph("question").split(" // ") for _ in range(5)]
    return [
        *_section("Questions we are asked"),
        *(typeset(f"<i>{question}</i> {answer}", PART) for question, answer in pairs),
    ]


def _teaching(scribe: Scribe) -> list[Flowable]:
    return [
        *_section("Teaching it, and writing it down"),
        typeset(scribe.paragraph("teach", "teach", "teach", "teach", "teach"), FIRST),
        typeset(scribe.paragraph("record", "record", "record", "record", "record"), BODY),
    ]


def _glossary() -> list[Flowable]:
    entries = [typeset(f"<b>{term}</b>: {meaning}", PART) for term, meaning in GLOSSARY.items()]
    return [PageBreak(), typeset("Glossary", CHAPTER), *entries]
