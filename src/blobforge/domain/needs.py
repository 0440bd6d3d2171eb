"""What a job needs of its worker beyond what every installation has, as words such as `engine:marker`.

A word is a kind and a name, without spaces. The words of a job are part of its order, so that whoever changes the order
changes them with it; a store may keep them in a form of its own to find jobs by.
"""

from collections.abc import Iterable
from functools import lru_cache

from blobforge.domain.json_value import canonical_json
from blobforge.domain.loose_json import json_in, list_in, object_in

NOTHING: frozenset[str] = frozenset()
ENGINE, LANGUAGE, PIPELINE, TOOL = "engine", "ocr", "spacy", "tool"
TESSERACT = f"{TOOL}:tesseract"

OWN_ENGINE = "blobforge"
"""Comes with every installation, and so with no extra."""
_FIELD = "needs"


def engine(name: str) -> str:
    return f"{ENGINE}:{name}"


def language(name: str) -> str:
    """Of OCR, by the name that tesseract has for it."""
    return f"{LANGUAGE}:{name}"


def pipeline(name: str) -> str:
    """Of spaCy."""
    return f"{PIPELINE}:{name}"


def named(words: Iterable[str], kind: str) -> list[str]:
    """The names of a kind among these words."""
    return sorted(name for word in words for found, _, name in [word.partition(":")] if found == kind)


def needs_of(metadata: str) -> str:
    """The words of an order, sorted and separated by spaces, so that equal needs are equal texts; mostly empty."""
    # Quick for the many orders without needs.
    return _read(metadata) if f'"{_FIELD}"' in metadata else ""


def are_met(needs: str, has: frozenset[str]) -> bool:
    return not needs or has.issuperset(needs.split(" "))


def missing(needs: str, has: frozenset[str]) -> list[str]:
    return [word for word in needs.split(" ") if word and word not in has]


def with_needs(metadata: str, more: Iterable[str]) -> str:
    """The same order, which needs these too."""
    return canonical_json(
        {**object_in(json_in(metadata)), _FIELD: sorted({*needs_of(metadata).split(" "), *more} - {""})}
    )


def in_words(word: str) -> str:
    """For people: `the engine marker`."""
    kind, _, name = word.partition(":")
    known = {
        ENGINE: "the engine {}",
        LANGUAGE: "the language {} of tesseract",
        PIPELINE: "the spaCy pipeline {}",
        TOOL: "{}",
    }
    return known.get(kind, word).format(name)


EXTRAS = frozenset({"docling", "lab", "liteparse", "marker", "pymupdf4llm"})
"""Engines that an extra of ours brings; who has brought another one knows its package."""


def how_to_get(word: str) -> str | None:
    """The command that installs it; None for what is not ours."""
    kind, _, name = word.partition(":")
    if kind == ENGINE and name == OWN_ENGINE:
        return "pip install blobforge"
    if kind == ENGINE and name in EXTRAS:
        return f"pip install 'blobforge[{name}]'"
    if kind == LANGUAGE:
        return f"apt install {language_package(name)}"
    if word == TESSERACT:
        return "apt install tesseract-ocr"
    return f"python -m spacy download {name}" if kind == PIPELINE else None


def language_package(language: str) -> str:
    """Debian's name for the data of a language of tesseract."""
    return f"tesseract-ocr-{language.lower().replace('_', '-').replace('/', '-')}"


@lru_cache(maxsize=1024)
def _read(metadata: str) -> str:
    words = list_in(object_in(json_in(metadata)).get(_FIELD))
    return " ".join(sorted({word for word in words if isinstance(word, str) and word and " " not in word}))
