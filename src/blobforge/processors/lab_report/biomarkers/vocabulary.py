# ruff: noqa: RUF001 - Cyrillic words
"""Words in names that do not name an analyte: specimens, methods, shares, and what joins words."""

from typing import Literal, TypeVar

from blobforge.processors.lab_report.biomarkers.folding import fold
from blobforge.processors.lab_report.biomarkers.rows import Specimen

Share = Literal["percent", "absolute"]
Meaning = TypeVar("Meaning")


def _by_word(words: dict[Meaning, str]) -> dict[str, Meaning]:
    return {word: meaning for meaning, text in words.items() for word in fold(text).split()}


def _words(text: str) -> frozenset[str]:
    return frozenset(fold(text).split())


# As in "S-Glucose": serum, plasma, blood, with f for fasting; urine, urine of a day; stool.
LETTERS: dict[str, Specimen] = _by_word({"blood": "s p b fs fp vb sg", "urine": "u du", "stool": "st"})

SPECIMENS: dict[str, Specimen] = _by_word(
    {
        "blood": """
            serum plasma blood edta venous arterial capillary
            vollblut blut venös arteriell kapillär
            sérique plasmatique sang sanguin veineux
            suero sangre plasmático plasmática sérico sérica
            siero sangue sierico sierica plasmatico plasmatica
            сыворотка сыворотки сыворотке плазма плазмы плазме крови кровь
            сироватка сироватки сироватці плазмі кров
            """,
        "urine": """
            urine urinary urin harn urines urinaire urinaires orina urinario urinaria urinari urinarie
            моча мочи моче сеча сечі
            """,
        "stool": "stool feces faeces fecal faecal stuhl selles fécale heces feci fecale fecali кал кале калу калі",
        "other": """
            csf cerebrospinal saliva semen sperm ejaculate sweat synovial ascites ascitic pleural dialysate cord
            amniotic liquor speichel lcr lcs salive ликвор ликворе слюна слюне слина слині эякулят
            """,
    }
)

# Words that join others and name nothing. Not among them: the single letters of vitamins and troponins.
LINKS = _words(
    """
    in of the with and
    im der die das von
    en dans de des du la le les sur
    del el los las al
    di dei delle della dello nel nelle nella nei sulle
    в у из по на з за
    """
)

# How something was measured or told, where that does not change what was measured.
METHODS = LINKS | _words(
    """
    ifcc ngsp dcct hplc eclia ecl clia cmia elisa elfa eia icma cedia jaffe friedewald
    photometric photometry colorimetric colorimetry enzymatic turbidimetry turbidimetric nephelometry
    immunoturbidimetry flow cytometry automated analyzer analyser method assay test
    clauss estimation standardised standardized or
    calculated calc cal calculation estimated computed level levels value result count quantitative quant
    photometrisch enzymatisch kinetisch quantitativ nach berechnet ber rechnerisch errechnet bestimmung wert
    calculé calculée enzymatique quantitatif dosage taux
    calculado calculada enzimático cuantitativo cuantitativa recuento valor nivel determinación
    calcolato calcolata enzimatico quantitativo quantitativa conteggio dosaggio livello
    расчет расчетный расчетная расчетное количественно количественный
    метод методом уровень определение количество подсчет анализатор
    розрахунок розрахунковий розрахункова рівень визначення кількість
    """
)

SHARES: dict[str, Share] = _by_word(
    {
        "percent": """
            % percent percentage relative rel prozent relativ pourcentage porcentaje relativo relativa
            relativos percentuale процент процентное относительное относительные отн відносна відносний відн відсоток
            """,
        "absolute": """
            # abs absolute absolut absolutwert absolu absolus absolue absolues
            absoluto absoluta absolutos absolutas assoluto assoluta assoluti assolute ass
            абс абсолютное абсолютные абсолютна абсолютний
            """,
    }
)
