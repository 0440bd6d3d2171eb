"""The options of a conversion: parsed once, defaults filled in, and the one form in which a recipe keeps them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from blobforge.domain.errors import InvalidOptions
from blobforge.domain.json_value import JsonObject, JsonValue
from blobforge.ports.processor import Slice
from blobforge.processors.pdf_markdown.engines import registry
from blobforge.processors.pdf_markdown.page_ranges import OPEN_END, format_ranges, parse_ranges

_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z0-9_/]{0,63}")
_AUTO = "auto"
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfOptions:
    engine: str = registry.DEFAULT
    pages: tuple[Slice, ...] = ()
    """Empty: all of them."""
    ocr: Literal["auto", "off"] = "auto"
    ocr_languages: tuple[str, ...] = ()
    """Empty: as the text of the document tells."""
    slice_pages: int = 50
    page_marks: bool = False
    read_pictures: bool = False
    """Reads the text in pictures by OCR too."""
    explain: bool = False
    """Adds a page of HTML that shows what the engine saw."""

    def as_json(self) -> JsonObject:
        return {
            "engine": self.engine,
            "pages": format_ranges(self.pages) or None,
            "ocr": self.ocr,
            "ocr_languages": "+".join(self.ocr_languages) or _AUTO,
            "slice_pages": self.slice_pages,
            "page_marks": self.page_marks,
            "read_pictures": self.read_pictures,
            "explain": self.explain,
        }


def parse_options(options: JsonObject) -> PdfOptions:
    """Values may be text, as a command line gives them. Raises InvalidOptions."""
    for name in options:
        if name not in _PARSERS:
            raise InvalidOptions(_unknown("option", name, list(_PARSERS)))
    parsed: dict[str, Any] = {name: _PARSERS[name](value) for name, value in options.items()}
    wanted = PdfOptions(**parsed)
    if wanted.explain and not registry.info_of(wanted.engine).explains:
        raise InvalidOptions(f"explain: the engine {wanted.engine} does not tell what it saw; use {registry.OURS}")
    return wanted


def _engine(value: JsonValue) -> str:
    if not registry.is_known(str(value)):
        raise InvalidOptions(_unknown("engine", str(value), list(registry.names())))
    return str(value)


def _pages(value: JsonValue) -> tuple[Slice, ...]:
    if value is None or value == "":
        return ()
    ranges = parse_ranges(str(value))
    return () if ranges == (Slice(1, OPEN_END),) else ranges


def _ocr(value: JsonValue) -> Literal["auto", "off"]:
    if value == "auto":
        return "auto"
    if value == "off":
        return "off"
    raise InvalidOptions(f"ocr={value!r}: use auto or off")


def _ocr_languages(value: JsonValue) -> tuple[str, ...]:
    if value == _AUTO:
        return ()
    names = re.split(r"[+,\s]+", value.strip()) if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not names or not all(_is_language(name) for name in names):
        raise InvalidOptions(f"ocr_languages={value!r}: use the names of tesseract's languages, such as eng or deu+fra")
    return tuple(map(str, names))


def _is_language(name: JsonValue) -> bool:
    return isinstance(name, str) and _LANGUAGE.fullmatch(name) is not None


def _slice_pages(value: JsonValue) -> int:
    text = str(value)
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 10_000:
        raise InvalidOptions(f"slice_pages={value!r}: use a number of pages from 1 to 10000")
    return int(text)


def _truth(name: str, value: JsonValue) -> bool:
    truth = _TRUTHS.get(str(value).lower())
    if truth is None:
        raise InvalidOptions(f"{name}={value!r}: use true or false")
    return truth


def _unknown(kind: str, name: str, known: list[str]) -> str:
    import difflib

    nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"did you mean {nearest[0]!r}?" if nearest else f"known are {', '.join(known)}"
    return f"there is no {kind} {name!r}; {hint}"


_PARSERS: dict[str, Callable[[JsonValue], object]] = {
    "engine": _engine,
    "pages": _pages,
    "ocr": _ocr,
    "ocr_languages": _ocr_languages,
    "slice_pages": _slice_pages,
    "page_marks": partial(_truth, "page_marks"),
    "read_pictures": partial(_truth, "read_pictures"),
    "explain": partial(_truth, "explain"),
}
