"""Before a document is cut into slices: in which languages its scans are read, and whether its hidden text is good."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from blobforge.documents import ocr_languages
from blobforge.documents.ocr_program import OcrProgram, OcrWord
from blobforge.domain.errors import ProcessingError
from blobforge.domain.json_value import JsonObject
from blobforge.processors.pdf_markdown.engines.engine import Box, Scans
from blobforge.processors.pdf_markdown.ocr.paragraphs import sure_words
from blobforge.processors.pdf_markdown.page_view import PageView

_SAMPLED = 3
_STRIP = (0.35, 0.3)
"""Where a strip of a page begins and how high it is, as shares of its height: enough words, at a third of the cost."""
_WHOLE = (0.0, 1.0)
_SCRIPTS = "osd"
"""The data by which a script is told; with it, the only language that is there may turn out the wrong one."""
_DPI = 200
_SECONDS = 30.0
_LEAST_LETTERS = 4
"""Shorter words are found on any page."""
_ENOUGH = 15
_AGREE = 0.7
_CANDIDATES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """`languages` are empty as long as nobody has chosen. `agreement` is the share of the words that OCR is sure of on
    sampled pages that are in their hidden text too; None when there was nothing to compare."""

    languages: tuple[str, ...] = ()
    missing: str = ""
    """A language that would be better, and is not installed."""
    agreement: float | None = None

    @property
    def distrusts_layer(self) -> bool:
        return self.agreement is not None and self.agreement < _AGREE

    def as_json(self) -> JsonObject:
        return {"languages": list(self.languages), "missing": self.missing, "agreement": self.agreement}


def preparation_in(said: Mapping[str, Any]) -> Preparation:
    """What `as_json` wrote."""
    return Preparation(**{**said, "languages": tuple(said["languages"])})


def prepared(program: OcrProgram, view: PageView, scans: Scans, wanted: Sequence[str]) -> Preparation:
    """`wanted` are the languages that were asked for; with none, they are told from the document."""
    pages = scans.bare or scans.hidden
    # The first are covers.
    typical = pages[len(pages) // 2] if pages else None
    chosen = chosen_languages(program, view, typical, wanted=wanted, text=scans.language)
    agreement = _agreement(program, view, _spread(scans.hidden), chosen.languages) if chosen.languages else None
    return Preparation(languages=chosen.languages, missing=chosen.missing, agreement=agreement)


def chosen_languages(
    program: OcrProgram, view: PageView, number: int | None, *, wanted: Sequence[str], text: str
) -> Preparation:
    """By what was asked for; by the language of the document's own `text`; or by a look at a scanned page."""
    installed = ocr_languages.readable(program.languages)
    if wanted:
        missing = next((language for language in wanted if language not in program.languages), "")
        return Preparation(languages=ocr_languages.usable(wanted, program.languages), missing=missing)
    can_tell = len(installed) > 1 or (bool(installed) and _SCRIPTS in program.languages)
    if text or number is None or not can_tell:
        return _with_stand_in(text, installed)
    return _seen(program, view, number, installed)


def _with_stand_in(language: str, installed: list[str]) -> Preparation:
    if language in installed:
        return Preparation(languages=(language,))
    return Preparation(languages=tuple(installed[:1]), missing=language)


def _seen(program: OcrProgram, view: PageView, number: int, installed: list[str]) -> Preparation:
    """The script first, where the program can tell it; then, in ours, the small words of a first reading."""
    try:
        script = (
            program.orientation(view.grey(number), seconds=_SECONDS).script if _SCRIPTS in program.languages else ""
        )
    except ProcessingError:
        script = ""
    if script in ("", ocr_languages.LATIN):
        if len(installed) < 2:
            return _with_stand_in("", installed)
        readings = (_strip(program, view, number, installed[:1], part=part) for part in (_STRIP, _WHOLE))
        texts = ([word.text for word in sure_words(reading, dpi=_DPI)] for reading in readings)
        return _with_stand_in(next(filter(None, map(ocr_languages.language_of, texts)), ""), installed)
    candidates = ocr_languages.in_script(script, installed)[:_CANDIDATES]
    if not candidates:
        return Preparation(languages=tuple(installed[:1]), missing=ocr_languages.likeliest_in(script))
    best = max(candidates, key=lambda one: len(sure_words(_strip(program, view, number, [one]), dpi=_DPI)))
    return Preparation(languages=(best,))


def _agreement(program: OcrProgram, view: PageView, pages: Iterable[int], chosen: Sequence[str]) -> float | None:
    sure = found = 0
    for number in pages:
        read = _words(word.text for word in sure_words(_strip(program, view, number, chosen), dpi=_DPI))
        try:
            layer = _words(view.text(number).split())
        except ProcessingError:
            continue
        sure += read.total()
        found += (read & layer).total()
    return round(found / sure, 3) if sure >= _ENOUGH else None


def _strip(
    program: OcrProgram, view: PageView, number: int, chosen: Sequence[str], *, part: tuple[float, float] = _STRIP
) -> list[OcrWord]:
    """What is read in a part of the page; where that cannot be done, nothing."""
    top, height = part
    try:
        page_width, page_height = view.size(number)
        image = view.part(number, Box(0, top * page_height, page_width, height * page_height), dpi=_DPI)
        return program.words(image, chosen, seconds=_SECONDS)
    except ProcessingError:
        return []


def _words(words: Iterable[str]) -> Counter[str]:
    plain = ("".join(filter(str.isalpha, word)).casefold() for word in words)
    return Counter(word for word in plain if len(word) >= _LEAST_LETTERS)


def _spread(pages: Sequence[int]) -> list[int]:
    """A few of them, from the beginning to the end."""
    if len(pages) <= _SAMPLED:
        return list(pages)
    return [pages[place * (len(pages) - 1) // (_SAMPLED - 1)] for place in range(_SAMPLED)]
