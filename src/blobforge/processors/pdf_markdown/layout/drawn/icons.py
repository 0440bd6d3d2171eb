"""Symbol fonts: maps the codes of Wingdings and the like, and private icons, to the characters that they show."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from blobforge.processors.pdf_markdown.layout.drawn.ligatures import GlyphLookup, GlyphPosition, Raw
from blobforge.processors.pdf_markdown.layout.model.content import TextLine, TextWord
from blobforge.processors.pdf_markdown.layout.words.characters import LOST

_PRIVATE = 0xF000
"""Where fonts of symbols put their codes."""
_BULLET = "•"
_MOST_UNKNOWN = 0.1
"""Of the glyphs: where more stand for no character, they are letters, not icons."""

_WINGDINGS = {
    **dict(zip(b'!"#(*6?AEFGHJLNQRTXYZ', "✏✂✁☎✉⌛✍✌☜☞☝☟☺☹☠✈☼❄✠✡☪", strict=True)),
    **dict(zip(b"lmnoqrstuvw{", "●❍■□❑❒⬧⧫◆❖⬥❀", strict=True)),
    **dict(zip(range(0x80, 0x8B), "⓪①②③④⑤⑥⑦⑧⑨⑩", strict=True)),
    **dict(zip(range(0x8B, 0x96), "⓿❶❷❸❹❺❻❼❽❾❿", strict=True)),
    **dict(zip(b"\x9e\x9f\xa1\xa4\xa5\xa7\xa8\xaa\xab\xac\xad\xae\xaf\xb6", "·•○◉◎▪◻✦★✶✴✹✵✰", strict=True)),
    **dict(zip(b"\xd8\xdf\xe0\xe1\xe2\xe8\xef\xf0\xf1\xf2\xfb\xfc\xfd\xfe", "➢←→↑↓➔⇦⇨⇧⇩✗✓☒☑", strict=True)),
}
_WINGDINGS_2 = dict(zip(b"OPRS\x97\xa2\xa3", "✗✓☑☒●■□", strict=True))
_WINGDINGS_3 = dict(zip(b"pqrstuvw}", "▲▼△▽◀▶◁▷▶", strict=True))
_WEBDINGS = dict(zip(b"3456acgnr", "◀▶▲▼✔□■●✘", strict=True))
_SYMBOL = dict(zip(b"\xa3\xa5\xae\xb0\xb1\xb3\xb4\xb7\xb8\xb9\xbb\xbc\xde\xe0", "≤∞→°±≥×•÷≠≈…⇒◊", strict=True))
_FONTS = (
    (re.compile(r"wingdings[\s-]*2", re.IGNORECASE), _WINGDINGS_2),
    (re.compile(r"wingdings[\s-]*3", re.IGNORECASE), _WINGDINGS_3),
    (re.compile(r"wingdings", re.IGNORECASE), _WINGDINGS),
    (re.compile(r"webdings", re.IGNORECASE), _WEBDINGS),
)
_ZAPF = {chr(code) for code in range(0x2701, 0x27BF)}
_ICON = re.compile("[\ue000-\uf8ff]")


@lru_cache(maxsize=256)
def signs_of(font: str) -> Mapping[int, str] | None:
    """What the letters of a font of icons stand for; None for all other fonts."""
    return next((_by_letter(signs) for name, signs in _FONTS if name.search(font)), None)


def has_doubtful_signs(characters: set[str]) -> bool:
    return not characters.isdisjoint(_ZAPF)


def with_signs(raws: list[Raw], look: GlyphLookup) -> list[Raw]:
    """pdf-oxide mixes up the signs of Zapf's font: another reader is asked, and believed where it finds one."""
    doubtful = {
        GlyphPosition(raw[1], raw[2], raw[5]) for raw in raws if raw[0] in _ZAPF and "dingbats" in raw[4].lower()
    }
    found = look(sorted(doubtful))
    signs = {place: sign for place in found if len(sign := found[place].letters.strip()) == 1 and sign != LOST}
    return [(signs.get(GlyphPosition(raw[1], raw[2], raw[5]), raw[0]), *raw[1:]) for raw in raws] if signs else raws


def with_icons(lines: list[TextLine], *, unknown: float) -> list[TextLine]:
    """Icons of a font's own become the signs that are usual there: a bullet before a line, nothing within it."""
    if not 0 < unknown <= _MOST_UNKNOWN:
        return lines
    return list(_with_icons(lines))


def _with_icons(lines: Iterable[TextLine]) -> Iterator[TextLine]:
    for line in lines:
        if _ICON.search(line.text) is not None:
            line.words = words = [word for word in _told(line.words) if word.text] or line.words
            if not words[0].text or _ICON.search(words[0].text) is not None:
                continue
        yield line


def _told(words: list[TextWord]) -> Iterator[TextWord]:
    for place, word in enumerate(words):
        text = word.text.translate(_USUAL)
        if place == 0 and len(words) > 1 and _ICON.fullmatch(text):
            text = _BULLET
        yield word._replace(text=_ICON.sub("", text))


def _by_letter(signs: Mapping[int, str]) -> Mapping[int, str]:
    """By the code itself, by the letter that has it in Latin fonts, and by the private one."""
    letters = {code: bytes([code]).decode("cp1252", "ignore") for code in signs}
    named = {ord(letter): signs[code] for code, letter in letters.items() if letter}
    return {**signs, **named, **_privately(signs)}


def _privately(signs: Mapping[int, str]) -> dict[int, str]:
    return {_PRIVATE + code: sign for code, sign in signs.items()}


_USUAL = {**_privately(_WINGDINGS), **_privately(_SYMBOL)}
