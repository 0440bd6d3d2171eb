# ruff: noqa: RUF001 - Cyrillic words, and all the dashes that are printed
"""Words of lab reports in seven languages: heads of columns, flags, results in words, labels of people."""

import re
from functools import cache

COLUMNS: dict[str, str] = {
    "name": (
        "test|tests|test name|test(s)|test description|test performed|name of test|lab test|laboratory test|"
        "investigation|"
        "investigations|analyte|parameter|parameters|examination|component|assay|analysis|determination|"
        "biomarker|marker|"
        "test items|item|description|measurement|procedure|profile|test parameter|"
        "untersuchung|untersuchungen|analyse|analysen|analyt|bezeichnung|messgröße|laborparameter|kenngröße|laborwert|"
        "analyses|examen|examens|paramètre|paramètres|désignation|dosage|dosages|libellé|"
        "prueba|pruebas|análisis|determinación|determinaciones|parámetro|parámetros|exámenes|analito|estudio|"
        "descripción|"
        "magnitud|nombre de la prueba|"
        "esame|esami|analisi|parametro|parametri|prestazione|prestazioni|determinazione|determinazioni|"
        "descrizione|analita|"
        "исследование|исследования|показатель|показатели|наименование|наименование теста|название теста|название|тест|"
        "тесты|анализ|анализы|параметр|параметры|компонент|наименование показателя|наименование исследования|"
        "дослідження|показник|показники|назва|назва дослідження|назва показника|назва тесту|аналіз|аналізи|"
        "найменування|"
        "параметри|тести|allergen|allergens|allergène|allergènes|alérgeno|alérgenos|allergene|allergeni|аллерген|"
        "аллергены|алерген|алергени|observation|клетки|клітини|zellen|cellule|cells"
    ),
    "value": (
        "result|results|value|values|observed value|your value|your result|current result|finding|findings|"
        "measured value|"
        "patient value|test result|result value|in range|out of range|en rango|fuera de rango|dentro de rango|"
        "nel range|fuori range|dans la norme|hors norme|observed|measured|reading|"
        "ergebnis|ergebnisse|wert|werte|messwert|messwerte|resultat|resultate|aktueller wert|"
        "résultat|résultats|valeur|valeur mesurée|valeur trouvée|"
        "resultado|resultados|valor|valor obtenido|valores|"
        "risultato|risultati|esito|esiti|valore|valore trovato|"
        "результат|результаты|значение|значения|найдено|получено|знайдено|отримано|рез-т|found|gefunden|hallado|"
        "ausserhalb|außerhalb|innerhalb|ausserhalb referenz|außerhalb referenz|innerhalb referenz|"
        "результати|значення|relativa|absoluta|relativo|absoluto|relativi|assoluti|relative|absolute|relativ|absolut"
    ),
    "unit": (
        "unit|units|uom|u/m|unit of measure|units of measure|measure unit|"
        "einheit|einheiten|maßeinheit|dimension|einh|"
        "unité|unités|unites|unite|"
        "unidad|unidades|uds|ud|unid|"
        "unità|unita|unità di misura|unita di misura|u.m|um|u. m|udm|u.d.m|unità misura|"
        "единицы|единица|ед. изм|ед.изм|единицы измерения|единица измерения|ед|ед. измерения|ед. из|единицы изм|"
        "одиниці|одиниця|од. вим|од.вим|одиниці виміру|одиниці вимірювання|од|одиниця виміру|од. виміру|од. вимірювання"
    ),
    "range": (
        "reference range|reference ranges|references ranges|reference interval|reference intervals|ref range|"
        "ref. range|"
        "ref.range|normal range|normal ranges|reference|references|reference value|reference values|normal value|"
        "normal values|bio. ref. interval|biological reference interval|biological reference intervals|"
        "biological ref. interval|bio ref interval|expected value|expected values|expected range|ref interval|"
        "ref. interval|reference limits|standard range|range|ranges|desirable range|biological reference range|"
        "ref. value|ref. values|ref|normal|normals|limits|normal limits|target range|bio. ref. range|"
        "referenzbereich|referenzbereiche|referenz|normbereich|normalbereich|referenzwert|referenzwerte|"
        "norm|normwert|normwerte|"
        "ref.-bereich|ref. bereich|ref.bereich|referenzintervall|zielbereich|sollwert|sollbereich|normalwert|"
        "normalwerte|"
        "valeurs de référence|valeur de référence|intervalle de référence|intervalles de référence|"
        "val. de réf|val. réf|"
        "référence|références|normes|norme|valeurs usuelles|valeurs normales|plage de référence|valeurs de reference|"
        "réf|bornes|intervalle|"
        "valores referenciales|valor referencial|rango referencial|"
        "valores de referencia|valor de referencia|rango de referencia|rangos de referencia|intervalo de referencia|"
        "intervalos de referencia|rango|rangos|referencia|referencias|v. referencia|valores normales|rango normal|"
        "intervalo biológico de referencia|val. ref|v. ref|v.ref|límites|valores ref|valor ref|rango ref|intervalo|"
        "intervalo biológico|"
        "valori di riferimento|intervallo di riferimento|intervalli di riferimento|riferimento|riferimenti|"
        "valori normali|"
        "rif|v.n|v. n|vn|val. rif|valori rif|v.r|limiti|limiti di riferimento|range di riferimento|"
        "valore di riferimento|"
        "intervallo di rif|intervallo rif|intervallo|valori riferimento|"
        "референсный|референтный|референсные|референтные|"
        "референсные значения|референсный интервал|референсные интервалы|референтные значения|норма|нормы|"
        "референсный диапазон|диапазон|нормальные значения|референс|реф. значения|границы нормы|реф. интервал|"
        "референтный интервал|референсные пределы|интервал|референсы|норм. значения|"
        "референтні значення|референсні значення|референтний інтервал|референсний інтервал|норми|нормальні значення|"
        "референтні межі|діапазон|реф. значення|межі норми|референтний діапазон|інтервал|референтні інтервали"
    ),
    "flag": (
        "flag|flags|abnormal|abn|abnormal flag|indicator|h/l|status|bewertung|markierung|kennz|anomalie|"
        "alerte|indicateur|"
        "alerta|indicador|alarma|segnalazione|allarme|флаг|отклонение|оценка|відхилення|оцінка|+/-|hinweis|"
        "stato|estado|"
        "statut|interpretation|interprétation|interpretación|interpretazione|заключение|висновок|alarm|статус"
    ),
    "method": (
        "method|methods|methodology|technique|methode|verfahren|méthode|método|técnica|metodo|метод|методика|analyzer|"
        "technology|testmethode"
    ),
    "previous": (
        "previous|previous result|previous results|prior result|prior|last result|previous value|historical|history|"
        "prev. result|vorwert|vorwerte|vorbefund|vorergebnis|antériorité|antériorités|antérieur|résultat antérieur|"
        "résultats antérieurs|valeurs antérieures|valeur antérieure|anterior|anteriores|resultado anterior|"
        "previo|previos|"
        "resultados anteriores|histórico|precedente|precedenti|valore precedente|risultato precedente|"
        "prec|préc|précédent|précédents|prev|antér|пред|попер|"
        "предыдущий результат|предыдущее|предыдущие|предыдущее значение|попередній результат|попереднє|попередні"
    ),
    "code": "code|код loinc|loinc|loinc code|test code|kode|código|codice|код|loinc-code|ebm|goä",
    "other": (
        "specimen|sample|sample type|lab|comment|comments|remark|remarks|notes|note|no|s.no|s. no|sr. no|"
        "sr.no|sl. no|date|"
        "material|probe|datum|kommentar|bemerkung|prélèvement|commentaire|commentaires|muestra|fecha|"
        "comentario|comentarios|"
        "observaciones|materiale|campione|data|commento|материал|биоматериал|дата|комментарий|матеріал|біоматеріал|"
        "коментар|№|n°|nr|nr.|class|classe|klasse|clase|класс|клас|obx|set|st|accreditation|source|проба|зразок"
    ),
    "low": "low|min|lower|lower limit|min.|mín|von|untergrenze|minimum|minimo|мин|мін|нижняя граница|нижня межа",
    "high": "high|max|upper|upper limit|max.|máx|bis|obergrenze|maximum|massimo|макс|верхняя граница|верхня межа",
}
"""By the kind of column; each spelling in small letters and without a full stop at its end."""

_FLAG_WORDS = """
    h l hh ll hi lo n a aa c ch cl high low hoch niedrig normal abnormal borderline critical crit panic elevated
    increased decreased erhöht erniedrigt grenzwertig élevé élevée bas basse haut haute augmenté diminué alto alta bajo
    baja elevado elevada disminuido basso bassa elevato ridotto aumentato diminuito выше ниже повышен понижен повышено
    понижено норма высокий низкий вище нижче підвищено знижено підвищений знижений високий низький в н abnl out wnl
"""
_TITRE = re.compile(r"[<>≤≥]?1[:/]\d{1,6}")
_FLAGS = frozenset(_FLAG_WORDS.split())
_OUTCOMES = re.compile(
    r"negative?|negativ[eo]?|négati[fv]e?|positive?|positiv[eo]?|positi[fv]e?|reactive|non-?reactive|"
    r"reaktiv|detected|undetected|absent[es]?|present[es]?|traces?|nil|none|clear|pale|yellow|gelb|klar|"
    r"отриц\w*\.?|полож\w*\.?|негатив\w*|позитив\w*|отсутств\w*|обнаруж\w*|відсутн\w*|виявлено|"
    r"normale?s?|clair|limpid[aoe]|nachweisbar|indetectable|rare|few|many|moderate|"
    r"pending|ausstehend|pendiente|выполняется|виконується|reactiv[aoe]s?|reatti[vz]\w*|assent[ei]|jaune|amarill[oa]|"
    r"giallo|paglierino|ж[её]лт\w*|соломен\w*|прозрач\w*|жовт\w*|прозор\w*|turbi[ao]|torbid[oa]|trüb|мутн\w*",
    re.IGNORECASE,
)

JOINERS = ("to", "bis", "à", "a", "al", "до", "по", "hasta", "e", "ad", "-")
OR = ("or", "o", "ou", "oder", "и", "і", "та", "and")
_OR_MORE_WORDS = """
    more higher above greater less lower más mayor menos plus moins mehr weniger più более выше більше вище
"""
OR_MORE = tuple(_OR_MORE_WORDS.split())
NUMBERED = ("n°", "nº", "n.º", "n.°", "№", "nr.", "no.", "iso")
HOURS = ("am", "pm", "a.m.", "p.m.", "uhr")
STARTERS = ("from", "von", "de", "entre", "da", "tra", "от", "від", "between", "zwischen", "с", "з", "dal")
_LIMIT_WORDS = """
    up below under above over less more greater lower higher bis unter über kleiner größer weniger mehr jusqu'à jusqu’à
    inf inférieur inférieure supérieur supérieure sup moins plus hasta menor mayor menos más inferior superior fino
    oltre minore maggiore inferiore superiore meno più sotto до менее более меньше больше не ниже выше менше більше
    понад нижче вище от від inf. sup. max max. min min. maximal minimal von mindestens almeno
"""
_UP_TO = frozenset(("up", "bis", "jusqu'à", "jusqu’à", "hasta", "fino", "до", "max", "max."))
LIMITS = tuple(_LIMIT_WORDS.split())
_BOUNDS = frozenset((*LIMITS, *STARTERS))
LIMIT_LINKS = (
    "to",
    "than",
    "de",
    "a",
    "di",
    "à",
    "чем",
    "ніж",
    "als",
    "que",
    "or",
    "equal",
    "igual",
    "égal",
    "égale",
    "uguale",
    "gleich",
    "равно",
    "o",
    "ou",
    "oder",
    "более",
    "больше",
    "менее",
    "ab",
)

_GRADES = re.compile(
    r"(?:(?:near|above|below|very|extremely|moderate(?:ly)?|mild(?:ly)?|severe(?:ly)?|high|low|average|half|double|no|"
    r"desirable|optimal|optimum|borderline|normal|abnormal|deficien\w+|insufficien\w+|sufficien\w+|toxic\w*|"
    r"intoxication|elevated|risk|level|levels|range|ranges|ideal|good|fair|poor|control|target|goal|"
    r"males?|females?|men|women|man|woman|boys?|girls?|adults?|children|child|infants?|newborns?|neonates?|pregnan\w+|"
    r"trimester|1st|2nd|3rd|first|second|third|fasting|follicular|luteal|ovulation|mid-?cycle|phase|post-?menopausal|"
    r"menopausal|pre-?diabet\w*|diabet\w*|non-?diabet\w*|adult|years?|yrs?|months?|days?|weeks?|pg|"
    r"sehr|hohe[srn]?|niedrige[srn]?|moderate[srn]?|mittlere[srn]?|risiko|kardiovask\w+|cardiov\w+|très|faible|modéré|risque|muy|moderado|molto|moderato|"
    r"männer|frauen|kinder|erwachsene|schwangere?|jahre|normwert|grenzwertig|erhöht|optimal|mangel|"
    r"hommes?|femmes?|enfants?|adultes?|ans|carence|souhaitable|élevé|"
    r"hombres?|mujeres?|niños?|adultos?|años|deficiencia|deseable|óptimo|l[íi]mite|alto|bajo|riesgo|"
    r"uomini|uomo|donne|donna|bambini|adulti|anni|carenza|desiderabile|ottimale|rischio|"
    r"мужчины|женщины|дети|взрослые|лет|дефицит|недостаток|норма|риск|беременн\w+|"
    r"чоловіки|жінки|діти|дорослі|рок\w+|год\w*|м[іе]сяц\w*|місяц\w*|дефіцит|ризик|вагітн\w+|"
    r"weeks?|wochen?|ssw|semaines?|semanas?|settimane|недел\w+|тижн\w+|moderadamente|embarazo|trimestre|1er|2º|3er|"
    r"\d+(?:\s?[-–]\s?\d+)?|старше|младше|до|від|от|à|a|m|f|w|h|м|ж|ч|of|or|and|to|in|the|for|category|category:|stage|grade|class|value|values|interpretation)[\s:/,.()-]*)+",
    re.IGNORECASE,
)
_NO_BIOMARKER = re.compile(
    r"(?:patient|sample|specimen|lab|report|order|account|registration|reg|bill(?:ing)?|invoice|visit|"
    r"page|phone|tel|fax|"
    r"mobile|age|sex|gender|date|dob|mrn|uhid|pid|id|barcode|ref|room|ward|bed|zip|copy|version|collected|"
    r"received|reported|"
    r"printed|height|weight|volume \(24|time|fasting hours|accession|npi|clia|dea|license|no(?=\s*[.:#\d]|$)|sr|sl|"
    r"auftrag\w*|alter|seite|geb\w*|eingang|ausgang|ausdruck|entnahme|plz|telefon|befund|proben\w*|größe|gewicht|"
    r"dossier|âge|né|née|prélev\w*|édit\w*|tél\w*|édité|demande|"
    r"edad|fecha|página|pág|hoja|nº|núm\.|número\s+de\s+(?:hist|pet|ord|soli|mues|doc|afil)\w*|historia|petición|teléfono|muestra|cip|nhc|"
    r"età|pagina|pag|nato|nata|richiesta|campione|accettazione|codice|telefono|"
    r"возраст|дата|страница|стр|заказ|заявка|номер|пол|телефон|тел|взятие|инз|лист|"
    r"вік|сторінка|стор|замовлення|стать|№|n°)\b[\s.:#№°]*(?:no|nr|id|number|name|nummer|n°|№|#|of|at|on|le|am|und)?\b",
    re.IGNORECASE,
)


_TECHNIQUE = re.compile(
    r"\b(?:m[eé]th?od\w*|met\.|метод\w*|techn\w+|técnica|\w*clia|c[lm]ia|elisa|elfa|hplc|fia|eia|ise|ecl|lc-?ms\w*|"
    r"\w*photo\w*|\w*foto\w+|\w+metr(?:y|ic|ie|ia|ía|o|ico)|\w+метр[іи]\w+|\w*enzym\w*|enzim\w*|ферментатив\w*|kinetic\w*|"
    r"cin[eé]ti\w*|кинетич\w*|кінетич\w*|impedan\w*|flow|calc(?!i)\w*|berechnet|calcul\w*|расч\w*|розрах\w*|\w*jaffe?|westergren|"
    r"panchenkov|electr\w+|elektro\w+|электро\w+|assay|analy[sz]er|serum|sérum|siero|suero|plasma|plasme|blood|urine|edta|"
    r"limit|comment\w*|note|\w*lumin\w*|\w*люмин\w*|\w*люмін\w*|[иі]фа|[еэи]хла?|іхла|\w{2,5}-?(?:pap|pod)|biuret|бiурет\w*|бі?иурет\w*|"
    r"hexokin\w*|hexoquin\w*|esochin\w*|гексок[иі]н\w*|uricas[ae]|ureas[ae]|clauss|spe[ck]tro\w*|late[xk]\w*|латекс\w*|"
    r"turbid\w*|nephelo\w*|nefelo\w*|sysmex|cobas|roche|abbott|siemens|beckman|architect|atellica|alinity|immunocap|advia)(?!\w)",
    re.IGNORECASE,
)


def is_technique(text: str) -> bool:
    """How, in what or with what it was measured: often printed below the name, and no part of it."""
    return _TECHNIQUE.match(text.lstrip(" (")) is not None


def speaks_of_technique(text: str) -> bool:
    return _TECHNIQUE.search(text) is not None


@cache
def is_flag(text: str) -> bool:
    return text.lower().strip("()[].:") in _FLAGS


_STATUS = re.compile(
    r"(?:in|above|below|out of|within|outside|over|under)\s+(?:the\s+)?(?:range|goal|normal|limits?|target)|"
    r"needs attention|im normbereich|dans la norme|hors norme|nella norma|dentro de rango|fuera de rango|"
    r"(?:выше|ниже|в пределах) нормы|(?:вище|нижче|у межах|в межах) норми",
    re.IGNORECASE,
)


def is_status(text: str) -> bool:
    """Whether a value is where it should be: a flag of a word or several."""
    return is_flag(text) or _STATUS.fullmatch(text.strip(" .")) is not None


@cache
def is_outcome(text: str) -> bool:
    """A result in a word, such as negative."""
    return _OUTCOMES.fullmatch(text.strip("().,:;")) is not None


def is_outcomes(text: str) -> bool:
    """Nothing but results in words, or a titre."""
    words = text.split()
    return bool(words) and all(is_outcome(word) or _TITRE.fullmatch(word) for word in words)


def is_value_head(name: str) -> bool:
    """Where the value is labelled (Result: 5.1), the name stands elsewhere."""
    return name.lower().strip(" .:") in COLUMNS["value"].split("|")


@cache
def kind_of_head(text: str) -> str | None:
    """What a column with this head holds; None for a head that is not known."""
    bare = text.lower().strip(" .:")
    return next((kind for kind, spellings in COLUMNS.items() if bare in spellings.split("|")), None)


def is_bound(word: str) -> bool:
    """What stands before a limit or a range: up to, less than, from."""
    return word.lower() in _BOUNDS


def ends_range(word: str) -> bool:
    """Up to: never said of what was measured, as less than is."""
    return word.lower() in _UP_TO


def is_range_head(name: str) -> bool:
    return name.lower().strip(" .:") in COLUMNS["range"].split("|")


_QUOTIENT = re.compile(
    r"\b(?:ratio|rapporto|rapport|quotient|index|indice|índice|cociente|score|индекс|індекс|соотношение|співвідношення|"
    r"коэффициент|коефіцієнт)\b",
    re.IGNORECASE,
)


def names_quotient(name: str) -> bool:
    """What has no unit, and often no range."""
    return _QUOTIENT.search(name) is not None


def is_same_again(name: str) -> bool:
    """What stands before the same result in another unit."""
    return name.lower().strip(" .:") in ("soit", "bzw", "entspricht", "i.e", "equivale a", "pari a", "que equivale a")


def is_grade(name: str) -> bool:
    """A step of a scale (desirable, borderline) or a group of people, which stands before a limit and names no test."""
    return _GRADES.fullmatch(name.strip()) is not None and any(map(str.isalpha, name))


_PLACE = re.compile(
    r"\b(?:laborator\w+|hospital|ospedale|h[ôo]pital|klinik\w*|clinic|medical cent(?:er|re)|health|services|limited|"
    r"ltd|gmbh|s\.r\.l|tel|fax|ave|avenue|street|road|rd|strasse|straße|via|calle|rue|ул|вул)\b\.?",
    re.IGNORECASE,
)


def names_place(name: str) -> bool:
    """A laboratory, a house or a street."""
    return _PLACE.search(name) is not None


def is_administrative(name: str) -> bool:
    """What labels a number that was not measured: an age, an order, a page."""
    return _NO_BIOMARKER.match(name.strip()) is not None
