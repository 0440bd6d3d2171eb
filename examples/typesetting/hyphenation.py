"""Breaks English words for justified text: few rules, each of them cautious."""

import re

VOWELS = "aeiouy"
# Two consonants that begin a syllable together, or sound as one: no break between them.
INSEPARABLE = frozenset(("bl", "br", "ch", "ck", "cl", "cr", "dr", "dw", "fl", "fr", "gh", "gl", "gn", "gr", "kn", "ng", "ph", "pl", "pr", "qu", "sc", "sh", "sk", "sl", "sm", "sn", "sp", "st", "sw", "th", "tr", "tw", "wh", "wr"))
ONSETS = INSEPARABLE - {"ck", "gh", "ng"}
SUFFIXES = ("ings", "ing", "ment", "ments", "ness", "less", "ward", "wards", "tion", "tions", "sion", "fully", "able")
PREFIXES = ("after", "any", "inter", "over", "under", "every", "some", "water", "light", "candle", "river", "harbour")
SHORTEST_HEAD = 3
SHORTEST_TAIL = 3


def hyphenate(word: str) -> list[tuple[str, str]]:
    """Every way to break the word, the longest head first: what reportlab asks of a hyphenator."""
    if word != word.lower() and word != word.capitalize():
        return []
    breaks = sorted(_breaks(word.lower()), reverse=True)
    return [(word[:at], word[at:]) for at in breaks if SHORTEST_HEAD <= at <= len(word) - SHORTEST_TAIL]


def _breaks(word: str) -> set[int]:
    breaks = _between_consonants(word) | _before_suffix(word) | _after_prefix(word)
    return {at for at in breaks if _has_vowel(word[:at]) and _has_vowel(word[at:])}


def _between_consonants(word: str) -> set[int]:
    """Lan-tern between two consonants, chil-dren before the cluster in three; kitch-en has neither."""
    in_two = re.finditer(rf"(?<=[{VOWELS}])([^{VOWELS}])(?=([^{VOWELS}])[{VOWELS}])", word)
    in_three = re.finditer(rf"(?<=[{VOWELS}])([^{VOWELS}])(?=([^{VOWELS}]{{2}})[{VOWELS}])", word)
    breaks = {match.end() for match in in_two if match[1] + match[2] not in INSEPARABLE}
    return breaks | {match.end() for match in in_three if match[2] in ONSETS and match[1] + match[2] != "tch"}


def _before_suffix(word: str) -> set[int]:
    """A doubled consonant before the suffix is left to the consonant rule: run-ning, not runn-ing."""
    starts = {len(word) - len(suffix) for suffix in SUFFIXES if word.endswith(suffix)}
    return {at for at in starts if at > 2 and word[at - 1] != word[at - 2]}


def _after_prefix(word: str) -> set[int]:
    return {len(prefix) for prefix in PREFIXES if word.startswith(prefix)}


def _has_vowel(part: str) -> bool:
    """A final e is silent more often than not, and does not carry a syllable alone."""
    return any(letter in VOWELS for letter in part.removesuffix("e"))
