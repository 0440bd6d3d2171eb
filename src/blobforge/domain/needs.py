"""What a job needs of its worker beyond what every installation has, in short words such as `engine:marker`.

A word is a kind and a name, without spaces. The words of a job stand in its order, so that whoever changes the order
changes them with it; a store may keep them in a form of its own to find jobs by.
"""

import json
from collections.abc import Iterable
from functools import lru_cache

from blobforge.domain.json_value import canonical_json

NOTHING: frozenset[str] = frozenset()
ENGINE, LANGUAGE, PIPELINE, TOOL = "engine", "ocr", "spacy", "tool"
TESSERACT = f"{TOOL}:tesseract"

OF_EVERYONE = frozenset({"blobforge", "liteparse"})
"""Engines that come with every installation, and so with no extra."""
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
    """The words of an order, sorted and with a space between, so that equal needs are equal texts; mostly none."""
    # Nearly all orders have none, and a library has many documents.
    return _read(metadata) if f'"{_FIELD}"' in metadata else ""


def are_met(needs: str, has: frozenset[str]) -> bool:
    return not needs or has.issuperset(needs.split(" "))


def missing(needs: str, has: frozenset[str]) -> list[str]:
    return [word for word in needs.split(" ") if word and word not in has]


def with_needs(metadata: str, more: Iterable[str]) -> str:
    """The same order, which needs these too."""
    try:
        said = json.loads(metadata)
    except (ValueError, RecursionError):
        said = {}
    facts = said if isinstance(said, dict) else {}
    return canonical_json({**facts, _FIELD: sorted({*needs_of(metadata).split(" "), *more} - {""})})


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


def how_to_get(word: str) -> str | None:
    """The command that brings it to a worker's machine; None for what is not ours."""
    kind, _, name = word.partition(":")
    if kind == ENGINE:
        return "pip install blobforge" if name in OF_EVERYONE else f"pip install 'blobforge[{name}]'"
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
    try:
        said = json.loads(metadata)
    except (ValueError, RecursionError):
        return ""
    words = said.get(_FIELD) if isinstance(said, dict) else None
    if not isinstance(words, list):
        return ""
    return " ".join(sorted({word for word in words if isinstance(word, str) and word and " " not in word}))
