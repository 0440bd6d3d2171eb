"""How printed names are read: what is the name itself, and what speaks of specimen, method or share."""

import re
import unicodedata
from typing import Literal, NamedTuple

from blobforge.processors.lab_report.biomarkers.rows import Specimen

Share = Literal["percent", "absolute"]

_MARKS = re.compile("[\u0300-\u036f\u00ad]+")
_GREEK = re.compile("[αβγδκλμω]")
_GREEK_NAMES = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "κ": "kappa", "λ": "lambda", "μ": "u", "ω": "omega",
}  # fmt: skip
_TOKEN = re.compile(r"[^\W_]+|[%#+]+")
_BRACKETS = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]?")
_SEPARATORS = re.compile(r"[,;/|:=]|\s[-–—]\s")

# Which letters of the two alphabets look alike: reports mix them within one abbreviation.
_CYRILLIC, _LATIN = "авекмнорстухі", "abekmhopctyxi"
_TO_LATIN = str.maketrans(_CYRILLIC, _LATIN)
_TO_CYRILLIC = str.maketrans(_LATIN, _CYRILLIC)
_OTHER_CYRILLIC = re.compile(f"(?![{_CYRILLIC}])[а-яёіїєґ]")
_OTHER_LATIN = re.compile(f"(?![{_LATIN}])[a-z]")
_ANY_CYRILLIC, _ANY_LATIN = re.compile("[а-яёіїєґ]"), re.compile("[a-z]")


class Reading(NamedTuple):
    """A printed name. `attempts` are its tokens, first all of them, then without what does not name the analyte."""

    attempts: tuple[tuple[str, ...], ...]
    specimen: Specimen | None
    share: Share | None
    ordered: bool


def fold(text: str) -> str:
    """Without case and accents; works on one name as on a whole file."""
    text = _MARKS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return _GREEK.sub(lambda letter: _GREEK_NAMES[letter[0]], text)


def tokens_of(folded: str) -> list[str]:
    return _TOKEN.findall(folded)


def parts_of(name: str) -> tuple[str, ...]:
    """What stands outside of brackets, and each bracket."""
    outside = _BRACKETS.sub(" ", name)
    return tuple(part for part in (outside, *_BRACKETS.findall(name)) if part.strip())


def pieces_of(part: str) -> tuple[str, ...]:
    return tuple(piece for piece in _SEPARATORS.split(part) if piece.strip())


def is_ordered(folded: str) -> bool:
    """Whether the order of the words matters: LDL/HDL is not HDL/LDL."""
    return "/" in folded


def read(name: str) -> Reading:
    folded = fold(name)
    tokens = [_one_script(token) for token in tokens_of(folded)]
    named, specimen = _without_specimen(tokens)
    plain = [token for token in named if token not in METHODS]
    bare = [token for token in plain if token not in SHARES]
    share = next((SHARES[token] for token in plain if token in SHARES), None)
    attempts = dict.fromkeys(tuple(attempt) for attempt in (tokens, named, plain, bare))
    return Reading(tuple(attempts), specimen, share, is_ordered(folded))


def look_alike(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The same in Latin letters where a token is Cyrillic by its letters only (НСТ for HCT)."""
    return tuple(token if _OTHER_CYRILLIC.search(token) else token.translate(_TO_LATIN) for token in tokens)


def _one_script(token: str) -> str:
    if token.isascii() or not (_ANY_LATIN.search(token) and _ANY_CYRILLIC.search(token)):
        return token
    if not _OTHER_CYRILLIC.search(token):
        return token.translate(_TO_LATIN)
    return token if _OTHER_LATIN.search(token) else token.translate(_TO_CYRILLIC)


def _without_specimen(tokens: list[str]) -> tuple[list[str], Specimen | None]:
    """Two different specimens in one name ("blood in urine") are left where they are."""
    named, said = _without_letters(tokens)
    said |= {SPECIMENS[token] for token in named if token in SPECIMENS}
    if len(said) != 1:
        return tokens, None
    return [token for token in named if token not in SPECIMENS and token not in LINKS], said.pop()


def _without_letters(tokens: list[str]) -> tuple[list[str], set[Specimen]]:
    """Leading "S-", "U-" and the German ending "i.S." (im Serum)."""
    if len(tokens) > 2 and tokens[-2] == "i" and tokens[-1] in LETTERS:
        return tokens[:-2], {LETTERS[tokens[-1]]}
    if len(tokens) > 1 and tokens[0] in LETTERS:
        return tokens[1:], {LETTERS[tokens[0]]}
    return tokens, set()


LETTERS: dict[str, Specimen] = {
    "s": "blood", "p": "blood", "b": "blood", "fs": "blood", "fp": "blood", "vb": "blood", "u": "urine", "du": "urine",
    "st": "stool",
}  # fmt: skip

# Folded, like all words below: й is и, ё is е, ї is і.
_SPECIMEN_WORDS: dict[Specimen, str] = {
    "blood": """serum plasma blood edta seric serique plasmatique sang sanguin suero sangre plasmatico plasmatica serico
        serica siero sangue sierico sierica vollblut blut serumplasma venous venos venose arterial capillary сыворотка
        сыворотки сыворотке сыворот плазма плазмы плазме крови кровь сироватка сироватки сироватці плазмі кров""",
    "urine": """urine urines urin urinary urinaire urinaires harn orina urinario urinaria urinari urinarie моча мочи моче
        сеча сечі""",
    "stool": """stool feces faeces fecal faecal stuhl selles fecale heces fecal feci fecali кал кале калу калі""",
    "other": """csf liquor liquorproben lcr lcs cerebrospinal saliva speichel salive semen sperm ejaculate sweat synovial
        ascites ascitic pleural dialysate cord amniotic ликвор ликворе слюна слюне слині эякулят""",
}
SPECIMENS: dict[str, Specimen] = {
    word: specimen for specimen, words in _SPECIMEN_WORDS.items() for word in words.split()
}

# Words that join others and name nothing.
LINKS = frozenset(
    """in im i of the en dans de del dei delle della dello des du la le les el los las di der die das von nel nelle nella
    nei sulle sur a al with and в у из по на з за""".split()
)

# How something was measured or told, where that does not change what was measured.
METHODS = LINKS | frozenset(
    """ifcc ngsp dcct hplc eclia ecl clia cmia elisa elfa eia icma cedia photometric photometry colorimetric colorimetry
    enzymatic jaffe turbidimetry turbidimetric nephelometry immunoturbidimetry flow cytometry automated analyzer analyser
    calculated calc calculation estimated computed friedewald level levels value result test assay count quantitative
    quant method photometrisch berechnet ber rechnerisch errechnet bestimmung wert konzentrationswert calcule calculee
    calc dosage taux calculado calculada calc recuento valor nivel determinacion calcolato calcolata conteggio dosaggio
    livello расчет расчетный расчетная расчетное метод методом уровень содержание концентрация определение количество
    подсчет розрахунок розрахунковий розрахункова рівень вміст концентрація визначення кількість кильк анализатор""".split()
)

_SHARE_WORDS: dict[Share, str] = {
    "percent": """% percent percentage pct prozent relative relativ rel pourcentage porcentaje percentuale relativo relativa
        relativos процент процентное относительное относительные отн відносна відносний відн відсоток""",
    "absolute": """# abs absolute absolut absolu absolus absolue absolues absoluto absoluta absolutos absolutas assoluto
        assoluta assoluti assolute ass абс абсолютное абсолютные абсолютна абсолютний absolutwert""",
}
SHARES: dict[str, Share] = {word: share for share, words in _SHARE_WORDS.items() for word in words.split()}
