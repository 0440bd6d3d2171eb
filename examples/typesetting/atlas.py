"""The atlas: maps and figures with captions, and text that runs around some of them."""

from pathlib import Path

from examples.typesetting import maps, plates
from examples.typesetting.hyphenation import hyphenate
from examples.typesetting.pictures import as_jpeg
from examples.typesetting.press import Canvas, Document, Flowable, frame, open_document, paragraphs, typeset
from PIL import Image as Picture
from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Image, PageBreak, PageTemplate, ParagraphAndImage, Spacer, Table

PAGE_WIDTH, PAGE_HEIGHT = A4
MARGIN = 62
TEXT_WIDTH = PAGE_WIDTH - 2 * MARGIN
GAP = 14
SLATE = HexColor("#2c343c")
SEA = HexColor("#2f6286")
LINE = HexColor("#a9bcc8")

TITLE = ParagraphStyle(
    "atlas title", fontName="Times-Bold", fontSize=30, leading=36, textColor=SEA, alignment=TA_CENTER
)
SUBTITLE = ParagraphStyle(
    "atlas subtitle", fontName="Times-Italic", fontSize=13, leading=18, textColor=SLATE, alignment=TA_CENTER
)
HEADING = ParagraphStyle(
    "atlas heading", fontName="Times-Bold", fontSize=19, leading=23, textColor=SEA, spaceAfter=7, keepWithNext=1
)
BODY = ParagraphStyle(
    "atlas body",
    fontName="Times-Roman",
    fontSize=11,
    leading=14.4,
    textColor=SLATE,
    alignment=TA_JUSTIFY,
    hyphenationLang=hyphenate,
    spaceAfter=8,
)
# reportlab pads every cell of a table on all sides unless it is told not to.
UNPADDED = tuple((f"{side}PADDING", (0, 0), (-1, -1), 0) for side in ("LEFT", "RIGHT", "TOP", "BOTTOM"))
CAPTION = ParagraphStyle("atlas caption", fontName="Times-Italic", fontSize=9.4, leading=11.6, textColor=SLATE)
CELL = ParagraphStyle("atlas cell", fontName="Times-Roman", fontSize=9.6, leading=12, textColor=SLATE)


def write(path: Path) -> None:
    document = open_document(
        path,
        title="A Pocket Atlas of the Sundermere Isles",
        subject="Maps and figures of an invented archipelago, written for BlobForge",
        page_size=A4,
    )
    text = frame("text", left=MARGIN, bottom=66, width=TEXT_WIDTH, height=PAGE_HEIGHT - 66 - 72)
    document.addPageTemplates([PageTemplate("page", frames=[text], onPage=_draw_page)])
    story = [*_the_isles(), *_the_light(), *_the_harbour(), *_the_town_and_the_rock(), *_the_sky()]
    document.build(story)


def _draw_page(canvas: Canvas, document: Document) -> None:
    canvas.saveState()
    canvas.setStrokeColor(LINE)
    canvas.setFillColor(SEA)
    canvas.setLineWidth(0.6)
    canvas.line(MARGIN, 54, PAGE_WIDTH - MARGIN, 54)
    canvas.setFont("Times-Roman", 9)
    canvas.drawString(MARGIN, 41, "A Pocket Atlas of the Sundermere Isles")
    canvas.drawRightString(PAGE_WIDTH - MARGIN, 41, str(document.page))
    canvas.restoreState()


def _body(text: str) -> list[Flowable]:
    return [typeset(paragraph, BODY) for paragraph in paragraphs(text)]


def _figure(picture: Picture.Image, *, width: float, caption: str, quality: int = 70) -> Flowable:
    """A picture over its caption, as one block of the given width."""
    height = width * picture.height / picture.width
    dpi = round(picture.width / width * 72)
    image = Image(as_jpeg(picture, quality=quality, dpi=dpi), width=width, height=height)
    style = [*UNPADDED, ("BOTTOMPADDING", (0, 0), (-1, -1), 4)]
    return Table([[image], [typeset(caption, CAPTION)]], colWidths=[width], style=style)


def _around(figure: Flowable, text: str, *, side: str) -> Flowable:
    """Text that runs past the figure on its free side, and under it where there is more."""
    (paragraph,) = paragraphs(text)
    # reportlab would set its own gap to the right of the figure even where the text is on the left.
    inner_edge = "LEFTPADDING" if side == "right" else "RIGHTPADDING"
    set_apart = Table(
        [[figure]], colWidths=[figure.minWidth() + GAP], style=[*UNPADDED, (inner_edge, (0, 0), (-1, -1), GAP)]
    )
    return ParagraphAndImage(typeset(paragraph, BODY), set_apart, xpad=0, ypad=2, side=side)


def _the_isles() -> list[Flowable]:
    return [
        typeset("A Pocket Atlas<br/>of the Sundermere Isles", TITLE),
        typeset("with sketches, a harbour chart and the winter sky", SUBTITLE),
        Spacer(1, 16),
        _figure(
            maps.isles_map(),
            width=TEXT_WIDTH,
            caption="Figure 1. The Sundermere Isles. Contours at every thirty metres; towns are ringed. The grid shows "
            "whole degrees.",
        ),
        Spacer(1, 12),
        *_body("""
            Four islands of some size and about ninety rocks make up the Sundermere Isles. Wester Isle is the
            highest and holds half of the people; Norrey has the best grass and the worst anchorages; Sunder, across
            the sound that is named after it, lives by fishing and by repairing the boats of those who fish elsewhere.
            The Calf has a light, a landing and eleven sheep.

            The isles were surveyed from the sea in two summers and from the hills in a third. Heights are given above
            the mean level of the sound, depths below the lowest tide of the year. Where the survey and the
            inhabitants disagree about a name, this atlas follows the inhabitants, since they have to shout it."""),
        PageBreak(),
    ]


def _the_light() -> list[Flowable]:
    figure = _figure(
        plates.lighthouse(),
        width=190,
        caption="Figure 2. The light at Northlight, from the south. The lamp stands 31 metres above the door.",
        quality=78,
    )
    return [
        typeset("The Light at Northlight", HEADING),
        _around(
            figure,
            """The tower on the north-eastern point of Norrey is the oldest building of the isles that is still used
            for what it was built for. It is of Wester slate up to the first window and of grit above it, because
            the barge with the second load of slate went down within sight of the masons and they would not wait
            for a third. The change in the stone can be seen from the water on a clear day, and pilots use it: when the
            line between the dark courses and the pale ones stands level with the top of the Stack, a boat coming
            from the east has two fathoms under her and ought to turn. The lamp was lit with oil for sixty years,
            with gas for thirty, and has burned electric since the cable was laid. Its mark is two flashes
            every ten seconds. The keepers say that the pause between the pairs is exactly long enough for a
            tired man to believe that it has gone out. There are one hundred and forty-one steps, of which the
            ninetieth is higher than the others; visitors find it on the way up and keepers in the dark on the way
            down. Below the tower lie the walled garden, where leeks do well and nothing else does, and the
            landing, which can be used in winds from west to south. In all other winds the stores are sent over from
            Ansa's Ferry by the cart track, a matter of two hours. The horn was taken away some years ago, when
            the last ship without other means of hearing was broken up. It stands in the yard of the school at
            Corrow, where it is sounded once in the year, at the end of the summer term, by the oldest child. The
            tower may be climbed on Wednesdays, if the flag is out; those who intend to do so should bring a coat in
            any season, and should not lean on the northern rail, which is being repaired.""",
            side="right",
        ),
        Spacer(1, 8),
        typeset("Distances by Sea", HEADING),
        *_body("""
            The table gives the length of the usual passages in nautical miles, by the inner route. Add a third
            in the season of north winds, when boats keep to the lee of the Calf."""),
        _distances(),
        PageBreak(),
    ]


def _distances() -> Flowable:
    rows = [
        ("From", "Skerrow", "Pell Haven", "Northlight", "Threll", "Osmer Quay"),
        ("Skerrow", "--", "14", "17", "7", "16"),
        ("Pell Haven", "14", "--", "29", "18", "27"),
        ("Northlight", "17", "29", "--", "21", "24"),
        ("Threll", "7", "18", "21", "--", "12"),
        ("Osmer Quay", "16", "27", "24", "12", "--"),
    ]
    cells = [
        [typeset(f"<b>{text}</b>" if row == 0 else text, CELL) for text in texts] for row, texts in enumerate(rows)
    ]
    table = Table(cells, colWidths=[TEXT_WIDTH / 6] * 6)
    table.setStyle(
        [
            ("LINEABOVE", (0, 0), (-1, 0), 1, SEA),
            ("LINEBELOW", (0, 0), (-1, 0), 0.6, SEA),
            ("LINEBELOW", (0, -1), (-1, -1), 1, SEA),
            ("TOPPADDING", (0, 0), (-1, -1), 2),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 3),
        ]
    )
    return table


def _the_harbour() -> list[Flowable]:
    return [
        typeset("The Approach to Pell Haven", HEADING),
        *_body("""
            Pell Haven lies open to the east and is sheltered from everything else. A vessel that comes from the sound
            should keep St Orla's Head a good mile to the north until the two leading lights come into one line, and
            then follow the line in. There is good holding in blue clay once the depth falls below fifteen metres."""),
        _figure(
            maps.harbour_chart(),
            width=TEXT_WIDTH,
            caption="Figure 3. Pell Haven and its approach. Depths in metres; the dashed line is the course on which "
            "the leading lights stand one above the other.",
        ),
        Spacer(1, 12),
        *_body("""
            The islets in the south of the bay cover at spring tides, all but the largest, and the passage between
            them and the shore should not be tried without somebody who was born here. The single rock near
            the middle of the bay, which the chart shows as an islet, is called the Tollkeeper. It takes about
            one boat in ten years.

            In settled weather visitors may anchor north of the line, off the shingle. From October onwards they
            are better off alongside. The harbour master keeps the chart in the office up to date by hand, in red,
            and is glad of any sounding that differs from it, provided that the lead was armed and the hour of the
            tide was written down."""),
        PageBreak(),
    ]


def _the_town_and_the_rock() -> list[Flowable]:
    plan = _figure(
        plates.town_plan(),
        width=272,
        caption="Figure 4. Plan of Skerrow. The houses stand in rings around the Basin; north is at the top.",
        quality=66,
    )
    return [
        typeset("Skerrow, Street by Street", HEADING),
        _around(
            plan,
            """Skerrow was built by people who wanted to see their boats. Every street of the old town is a ring
            around the Basin, every house has its best window on the inner side, and the lanes that join the rings
            were laid wide enough for two people carrying a mast. The innermost ring is the Quay proper, with the
            harbour office, the chandlers and the market. Behind it comes Rope Ring, which is paved with slate on
            edge; then Chapel Ring, Upper Ring, and a last one that the council calls Prospect Crescent and
            nobody else calls anything. Numbers run with the sun. A stranger who is told to go to the fourth
            house sunwise of the third lane on Rope Ring will find it at once, and will find that he has been seen
            coming. After the fire of the dry summer the gaps between the houses were kept open by a law which is
            still read aloud on the first of May: no building may stand in a lane, nor over one, nor lean.""",
            side="left",
        ),
        Spacer(1, 10),
        typeset("Beneath Wester Isle", HEADING),
        *_body("""
            The rocks of Wester Isle lie like a set of dishes, one in another, and the sea has worn away the rims.
            Walking inland from either shore one crosses the same beds in the same order: first the old red rock,
            where it shows at all, then the lower slate, the grit, the grey slate from which the towns are roofed, and
            last the pale cap stone of the hills."""),
        _figure(
            plates.rock_section(),
            width=TEXT_WIDTH,
            caption="Figure 5. Section through Wester Isle from west to east, drawn four times too high.",
        ),
        Spacer(1, 10),
        *_body("""
            Springs rise where the grit meets the slate below it, and so do most of the farms. The quarries are all
            on the western side, where the slate stands steep enough to be split from above. Wells sunk in the cap
            stone have found nothing but a long view."""),
        PageBreak(),
    ]


def _the_sky() -> list[Flowable]:
    chart = _figure(
        plates.winter_sky(),
        width=290,
        caption="Figure 6. The sky over the isles at nine in the evening in the middle of January.",
        quality=72,
    )
    return [
        typeset("The Winter Sky", HEADING),
        _around(
            chart,
            """The pilots of the isles have their own figures among the stars and are not much interested in other
            people's. The Lamp stands high in the south-east on winter evenings, a small clean square that anybody
            can find; a line through its two western stars, followed upwards, leads to the pole within a hand's
            breadth. The Ferryman leans on his pole in the west and sets before midnight. When he is down to the
            knees, they say, it is time to be going home, and this is as true ashore as it is afloat. The Weir is a
            plain zigzag, low in the east, which does not clear the hills of Sunder before seven. The Two Herons
            are really one heron and its reflection, and are best seen from a boat at rest. The Rope hangs down
            from the pole in the north; it never sets, and its loose end points to the Calf from anywhere in the
            sound. Children are taught the figures in this order, with a rhyme that gives the month in which each
            of them first rises before bedtime. The rhyme is older than the calendar now in use and is wrong by
            eleven days, which everybody allows for. No figure is drawn in the middle of the summer sky. It
            is never dark enough at that season to need one.""",
            side="right",
        ),
        Spacer(1, 10),
        typeset("How This Atlas Was Made", HEADING),
        *_body("""
            None of these places exists. The maps were drawn by a short program from a handful of seeds, the
            names were chosen because they sounded damp, and the text was written to fit around the pictures. The
            atlas may be copied, changed and shared under the licence of the project that it belongs to."""),
    ]
