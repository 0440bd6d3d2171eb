"""Languages by tesseract's names: which one a text is in, told by its small words, and which can stand in for it."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

_SMALL_WORDS = {
    "eng": "the and of to in is that it was for with as his on be at by this had not are but from or have which",
    "deu": "der die und das ist nicht mit den von zu sich auf ein eine dem des für im auch als wird sind oder bei wie",
    "fra": "le la les des et est une du dans que pour qui sur pas par plus avec ce il elle sont au aux ne leur",
    "spa": "el la los las que en una por con para del se es como más pero su al lo y fue son este entre",
    "ita": "il che di la una per con non sono del della le gli è nel alla dei si anche come più ma dal questo",
    "por": "o que de uma para com não os as do da em se por mais como foi ao dos das um são pela também",
    "nld": "de het een van en in is dat op te zijn met voor niet aan er ook als bij door wordt deze naar om",
    "swe": "och att det som en på är av för med den till inte har de ett om var sig från kan när eller",
    "dan": "og at det som en på er af for med den til ikke har de et om var sig fra kan når eller blev",
    "nor": "og å det som en på er av for med den til ikke har de et om var seg fra kan når eller ble",
    "fin": "ja on ei se että oli hän mutta kun niin joka ovat myös kuin sen tai hänen ole vain jos",
    "pol": "i w na z się nie do to że jest od po jak przez ale dla przy jego są oraz tym który być",
    "ces": "a je se na v že s z do to o jako ale za by pro po který jeho jsou od byl podle nebo",
    "hun": "a az és hogy nem is egy van volt ez de csak meg már mint kell el vagy még ki azt",
    "ron": "și de la în cu o nu este pe că mai din care pentru un să sunt se prin fost ale",
    "tur": "ve bir bu için ile da de olarak çok daha gibi olan ne ki o en sonra kadar değil her",
}
_KNOWN = {language: frozenset(words.split()) for language, words in _SMALL_WORDS.items()}
_SCRIPTS = {
    "Latin": tuple(_SMALL_WORDS),
    "Cyrillic": ("rus", "ukr", "bul", "srp", "bel", "mkd"),
    "Greek": ("ell",),
    "Hebrew": ("heb",),
    "Arabic": ("ara", "fas", "urd"),
    "Han": ("chi_sim", "chi_tra", "jpn"),
    "Japanese": ("jpn",),
    "Hangul": ("kor",),
    "Korean": ("kor",),
    "Devanagari": ("hin", "mar", "nep"),
    "Bengali": ("ben",),
    "Tamil": ("tam",),
    "Thai": ("tha",),
    "Georgian": ("kat",),
    "Armenian": ("hye",),
}
"""Languages by the names that tesseract gives to their scripts, the most likely first."""
_NO_LANGUAGES = frozenset({"osd", "equ", "snum"})
_WORD = re.compile(r"[^\W\d_]+")
_MOST = 3_000
_FEWEST = 8
"""Small words that must be there to tell."""
_SHARE = 0.08
_AHEAD = 1.3

LANGUAGE_MISSING = "ocr_language_missing"
"""The code of a page that was read in another language than its own, which is not installed."""
LATIN = "Latin"
USUAL = "eng"


def language_of(texts: Iterable[str]) -> str:
    """The language whose small words are by far the most frequent; empty when none is."""
    words = _words(texts)
    if not words:
        return ""
    counts = {language: sum(words[word] for word in small) for language, small in _KNOWN.items()}
    (best, most), (_, second) = Counter(counts).most_common(2)
    is_clear = most >= max(_FEWEST, _SHARE * words.total()) and most >= _AHEAD * second
    return best if is_clear else ""


def _words(texts: Iterable[str]) -> Counter[str]:
    words: Counter[str] = Counter()
    for text in texts:
        words.update(_WORD.findall(text.lower()))
        if words.total() > _MOST:
            break
    return words


def readable(installed: Iterable[str]) -> list[str]:
    """Those of tesseract's data that are languages, the usual one first."""
    return sorted(set(installed) - _NO_LANGUAGES, key=lambda name: (name != USUAL, name))


def in_script(script: str, languages: Collection[str]) -> list[str]:
    return [language for language in _SCRIPTS.get(script, ()) if language in languages]


def likeliest_in(script: str) -> str:
    """Empty for a script that nobody here knows."""
    return _SCRIPTS.get(script, ("",))[0]


def usable(wanted: Sequence[str], installed: Collection[str]) -> tuple[str, ...]:
    """Those that are there; where none is, another one in the same script, which reads most of the letters."""
    there = tuple(language for language in wanted if language in installed)
    if there or not wanted:
        return there
    for languages in _SCRIPTS.values():
        if wanted[0] in languages:
            return tuple(language for language in languages if language in installed)[:1]
    return ()
