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
LETTERS: dict[str, Specimen] = _by_word({"blood": "s p b fs fp vb sg srm", "urine": "u du", "stool": "st"})

SPECIMENS: dict[str, Specimen] = _by_word(
    {
        "blood": """
            serum plasma blood edta venous arterial capillary
            vollblut blut venös arteriell kapillär
            sérique plasmatique sang sanguin sanguine sanguins sanguines veineux veineuse
            suero sangre plasmático plasmática sérico sérica sanguíneo sanguínea
            siero sangue sierico sierica plasmatico plasmatica
            сыворотка сыворотки сыворотке сывороточный плазма плазмы плазме крови кровь венозная венозной
            сироватка сироватки сироватці сироватковий плазмі кров крові венозна венозної
            """,
        "urine": """
            urine urinary urin harn urines urinaire urinaires orina urinario urinaria urinari urinarie
            spontanurin morgenurin mittelstrahlurin ur sediment sédiment sedimento
            осадок осадке осад осаді
            моча мочи моче сеча сечі
            """,
        "stool": "stool feces faeces fecal faecal stuhl selles fécale heces feci fecale fecali кал кале калу калі",
        "semen": """
            semen sperm ejaculate ejakulat seminalplasma éjaculat sperme eyaculado eiaculato seminal seminale
            эякулят эякулята эякуляте еякулят еякуляту еякуляті
            """,
        "other": """
            csf cerebrospinal saliva sweat synovial ascites ascitic pleural dialysate cord
            amniotic liquor speichel lcr lcs salive ликвор ликворе слюна слюне слина слині
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
    di dei delle della dello dell nel nelle nella nell nei sulle
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
    enzymic kinetic chemiluminescence electrochemiluminescence equation formula by spot random trough
    hexokinase uricase urease gpo pod pap cho chod god trinder biuret bcg ise ict diazo uv naf lc ms icp
    est abbreviated observation sec titer titre lvl auto qnt qn reflex
    calculated calc cal calculation estimated computed level levels value result count quantitative quant
    photometrisch enzymatisch enzym mittels kinetisch quantitativ nach berechnet ber rechnerisch errechnet
    bestimmung wert
    standardisiert sek formel methode talspiegel chemilumineszenz elektrochemilumineszenz
    calculé calculée calcul enzymatique quantitatif dosage taux valeur par
    standardisé standardisée selon formule méthode fluoré titre résiduel chimiluminescence électrochimiluminescence
    calculado calculada enzimático cuantitativo cuantitativa recuento valor nivel determinación mediante
    estandarizado estandarizada según fórmula método título valle uricasa ureasa
    quimioluminiscencia electroquimioluminiscencia
    calcolato calcolata enzimatico quantitativo quantitativa conteggio dosaggio livello riflesso
    standardizzato standardizzata secondo formula metodo valore val titolo chemiluminescenza elettrochemiluminescenza
    расчет расчетный расчетная расчетное количественно количественный
    показатель фридвальда фридвальду фридевальда фридевальду
    стандартизованный формула формуле ифа ихла имхл хемилюминесценция
    число кол во сек титр яффе ортофенантролиновый тест метод методом уровень определение количество подсчет анализатор
    розрахунок розрахунковий розрахункова рівень визначення кількість кількісний кількісно
    формулою формула стандартизований іфа іхла показник фрідвальда фрідевальда
    """
)

# What a name means anyway when it does not say it: all of something, and before a meal or a stimulus. Passed over only
# when nothing else finds the name: "Glucose nüchtern" and "CO2 total" are things of their own.
TOTALS = _words(
    """
    total tot gesamt gesamte ges totale totaux totales totali
    общий общая общее общие общ суммарный суммарные загальний загальна загальне загальні заг сумарний сумарні
    """
)
BASALS = _words("fasting basal basale nüchtern jeun ayunas digiuno натощак базальный натще базальний")

# Beside one of these a word for the total belongs to another name: "Bilirubin total direct".
FRACTIONS = _words(
    """
    free direct indirect conjugated unconjugated ionized ionised corrected adjusted bound active bioavailable
    frei freies freie direkt indirekt konjugiert unkonjugiert ionisiert korrigiert aktiv
    libre libres directe indirecte conjuguée ionisé corrigé corrigée active biodisponible
    directa indirecta conjugada iónico ionizado corregido activa
    libero libera diretta indiretta coniugata ionizzato corretto attiva
    свободный прямой непрямой связанный ионизированный вільний прямий непрямий іонізований
    hdl ldl vldl non no не лпвп лпнп лпонп лпвщ лпнщ лпднщ
    """
)

# A result in two numbers, one over the other: "Rapport A/B", "A/B ratio".
RATIOS = _words(
    """
    ratio quotient rapport rapporto cociente relación razón índice indice index
    отношение соотношение индекс співвідношення відношення індекс
    """
)

CLASSES = frozenset(("igg", "igm", "iga"))
# "Borrelia IgG antibodies": with the class beside it the word says nothing new.
ANTIBODIES = _words(
    """
    anti ab abs ak ac antibody antibodies antikörper anticorps anticuerpo anticuerpos anticorpi anticorpo
    class classe clase klasse serology serologie sérologie serología sierologia
    антитела ат к ко класса класс серология антитіла до класу клас серологія
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
