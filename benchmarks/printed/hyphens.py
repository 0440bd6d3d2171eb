"""Soft hyphens for justified text: chromium here has no dictionary to hyphenate by itself."""

import re

MARKUP_OR_WORD = re.compile(
    r"<pre.*?</pre>|<code.*?</code>|<h\d.*?</h\d>|<svg.*?</svg>|<[^>]*>|&\w+;|[a-z]{7,}", re.DOTALL
)
# Between two consonants that stand between vowels, but not inside pairs that sound as one.
BREAK = re.compile(r"(?<=[aeiou][b-df-hj-np-tv-z])(?=[b-df-hj-np-tv-z][aeiou])")
# Before a consonant that begins a syllable in the middle of a long word.
OPEN = re.compile(r"(?<=[a-z][aeiou])(?=[bcdfglmnprtv][aeiou][a-z]{2})")
ENDING = re.compile(r"(?=(?:tion|tions|ment|ments|ness|ing|able|ful|less|ture|sion)$)")
SOUNDS = {"ch", "ck", "gh", "gn", "ng", "ph", "sh", "th", "wh", "bl", "br", "cl", "cr", "dr", "fl", "fr", "gl", "gr"}
SOUNDS |= {"pl", "pr", "tr", "qu", "st", "sp", "sc"}


def with_soft_hyphens(html: str) -> str:
    return MARKUP_OR_WORD.sub(lambda found: found[0] if found[0][0] in "<&" else _hyphenated(found[0]), html)


def _hyphenated(word: str) -> str:
    places = sorted({found.start() for pattern in (BREAK, OPEN, ENDING) for found in pattern.finditer(word)})
    good = [at for at in places if 3 <= at <= len(word) - 3 and word[at - 1 : at + 1] not in SOUNDS]
    for at in reversed(good):
        word = f"{word[:at]}\u00ad{word[at:]}"
    return word
