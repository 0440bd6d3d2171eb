"""The old letter: two typewritten sheets as a scanner sees them, with no text behind the picture."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

from examples.typesetting.pictures import Face, as_jpeg, random_grey, typeface
from examples.typesetting.press import AUTHOR
from PIL import Image, ImageChops, ImageDraw, ImageFilter
from reportlab import rl_config
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

SCAN_DPI = 150
# Letters are drawn at twice the resolution and shrunk, which greys their edges as a lens does.
TYPE_DPI = 2 * SCAN_DPI
SHEET = (2480, 3508)
TILT_DEGREES = 0.5
LEFT = 300
LINE_HEIGHT = 76
TYPE_SIZE = 50
PITCH = 30

FIRST_SHEET = """\
                                        Skerrow, 14 March 1931

Dear Miss Halloran,

Your letter about the old lamp came by the Thursday boat, and
I have read it twice to my wife, who remembers your father. I
shall answer your questions in the order you put them, as far
as I am able to. Some of what you ask was before my time.

The lamp was first lit in the autumn of 1868. It burned colza
oil then, and the keeper had to trim it every four hours. The
iron stair you describe was built later, after a gale carried
off the wooden one together with the hen house. There were no
hens in it, I am told, but the story is better with the hens.

Your father came to us in 1894 as second keeper, and was made
principal in the year of the great frost. He kept the journal
in a very clear hand. I have all nine volumes on the shelf in
front of me, and have copied out the entry which you wanted:

     "Wind north and rising. At two in the morning a light
     was seen to the west of the Calf, low down, and gone
     again. Sounded the horn. At dawn found the boat from
     Pell Haven on the shingle, six men, all cold and all
     living. Gave them the dry coats and the good bread."

He does not say that he had carried two of them up the stair,
one after the other, on his back. We know that from the mate,
who told it in this office every winter until he died.
"""

SECOND_SHEET = """\
                             - 2 -

You ask whether the brass plate is still in its place. It is,
and it is polished each Saturday by whichever of the boys has
been late for school. The glass is another matter. Two panes
of the lantern were broken by geese in November, and we could
get no proper glass before the new year. For seven weeks the
lamp burned behind a ship's window, and I do not believe that
anybody at sea knew the difference.

As to the boxes: there are three of them, and they belong to
you. They hold his books, a barometer, some letters tied with
tarred string, and a model of the harbour made of cork. I did
not open the letters. If you will write and say which day you
mean to come, I shall have the cart sent down to the quay for
you. The boat is the Petrel. She sails at half past six, and
she does not wait for anyone.

Please do not think of paying for the storage. Your father
once lent me his best coat, on a night when I had need of it,
and never asked for it again. I have it still. It is a little
tight now, but I wear it to meetings of the Board.

My wife sends her regards, and says that there is a room for
you whenever you like, with a view of the lamp.

                              I remain, yours very truly,





                              Edmund Garrow
                              Harbour Master
"""


def write(path: Path) -> None:
    rl_config.useA85 = 0
    canvas = Canvas(str(path), pagesize=A4, invariant=1, pageCompression=1)
    canvas.setTitle("Letter of the harbour master, 14 March 1931")
    canvas.setAuthor(AUTHOR)
    for sheet in _sheets():
        canvas.drawImage(ImageReader(as_jpeg(sheet, quality=52, dpi=SCAN_DPI)), 0, 0, *A4)
        canvas.showPage()
    canvas.save()


def text() -> str:
    """Every word on the two sheets except the pen stroke of the signature."""
    return f"THE HARBOUR OFFICE\nSkerrow, Sundermere Isles\n{FIRST_SHEET}{SECOND_SHEET}"


def _sheets() -> Iterator[Image.Image]:
    dice = Random(1931)
    first = _typed(FIRST_SHEET, top=640, dice=dice)
    _print_letterhead(first)
    yield _scanned(first, dice=dice)
    second = _typed(SECOND_SHEET, top=330, dice=dice)
    _sign(second, line=SECOND_SHEET[: SECOND_SHEET.index("Edmund")].count("\n"))
    yield _scanned(second, dice=dice)


def _typed(lines: str, *, top: int, dice: Random) -> Image.Image:
    """Each letter strikes a little high or low, and a little dark or pale."""
    sheet = Image.new("L", SHEET, 255)
    draw = ImageDraw.Draw(sheet)
    font = typeface(Face.TYPEWRITER, TYPE_SIZE)
    for row, line in enumerate(lines.splitlines()):
        for column, letter in enumerate(line):
            place = (LEFT + column * PITCH, top + row * LINE_HEIGHT + dice.choice((-1, 0, 0, 1)))
            draw.text(place, letter, font=font, fill=dice.randint(20, 70), stroke_width=1)
    return sheet


def _print_letterhead(sheet: Image.Image) -> None:
    draw = ImageDraw.Draw(sheet)
    middle = SHEET[0] // 2
    draw.text((middle, 250), "THE HARBOUR OFFICE", font=typeface(Face.BOLD, 96), fill=40, anchor="mm")
    small = typeface(Face.ITALIC, 58)
    draw.text((middle, 350), "Skerrow, Sundermere Isles", font=small, fill=40, anchor="mm")
    draw.line((LEFT, 420, SHEET[0] - LEFT, 420), fill=60, width=5)
    draw.line((LEFT, 432, SHEET[0] - LEFT, 432), fill=60, width=2)


def _sign(sheet: Image.Image, *, line: int) -> None:
    draw = ImageDraw.Draw(sheet)
    place = (LEFT + 31 * PITCH, 330 + (line - 3.4) * LINE_HEIGHT)
    draw.text(place, "Edmund Garrow", font=typeface(Face.PEN, 150), fill=70, stroke_width=1)


def _scanned(sheet: Image.Image, *, dice: Random) -> Image.Image:
    """Laid on the glass a little crooked, shrunk to the scan's resolution, on paper that has aged unevenly."""
    tilted = sheet.rotate(TILT_DEGREES, resample=Image.Resampling.BICUBIC, fillcolor=255)
    size = (SHEET[0] * SCAN_DPI // TYPE_DPI, SHEET[1] * SCAN_DPI // TYPE_DPI)
    ink = tilted.resize(size, Image.Resampling.BOX).filter(ImageFilter.GaussianBlur(0.5))
    paper = ImageChops.multiply(_aged_paper(size, dice=dice), ink)
    grain = random_grey((size[0] // 2, size[1] // 2), dice=dice).resize(size, Image.Resampling.BILINEAR)
    return ImageChops.add(paper, grain.point(lambda grey: grey // 18), offset=-7)


def _aged_paper(size: tuple[int, int], *, dice: Random) -> Image.Image:
    stains = random_grey((5, 7), dice=dice).resize(size, Image.Resampling.BICUBIC)
    paper = stains.point(lambda grey: 226 + grey // 16)
    draw = ImageDraw.Draw(paper)
    for fold in (size[1] // 3, 2 * size[1] // 3):
        draw.line((0, fold, size[0], fold - 11), fill=219, width=3)
    draw.rectangle((0, 0, 6, size[1]), fill=170)
    return paper.filter(ImageFilter.GaussianBlur(2))
