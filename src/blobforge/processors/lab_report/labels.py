# ruff: noqa: RUF001 - Cyrillic words, and all the dashes that are printed
"""Labels of a report's head in seven languages: who a name belongs to, and which date is a birthday."""

import re
from collections.abc import Iterator

_KINDS: dict[str, str] = {
    "birth": (
        r"d\.?\s?o\.?\s?b\.?|date\s+of\s+birth|birth\s?date|birthday|born(?:\s+on)?|birth|"
        r"geb\.?-?\s?dat(?:um|\.)?|geburtsdatum|geburtstag|geb(?:oren)?\.?(?:\s+am)?|"
        r"(?:patiente?\s+)?née?\s*(?:\(e\)\s*)?le|né\(e\)\s+le|date\s+de\s+naissance|d\.?d\.?n\.?|naissance|"
        r"date\s+naiss\.?|"
        r"fecha\s+(?:de\s+)?nac(?:imiento|\.)?|f\.?\s?(?:de\s+)?nac(?:imiento|\.)?|fec\.?\s?nac\.?|"
        r"nacid[oa](?:\s+el)?|nacimiento|fn|"
        r"data\s+di\s+nascita|nat[oa](?:/[ao])?\s+(?:a\s+[^\d:]{2,40}?\s+)?il|nat[oa]\s*(?:\(a\))?\s+il|data\s+nascita|nascita|"
        r"дата\s+рождения|д\.?\s?р\.?|д/[рн]|дата\s+рожд\.?|родил(?:ся|ась)|рожд\.?|"
        r"дата\s+народження|д\.?\s?н\.?|народж(?:ений|ена|\.)?|народи(?:вся|лася)|дата\s+народж\.?"
    ),
    "surname": (
        r"(?:patient(?:'s)?\s+)?(?:sur\s?name|last\s?name|family\s?name)|nach\s?name|familien\s?name|zu\s?name|"
        r"nom\s+de\s+famille|nom\s+(?:de\s+naissance|d'usage|usuel|patronymique)|apellidos?|primer\s+apellido|"
        r"cognome|фамилия|прізвище"
    ),
    "given": (
        r"(?:patient(?:'s)?\s+)?(?:first|given|fore|other)\s?names?(?:\(s\))?|vor\s?namen?|rufname|prénoms?|prenoms?|"
        r"nombre\s+de\s+pila|"
        r"имя,?\s+(?:и\s+)?отчество|ім['’ʼ`]?я,?\s+(?:та\s+)?по\s+батькові|имя(?!\s+пац)|ім['’ʼ`]?я(?!\s+пац)"
    ),
    "patronymic": r"отчество|по\s+батькові|middle\s+name",
    "surname_first": (
        r"last,\s*first(?:\s+name)?|last\s?name,?\s*(?:and|/|&)?\s*first\s?name|surname,?\s*(?:and|/|&)?\s*(?:given|first)?\s?name|"
        r"name,\s*vorname|nachname,?\s*(?:und|/)?\s*vorname|familienname,?\s*vorname|nom\s*(?:et|,|/|-)?\s*prénoms?|"
        r"apellidos?\s*(?:y|,|/)?\s*nombres?|cognome\s*(?:e|,|/)?\s*nome|"
        r"фамилия,\s*и\.?,\s*о\.?|прізвище,\s*і\.?,\s*б\.?|ф\.?\s?и\.?\s?о\.?(?:\s+пациента)?|п\.?\s?і\.?\s?б\.?(?:\s+пацієнта)?|фамилия,?\s+имя(?:,?\s+отчество)?(?:\s+(?:пациента|больного|реб[её]нка))?|"
        r"прізвище,?\s+ім['’ʼ`]?я(?:,?\s+по\s+батькові)?(?:\s+(?:пацієнта|хворого|дитини))?"
    ),
    "given_first": (
        r"vor-?\s*(?:und|/)\s*nachname|prénoms?\s*(?:et|,|/)?\s*nom|nombres?\s*(?:y|/)\s*apellidos?|"
        r"nome\s*(?:e|/)\s*cognome|"
        r"first\s*(?:and|&|/)\s*last\s?name|full\s+name|имя\s*,?\s*(?:и\s+)?фамилия|ім['’ʼ`]?я\s*(?:та|і)\s*прізвище"
    ),
    "name": (
        r"patient/in|patient\(in\)|patient\(e\)|patient(?:'s)?(?:\s+(?:full\s+)?name)?|name\s+of\s+(?:the\s+)?patient|name|pt\.?\s+name|pat\.(?!-)|(?:befund|bericht)\s+für|(?:report|results?)\s+for|prepared\s+for|participant|child(?:'s\s+name)?|client(?:\s+name)?|"
        r"patient(?:in|en)?(?:-?\s?name)?|patient/in|patient\(in\)|name\s+d(?:es|er)\s+patient(?:en|in)|"
        r"patiente?|nom\s+d(?:u|e\s+la)\s+patiente?|nom|"
        r"paciente|nombre(?:\s+del?\s+(?:la\s+)?paciente)?|nombre\s+completo|"
        r"paziente|nome(?:\s+d(?:el|ella)\s+paziente)?|nominativo|assistito|sig(?:\.ra|\.)?|"
        r"дитина|реб[её]нок|пациент(?:ка)?|имя\s+пациента|пацієнт(?:ка)?|ім['’ʼ`]?я\s+пацієнта|клиент"
    ),
    "heading": (
        r"patient\s+(?:details|information|info|data|demographics)|patient(?:en)?daten|"
        r"informations?\s+(?:du\s+)?patient|"
        r"datos\s+del\s+paciente|dati\s+(?:del\s+)?paziente|данные\s+пациента|дані\s+пацієнта"
    ),
    "doctor": (
        r"ref(?:erred|erring|\.)?\s*(?:by|doctor|physician|dr\.?|consultant)?|(?:ordering|referring|"
        r"requesting|attending|primary)?\s*"
        r"(?:physician|doctor|provider|clinician|consultant|practitioner)(?:\s+(?:name|details|id))?|"
        r"ordered\s+by|requested\s+by|"
        r"validated\s+by|verified\s+by|approved\s+by|authori[sz]ed\s+by|signed\s+by|reported\s+by|"
        r"reviewed\s+by|pathologist|"
        r"(?:lab(?:oratory)?\s+)?director|technician|collected\s+by|checked\s+by|"
        r"(?:einsender|(?:behandelnder?\s+|überweisender?\s+|anfordernder?\s+|zuweisender?\s+)?(?:arzt|"
        r"ärztin)|hausarzt|validiert|"
        r"freigegeben|befundet|laborleiter\w*|laborarzt|zuweiser|auftraggeber)(?:\s+(?:von|durch))?|"
        r"prescripteur|prescrit\s+par|médecin(?:\s+(?:prescripteur|traitant))?|validé\s+par|biologiste|docteur|"
        r"(?:médico|doctor[a]?|facultativo|solicitante|peticionario)(?:\s+(?:solicitante|peticionario))?|"
        r"validado\s+por|"
        r"solicitado\s+por|firmado\s+por|responsable|"
        r"medico(?:\s+(?:curante|richiedente|prescrittore))?|richiedente|validato\s+da|firmato\s+da|"
        r"dottor(?:e|essa)?|direttore\w*|"
        r"(?:лечащий\s+|направивший\s+)?врач(?:\s+\w+)?|направил|заказчик|исполнитель|лаборант|заведующ\w+|подпись|"
        r"(?:лікуючий\s+)?лікар(?:\s+\w+)?|направив|виконавець|завідувач\w*|замовник|лаборант"
    ),
    "other": (
        r"age(?:\s*/\s*(?:sex|gender))?|sex(?:\s+at\s+birth)?(?:\s*/\s*age)?|gender|alter|geschlecht|âge|sexe|edad|sexo|età|"
        r"sesso|возраст|пол|вік|стать|"
        r"(?:patient|pt|lab|sample|specimen|order|report|account|client|visit|case|reg(?:istration)?|bill|"
        r"accession|request)\.?\s*"
        r"(?:id|no|number|nr|#|code)\.?|mrn|uhid|pid|id|address|phone|tel|telephone|mobile|email|"
        r"(?:date|time)?\s*(?:of\s+)?(?:collected|collection|received|reported|report|registered|printed|"
        r"sample|drawn)(?:\s+(?:date|on|at|time|status))?|"
        r"date|adresse|anschrift|auftrag\w*\.?|eingang|entnahme|ausdruck|proben\w*|versicher\w*|krankenkasse|"
        r"kasse|station|"
        r"dossier|prélev\w*(?:\s+le)?|édité(?:\s+le)?|adresse|n°\s*\w*|nir|"
        r"(?:nº|núm|num|n\.?º)\s*(?:de\s+)?\w*|historia(?:\s+clínica)?|dni|nif|cip|nhc|petición|"
        r"fecha(?:\s+\w+){0,3}|dirección|teléfono|muestra|"
        r"centro|servicio|procedencia|codice\s+fiscale|c\.?f\.?|residenza|indirizzo|data(?:\s+\w+){0,2}|"
        r"richiesta|campione|accettazione|"
        r"дата(?:\s+\w+){0,3}|номер(?:\s+\w+)?|адрес|телефон|инз|заказ|заявка|полис|снилс|организация|отделение|"
        r"адреса|замовлення|установа|відділення|ward|room|location|facility|hospital|clinic|laboratory|"
        r"insurance|branch|fasting|status|"
        r"company|organization|ethnicity|race|species|height|weight|passport|nationality|email"
    ),
}
_MATCHERS = {kind: re.compile(rf"(?:{pattern})", re.IGNORECASE) for kind, pattern in _KINDS.items()}
_ORDER = (
    "birth",
    "heading",
    "surname_first",
    "given_first",
    "surname",
    "given",
    "patronymic",
    "doctor",
    "other",
    "name",
)
_LABEL = re.compile(
    "|".join(rf"(?P<{kind}>(?<![^\W_]){_MATCHERS[kind].pattern})" for kind in _ORDER).join(("(?:", ")"))
    + r"(?![^\W_])(?P<colon>\s*[.:：=]+\s*|\s*$)?",
    re.IGNORECASE,
)

REMARK = re.compile(r"\s*\([^)]*\)")
_LABEL_WORDS = 3


def labels_in(cell: str) -> "Iterator[re.Match[str]]":
    """Labels with a colon, and one that begins the cell; birthdays need none."""
    for match in _LABEL.finditer(cell):
        with_colon = bool((match["colon"] or "").strip())
        kind = kind_of(match)
        # PID-5 Name: a short label may end in the word that counts.
        ends_label = match.end() == len(cell) and len(cell.split()) <= _LABEL_WORDS
        if with_colon or match.start() == 0 or ends_label or kind in ("birth", "heading"):
            yield match


def begins_with_birth(text: str) -> bool:
    match = _LABEL.match(text)
    return match is not None and match["birth"] is not None


def kind_of(match: "re.Match[str]") -> str:
    return next(kind for kind in _ORDER if match[kind] is not None)


def is_label(text: str) -> bool:
    """One label or several, perhaps with a remark in brackets: Date of birth (DD.MM.YYYY) / Sex."""
    rest = REMARK.sub("", text).strip()
    match = _LABEL.match(rest)
    while match is not None and match.end() > 0:
        if (match["colon"] or "").strip():
            return True
        rest = rest[match.end() :].lstrip(" /,&·|-")
        if not rest:
            return True
        match = _LABEL.match(rest)
    return False
