"""The typefaces beyond the standard ones: Vera comes with reportlab, DejaVu is used where the machine has it."""

from functools import cache
from pathlib import Path

from reportlab.pdfbase.pdfmetrics import registerFont, registerFontFamily
from reportlab.pdfbase.ttfonts import TTFError, TTFont

FACES = ("", "-Bold", "-Italic", "-BoldItalic")
SYSTEM = Path("/usr/share/fonts/truetype/dejavu")


@cache
def vera() -> str:
    """The name of a family whose bold face is this name with `-Bold`, and so on."""
    return _register("Vera", ("Vera.ttf", "VeraBd.ttf", "VeraIt.ttf", "VeraBI.ttf"))


@cache
def condensed_sans() -> str:
    faces = ("", "-Bold", "-Oblique", "-BoldOblique")
    files = tuple(str(SYSTEM / f"DejaVuSansCondensed{face}.ttf") for face in faces)
    return _register_or_vera("DejaVuSansCondensed", files)


@cache
def condensed_serif() -> str:
    files = tuple(str(SYSTEM / f"DejaVuSerifCondensed{face}.ttf") for face in FACES)
    return _register_or_vera("DejaVuSerifCondensed", files)


def _register_or_vera(family: str, files: tuple[str, ...]) -> str:
    try:
        return _register(family, files)
    except TTFError:
        return vera()


def _register(family: str, files: tuple[str, ...]) -> str:
    names = [family + face for face in FACES]
    for name, file in zip(names, files, strict=True):
        registerFont(TTFont(name, file))
    registerFontFamily(family, normal=names[0], bold=names[1], italic=names[2], boldItalic=names[3])
    return family
