"""Fonts that do not tell which letters their codes stand for: no table of letters, no encoding, no names of glyphs.

Readers take such a code for a letter all the same. Often it is the right one, so the text has to be judged as well.
"""

import re
from collections.abc import Iterable

import pikepdf

_ACCENTS = "acute|grave|circumflex|dieresis|tilde|cedilla|caron|ring|ogonek|macron|slash|breve"
_FIGURES = "zero|one|two|three|four|five|six|seven|eight|nine"
_SIGNS = (
    "space|nbspace|exclam|quotedbl|numbersign|dollar|percent|ampersand|quotesingle|paren(?:left|right)|asterisk|plus|"
    "comma|hyphen|minus|period|slash|colon|semicolon|less|equal|greater|question|at|bracket(?:left|right)|backslash|"
    "quote(?:left|right|dblleft|dblright)|endash|emdash|bullet|ellipsis|ff|ffi|ffl|fi|fl|germandbls|dotlessi|uni[0-9A-F]{4}"
)
_TELLING = re.compile(rf"/(?:[A-Za-z]|[A-Za-z]{{1,2}}(?:{_ACCENTS})|{_FIGURES}|{_SIGNS})(?:\.\w+)?")
_MOSTLY = 0.5
"""Of the names of glyphs."""
_NAMELESS = frozenset(("Unknown", ""))
"""What readers call a font that has no name, as those have whose letters are drawings."""


def coded_fonts(fonts: Iterable[pikepdf.Object]) -> frozenset[str]:
    """Their names, without what tells subsets apart. A name that a font with known letters has too is not told."""
    coded: set[str] = set()
    known: set[str] = set()
    for font in fonts:
        (known if _tells_letters(font) else coded).update(_names(font))
    return frozenset(coded - known)


def _names(font: pikepdf.Object) -> frozenset[str]:
    name = font.get("/BaseFont")
    return _NAMELESS if name is None else frozenset({str(name)[1:].rpartition("+")[2]})


def _tells_letters(font: pikepdf.Object) -> bool:
    kind, encoding = font.get("/Subtype"), font.get("/Encoding")
    # The programs of other fonts name their glyphs.
    if "/ToUnicode" in font or kind not in ("/TrueType", "/Type3") or isinstance(encoding, pikepdf.Name):
        return True
    if not isinstance(encoding, pikepdf.Dictionary):
        return False
    names = [str(each) for each in encoding.get("/Differences") or () if isinstance(each, pikepdf.Name)]
    if not names:
        return "/BaseEncoding" in encoding
    return sum(_TELLING.fullmatch(name) is not None for name in names) >= _MOSTLY * len(names)
