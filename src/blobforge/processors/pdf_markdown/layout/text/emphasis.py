"""How a passage looks beside the body of its document: larger, heavier, in colour, in capitals."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import IntFlag
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import Colour, Style, TextWord, text_of
from blobforge.processors.pdf_markdown.layout.model.passages import Look, Passage, PassageRole
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey

LARGER = 1.08
"""Of the body's size: less is the same size, set a little differently."""
_OTHER_COLOUR = 0.25
_TINT = 0.06
_WHITE = 0.9
_CAPITALS = re.compile(r"[^\W\d_]{4}")
_TELLING = 0.25
"""Of the letters: small capitals leave short words without an initial at the size of the whole."""
_HEAVY_NAME = re.compile(r"bold|black|heavy|BX\d", re.IGNORECASE)


class Body(NamedTuple):
    """What running text looks like, in the document or in a box."""

    size: float
    bold: bool
    font: str
    colour: Colour


class Emphasis(IntFlag):
    NONE = 0
    LARGER = 1
    HEAVIER = 2
    COLOURED = 4
    CAPITALS = 8
    NUMBERED = 16
    PLACED = 32
    """It stands where titles do: see `headings/places`."""


def body_of(survey: DocumentSurvey) -> Body:
    return Body(survey.size, survey.bold, survey.font, survey.colour)


def body_within(passages: Iterable[Passage], around: Body) -> Body:
    """A box may be set smaller than the text around it."""
    sizes: Counter[float] = Counter()
    for passage in passages:
        if passage.look is not None and passage.role in (PassageRole.PARAGRAPH, PassageRole.ITEM):
            sizes[passage.look.size] += len(passage.plain)
    return around._replace(size=min(around.size, sizes.most_common(1)[0][0])) if sizes else around


def look_of(words: Sequence[TextWord]) -> Look:
    """How most of the letters are set."""
    letters: dict[int, int] = {}
    styles: dict[int, Style] = {}
    # By identity, since text that looks alike shares its style, and to compare styles takes time.
    for word in words:
        key = id(word.style)
        letters[key] = letters.get(key, 0) + len(word.text)
        styles[key] = word.style
    style = styles[max(letters, key=letters.__getitem__)]
    least = _TELLING * sum(letters.values())
    return Look(
        size=max((styles[key].size for key, count in letters.items() if count >= least), default=style.size),
        bold=style.bold,
        italic=style.italic,
        caps=is_capitals(text_of(words)),
        font=style.font,
        colour=style.colour,
    )


def is_capitals(text: str) -> bool:
    """Abbreviations and codes are not enough: there must be a word."""
    return text.isupper() and _CAPITALS.search(text) is not None


def emphasis_of(look: Look, body: Body) -> Emphasis:
    emphasis = Emphasis.NONE
    if look.size >= LARGER * body.size:
        emphasis |= Emphasis.LARGER
    if is_heavier(look, body):
        emphasis |= Emphasis.HEAVIER
    if is_coloured(look.colour, body.colour):
        emphasis |= Emphasis.COLOURED
    if look.caps:
        emphasis |= Emphasis.CAPITALS
    return emphasis


def is_heavier(look: Look | Style, body: Body) -> bool:
    """Some documents claim that all of their text is bold: there the name of the font tells."""
    if not body.bold:
        return look.bold
    return look.font != body.font and bool(_HEAVY_NAME.search(look.font)) and not _HEAVY_NAME.search(body.font)


def is_coloured(colour: Colour, body: Colour) -> bool:
    """Another colour than the body's: black is the same in all colour spaces, and grey steps back."""
    if colour == body or not any(colour) or _is_grey(colour):
        return False
    if len(colour) != len(body):
        return len(set(colour)) > 1
    return sum(abs(one - other) for one, other in zip(colour, body, strict=True)) > _OTHER_COLOUR


def _is_grey(colour: Colour) -> bool:
    """Of red, green and blue in equal parts, but not white, which stands out from a dark ground."""
    return len(colour) == 3 and max(colour) - min(colour) < _TINT and max(colour) < _WHITE


class Tone(NamedTuple):
    """How a run of words stands out; `family` is the font without its weight."""

    heavier: bool
    colour: Colour
    family: str


def tone_of(words: Iterable[TextWord], body: Body) -> Tone | None:
    """How each of the words stands out from the body; None when one does not."""
    tone: Tone | None = None
    seen: Style | None = None
    for word in words:
        style = word.style
        if style is seen or word.raised:
            continue
        seen = style
        heavier = is_heavier(style, body)
        if not (heavier or style.size >= LARGER * body.size or is_coloured(style.colour, body.colour)):
            return None
        tone = tone or Tone(heavier, style.colour, family_of(style.font))
    return tone


def family_of(font: str) -> str:
    return re.split(r"[-,]", font, maxsplit=1)[0]
