"""How entries of language files are written, and the regular expressions that they become.

    *        any letters, or none
    +        one letter or more
    .        a full stop, which may be missing
    [x]      x, or nothing
    (x|y)    one of these
    …        some words without a digit or a colon
    \\.       the sign itself

A space is white space of any width, so that `[ ]` is a space that may be missing. Case does not matter.
"""

import re
from collections.abc import Iterable

from blobforge.processors.lab_report.vocabulary.languages import terms

_SIGNS = {
    "[": "(?:",
    "]": ")?",
    "(": "(?:",
    ")": ")",
    "|": "|",
    "*": r"\w*",
    "+": r"\w+",
    ".": r"\.?",
    " ": r"\s+",
    "…": r"[^\d:]{2,40}?",
}
_SIGN = re.compile(r"\\(?P<literal>.)|(?P<sign>.)", re.DOTALL)
_OPTIONAL = re.compile(r"\[[^\[\]]*\]")
NOTHING = r"(?!)"
"""Matches nowhere: what no language has a word for."""


def expression(entry: str) -> str:
    """The regular expression of an entry."""
    return "".join(
        _SIGNS.get(found["sign"], re.escape(found["sign"])) if found["sign"] else re.escape(found["literal"])
        for found in _SIGN.finditer(entry)
    )


def one_of(entries: Iterable[str]) -> str:
    """A group that matches any entry; of several that fit, the one that says the most."""
    ordered = sorted(dict.fromkeys(entries), key=_fixed, reverse=True)
    return f"(?:{'|'.join(map(expression, ordered))})" if ordered else NOTHING


def _fixed(entry: str) -> tuple[int, int]:
    """How many signs of an entry can't be missing: patient/in goes before patient[ name]."""
    bare = entry
    while (shorter := _OPTIONAL.sub("", bare)) != bare:
        bare = shorter
    return len(bare), len(entry)


def any_term(section: str, *keys: str) -> str:
    """The same for all entries that the language files have under these keys."""
    return one_of(entry for key in keys for entry in terms(section, key))


def literally(words: Iterable[str]) -> str:
    """A group of words that are no patterns."""
    ordered = sorted(dict.fromkeys(words), key=len, reverse=True)
    return f"(?:{'|'.join(map(re.escape, ordered))})" if ordered else NOTHING
