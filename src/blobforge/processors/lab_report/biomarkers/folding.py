# ruff: noqa: RUF001 - Greek letters are what this module is about
"""Names without what does not tell them apart: case, accents, and what stands between words."""

import re
import unicodedata

_MARKS = re.compile("[\u0300-\u036f\u00ad]+")
_GREEK = re.compile("[αβγδκλμω]")
_GREEK_NAMES = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "κ": "kappa", "λ": "lambda", "μ": "u", "ω": "omega",
}  # fmt: skip
# The German letter is printed for a beta: "ß-HCG", "ß2-Mikroglobulin".
_SHARP_S = re.compile(r"(?<![^\W\d_])ß(?![^\W\d_])")
_TOKEN = re.compile(r"[^\W_]+|[%#+]+|/")
_BETWEEN = re.compile(r"[^\w%#+/]+|_+")


def fold(text: str) -> str:
    """Without case and accents; works on one name as on a whole file."""
    text = _MARKS.sub("", unicodedata.normalize("NFKD", _SHARP_S.sub("β", text).casefold()))
    return _GREEK.sub(lambda letter: _GREEK_NAMES[letter[0]], text)


def tokens_of(folded: str) -> list[str]:
    return _TOKEN.findall(folded)


def joined(folded: str) -> str:
    """The tokens without what stands between them."""
    return _BETWEEN.sub("", folded)


def is_ordered(folded: str) -> bool:
    """Whether the order of the words matters: LDL/HDL is not HDL/LDL."""
    return "/" in folded
