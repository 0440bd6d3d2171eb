"""What every drawn picture needs: typefaces, random greys and JPEG bytes that come out the same each time."""

import io
from enum import Enum
from pathlib import Path
from random import Random

import reportlab
from PIL import Image, ImageFont

FONTS = Path(reportlab.__file__).parent / "fonts"


class Face(Enum):
    """The typefaces that come with reportlab, by what they look like."""

    ROMAN = "_er_____.pfb"
    ITALIC = "_ei_____.pfb"
    BOLD = "_eb_____.pfb"
    SANS = "_a______.pfb"
    TYPEWRITER = "com_____.pfb"
    PEN = "callig15.pfb"


def typeface(face: Face, size: float) -> ImageFont.FreeTypeFont:
    # Pillow prefers Raqm where the machine has it, and Raqm kerns: the basic engine is the same everywhere.
    return ImageFont.truetype(FONTS / face.value, size, layout_engine=ImageFont.Layout.BASIC)


def random_grey(size: tuple[int, int], *, dice: Random) -> Image.Image:
    return Image.frombytes("L", size, dice.randbytes(size[0] * size[1]))


def as_jpeg(picture: Image.Image, *, quality: int, dpi: int) -> io.BytesIO:
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=quality, dpi=(dpi, dpi))
    buffer.seek(0)
    return buffer
