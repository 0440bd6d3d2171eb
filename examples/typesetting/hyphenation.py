"""Breaks English words for justified text: few rules, each of them cautious."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate

VOWELS = "aeiouy"
# Two consonants that begin a syllable together, or sound as one: no break between them.
INSEPARABLE = re.compile(r"[bcfgps]l|[bcdfgptw]r|[cgpstw]h|[gk]n|[dst]w|s[ckmnpt]|ck|ng|qu")
SUFFIXES = (
    "thing",
    "things",
    "ings",
    "ing",
    "ment",
    "ments",
    "ness",
    "less",
    "ward",
    "wards",
    "tion",
    "tions",
    "sion",
    "fully",
    "able",
)
PREFIXES = ("after", "any", "inter", "over", "under", "every", "some", "water", "light", "candle", "river", "harbour")
# Where the rules find no break, or a wrong one.
KNOWN_WORDS = """
    al-though al-ways an-chor an-chor-ages an-other an-swer an-swered an-swers ap-proach be-cause be-come
    be-fore be-gins be-hind be-lieve be-lieved be-longs be-side be-tween be-yond bro-ken burn-ing can-dle
    care-ful chan-dler chan-dlers crea-ture crea-tures cu-ri-ous dan-ger dan-gers de-cided de-scrip-tion de-tail
    dis-agree
    dis-like dis-tance dou-ble east-ern ei-ther else-where ex-act-ly ex-cept fa-vour fath-om fig-ure fin-ished
    find-ing gate-post hand-ful her-ons hes-i-tates high-est hon-est in-hab-it-ants in-land in-sured is-lands
    is-lets jack-et jour-ney jour-neys keep-er keep-ers king-dom la-belled light-er load-ed long-er meas-ured
    mem-ory mend-ed mid-dle mo-ment morn-ing most-ly nau-ti-cal nei-ther nev-er nine-ti-eth no-body no-tice
    no-tices no-where north-ern noth-ing of-fice on-wards opin-ions or-chards or-di-nary oth-er oth-ers
    pa-tience pack-et pad-dles peo-ple pi-lots play-er play-ers pro-vide pro-vided prom-ise prom-ised prop-er
    pun-ished raft-ed rath-er re-cover re-covers re-mem-bers re-paired re-stores re-sults rea-son real-ly
    reck-oned riv-er sea-son sec-ond set-tled shin-gle si-lent sin-gle slow-ly spir-it stran-ger sunk-en thir-ty
    trav-el-ling trav-eller trav-ellers trav-els un-kept un-less up-wards vis-it-or vis-it-ors wa-ter weath-er
    west-ern what-ever when-ever wheth-er whis-per who-ever with-in with-out wrong-ly
"""
SHORTEST_HEAD = 2
SHORTEST_TAIL = 3


def hyphenate(word: str) -> list[tuple[str, str]]:
    """Every way to break the word, the longest head first: what reportlab asks of a hyphenator."""
    if word not in (word.lower(), word.capitalize()):
        return []
    known = _known_words().get(word.lower())
    breaks = sorted(_breaks(word.lower()) if known is None else known, reverse=True)
    return [(word[:at], word[at:]) for at in breaks if SHORTEST_HEAD <= at <= len(word) - SHORTEST_TAIL]


@cache
def _known_words() -> Mapping[str, Sequence[int]]:
    return {word.replace("-", ""): _hyphen_places(word.split("-")) for word in KNOWN_WORDS.split()}


def _hyphen_places(syllables: Sequence[str]) -> Sequence[int]:
    return list(accumulate(len(syllable) for syllable in syllables[:-1]))


def _breaks(word: str) -> set[int]:
    breaks = _between_consonants(word) | _before_suffix(word) | _after_prefix(word)
    return {at for at in breaks if _has_vowel(word[:at]) and _has_vowel(word[at:])}


def _between_consonants(word: str) -> set[int]:
    """Lan-tern between two consonants, chil-dren before the cluster in three; kitch-en has neither."""
    in_two = re.finditer(rf"(?<=[{VOWELS}])([^{VOWELS}])(?=([^{VOWELS}])[{VOWELS}])", word)
    in_three = re.finditer(rf"(?<=[{VOWELS}])([^{VOWELS}])(?=([^{VOWELS}]{{2}})[{VOWELS}])", word)
    breaks = {match.end() for match in in_two if not INSEPARABLE.fullmatch(match[1] + match[2])}
    return breaks | {
        match.end() for match in in_three if _is_onset(match[2]) and match[1] + match[2][0] not in ("tc", "ng")
    }


def _is_onset(pair: str) -> bool:
    return pair not in ("ck", "gh", "ng") and INSEPARABLE.fullmatch(pair) is not None


def _before_suffix(word: str) -> set[int]:
    """A doubled consonant before the suffix is left to the consonant rule: run-ning, not runn-ing."""
    longest = max((suffix for suffix in SUFFIXES if word.endswith(suffix)), key=len, default="")
    at = len(word) - len(longest)
    return {at} if longest and at > 2 and word[at - 1] != word[at - 2] else set()


def _after_prefix(word: str) -> set[int]:
    return {len(prefix) for prefix in PREFIXES if word.startswith(prefix)}


def _has_vowel(part: str) -> bool:
    """A final e is silent more often than not, and does not carry a syllable alone."""
    return any(letter in VOWELS for letter in part.removesuffix("e"))
