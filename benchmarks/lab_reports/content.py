# ruff: noqa: RUF001 - Cyrillic words, and all the dashes that are printed
"""What the reports say: invented people and results, in seven languages."""

from typing import NamedTuple


class Result(NamedTuple):
    """A value and its limits with a decimal point; `low` or `high` may be missing. `flag` is H, L or nothing."""

    name: str
    value: str
    unit: str
    low: str
    high: str
    flag: str = ""


class Tongue(NamedTuple):
    """How a language prints a report. `head` are the columns: name, value, unit, range, flag, previous."""

    code: str
    mark: str
    thousands: str
    head: tuple[str, str, str, str, str, str]
    joiner: str
    upto: str
    person: tuple[tuple[str, ...], ...]
    first: str
    second: str
    birthday: str
    """As dd.mm.yyyy."""
    doctor: str
    titles: tuple[str, str]
    remark: str
    results: tuple[Result, ...]
    in_words: tuple[str, str, str]


def _results(text: str) -> tuple[Result, ...]:
    return tuple(Result(*(part.strip() for part in line.split("|"))) for line in text.strip().splitlines())


ENGLISH = Tongue(
    code="en",
    mark=".",
    thousands=",",
    head=("Test", "Result", "Units", "Reference Range", "Flag", "Previous"),
    joiner="to",
    upto="up to",
    person=(
        ("Patient Name: {first} {second}", "Date of Birth: {month:%m/%d/%Y} (collected {late:%m/%d/%Y})"),
        ("Patient: {second}, {first}", "DOB: {day:%d-%b-%Y}"),
        ("Last Name: {second}", "First Name: {first}", "Birth Date: {day:%Y-%m-%d}"),
    ),
    first="Laura",
    second="Whitfield",
    birthday="17.09.1982",
    doctor="Referring Physician: Dr. Samuel Okoro",
    titles=("HAEMATOLOGY", "Clinical Chemistry"),
    remark="Comment: values should be read together with the history of the patient; 2 of 14 are out of range today.",
    results=_results("""
        Haemoglobin | 13.4 | g/dL | 12.0 | 15.5
        White Blood Cells | 11.9 | x10^9/L | 4.0 | 11.0 | H
        Platelets | 243 | 10^9/L | 150 | 400
        MCV | 88.1 | fL | 80 | 100
        Neutrophils | 58.2 | % | 40 | 75
        Neutrophils | 4.31 | 10^3/uL | 2.0 | 7.5
        Glucose, fasting | 5.1 | mmol/L | 3.9 | 5.6
        Creatinine | 78 | umol/L | 45 | 90
        eGFR | 92 | mL/min/1.73m2 | 60 |
        Total Cholesterol | 5.9 | mmol/L | | 5.0 | H
        Vitamin B12 | 312 | pg/mL | 197 | 771
        25-OH Vitamin D | 18.6 | ng/mL | 30 | 100 | L
        TSH | 2.14 | mIU/L | 0.4 | 4.0
        C-Reactive Protein | 0.7 | mg/L | | 5.0
    """),
    in_words=("HBsAg", "Negative", "Negative"),
)
GERMAN = Tongue(
    code="de",
    mark=",",
    thousands=".",
    head=("Parameter", "Ergebnis", "Einheit", "Referenzbereich", "Bewertung", "Vorwert"),
    joiner="bis",
    upto="bis",
    person=(
        ("Patient: {second}, {first}", "geb. {day:%d.%m.%Y}"),
        ("Name: {second}", "Vorname: {first}", "Geburtsdatum: {day:%d.%m.%y}"),
        ("Patientin: Frau {first} {second}", "Geb.-Datum: {day:%d.%m.%Y}"),
    ),
    first="Annegret",
    second="Hölzer",
    birthday="03.12.1967",
    doctor="Einsender: Dr. med. Jörg Brandt",
    titles=("BLUTBILD", "Klinische Chemie"),
    remark="Kommentar: Die Werte sind zusammen mit dem klinischen Bild zu beurteilen; Kontrolle in 4 Wochen empfohlen.",
    results=_results("""
        Leukozyten | 11.7 | Gpt/l | 3.9 | 10.2 | H
        Erythrozyten | 4.48 | Tpt/l | 3.9 | 5.2
        Hämoglobin | 8.4 | mmol/l | 7.4 | 9.9
        Hämatokrit | 0.41 | l/l | 0.35 | 0.45
        Thrombozyten | 287 | /nl | 150 | 370
        Neutrophile | 61.0 | % | 42 | 75
        Glukose | 98 | mg/dl | 70 | 100
        Kreatinin | 0.82 | mg/dl | 0.5 | 0.9
        GFR (CKD-EPI) | 81 | ml/min | 60 |
        GOT (ASAT) | 29 | U/l | | 35
        Gamma-GT | 63 | U/l | | 40 | H
        Ferritin | 11 | µg/l | 15 | 150 | L
        TSH basal | 1.97 | mU/l | 0.27 | 4.2
        Vitamin D (25-OH) | 54 | nmol/l | 50 | 125
    """),
    in_words=("HIV-Suchtest", "negativ", "negativ"),
)
FRENCH = Tongue(
    code="fr",
    mark=",",
    thousands=" ",
    head=("Analyses", "Résultats", "Unités", "Valeurs de référence", "Anomalie", "Antériorités"),
    joiner="à",
    upto="jusqu'à",
    person=(
        ("Nom : {caps}", "Prénom : {first}", "Date de naissance : {day:%d/%m/%Y}"),
        ("Madame {caps} {first}", "Née le {day:%d/%m/%Y}"),
        ("Patient : {caps} {first}", "Né(e) le : {day:%d-%m-%Y}"),
    ),
    first="Solène",
    second="Marchand",
    birthday="21.05.1990",
    doctor="Prescripteur : Dr Henri LEGRAND",
    titles=("HÉMATOLOGIE", "Biochimie sanguine"),
    remark="Commentaire : résultats à interpréter selon le contexte clinique ; contrôle souhaitable dans 3 mois.",
    results=_results("""
        Hématies | 4.52 | T/L | 3.8 | 5.9
        Hémoglobine | 13.6 | g/dL | 11.5 | 17.5
        Hématocrite | 41.2 | % | 34 | 53
        Leucocytes | 12.3 | G/L | 4 | 11 | H
        Plaquettes | 254 | G/L | 150 | 500
        Lymphocytes | 2.41 | G/L | 1.0 | 4.0
        Glycémie à jeun | 0.98 | g/L | 0.74 | 1.06
        Créatinine | 68 | µmol/L | 45 | 84
        Urée | 5.2 | mmol/L | 2.5 | 7.5
        Cholestérol total | 2.31 | g/L | | 2.0 | H
        Triglycérides | 0.87 | g/L | | 1.5
        ASAT (TGO) | 24 | UI/L | | 35
        Ferritine | 9 | µg/L | 15 | 150 | L
        CRP | 1.2 | mg/L | | 5.0
    """),
    in_words=("Antigène HBs", "Négatif", "Négatif"),
)
SPANISH = Tongue(
    code="es",
    mark=",",
    thousands=".",
    head=("Prueba", "Resultado", "Unidades", "Valores de referencia", "Alerta", "Anterior"),
    joiner="a",
    upto="hasta",
    person=(
        ("Nombre: {first}", "Apellidos: {second}", "Fecha de nacimiento: {day:%d/%m/%Y}"),
        ("Paciente: {second}, {first}", "F. nacimiento: {day:%d-%m-%Y}"),
        ("Apellidos y nombre: {second}, {first}", "Fecha nac.: {day:%d.%m.%Y}"),
    ),
    first="Inés",
    second="Robledo",
    birthday="08.02.1978",
    doctor="Médico solicitante: Dra. Pilar Ochoa",
    titles=("HEMATOLOGÍA", "Bioquímica"),
    remark="Observaciones: los resultados deben valorarse junto con la historia clínica; repetir en 6 semanas.",
    results=_results("""
        Leucocitos | 10.9 | x10^3/µL | 4.0 | 10.5 | H
        Hematíes | 4.61 | x10^6/µL | 4.2 | 5.4
        Hemoglobina | 13.8 | g/dL | 12.0 | 16.0
        Hematocrito | 41.3 | % | 37 | 47
        Plaquetas | 231 | x10^3/µL | 150 | 400
        Linfocitos | 31.4 | % | 20 | 50
        Glucosa | 92 | mg/dL | 74 | 106
        Creatinina | 0.79 | mg/dL | 0.5 | 0.95
        Ácido úrico | 5.2 | mg/dL | 2.6 | 6.0
        Colesterol total | 226 | mg/dL | | 200 | H
        Colesterol HDL | 61 | mg/dL | 45 |
        ALT (GPT) | 22 | U/L | | 35
        Hierro | 38 | µg/dL | 50 | 170 | L
        TSH | 1.83 | mUI/L | 0.38 | 5.33
    """),
    in_words=("VIH", "Negativo", "Negativo"),
)
ITALIAN = Tongue(
    code="it",
    mark=",",
    thousands=".",
    head=("Esame", "Risultato", "U.M.", "Valori di riferimento", "Segnalazione", "Precedente"),
    joiner="a",
    upto="fino a",
    person=(
        ("Cognome: {second}", "Nome: {first}", "Data di nascita: {day:%d/%m/%Y}"),
        ("Paziente: {first} {second}", "Nata il {day:%d/%m/%Y}"),
        ("Cognome e Nome: {second} {first}", "Data di nascita: {day:%d.%m.%Y}"),
    ),
    first="Giulia",
    second="Ferraris",
    birthday="30.10.1985",
    doctor="Medico curante: Dott. Paolo Rinaldi",
    titles=("EMATOLOGIA", "Chimica clinica"),
    remark="Nota: i risultati vanno interpretati dal medico insieme ai dati clinici; controllo consigliato tra 2 mesi.",
    results=_results("""
        Leucociti | 10.8 | 10^9/L | 4.0 | 10.0 | H
        Eritrociti | 4.57 | 10^12/L | 3.8 | 5.2
        Emoglobina | 13.2 | g/dL | 12.0 | 16.0
        Ematocrito | 39.8 | % | 36 | 46
        Piastrine | 262 | 10^9/L | 150 | 400
        Neutrofili | 55.1 | % | 40 | 75
        Glicemia | 91 | mg/dL | 70 | 100
        Creatinina | 0.81 | mg/dL | 0.51 | 0.95
        Colesterolo totale | 214 | mg/dL | | 200 | H
        Trigliceridi | 96 | mg/dL | | 150
        AST (GOT) | 21 | U/L | | 32
        Bilirubina totale | 0.7 | mg/dL | 0.2 | 1.2
        Ferritina | 10 | ng/mL | 13 | 150 | L
        VES | 12 | mm/h | | 20
    """),
    in_words=("HBsAg", "Negativo", "Negativo"),
)
RUSSIAN = Tongue(
    code="ru",
    mark=",",
    thousands=" ",
    head=("Показатель", "Результат", "Ед. изм.", "Референсные значения", "Отклонение", "Предыдущий результат"),
    joiner="до",
    upto="до",
    person=(
        ("Ф.И.О.: {second} {first} Андреевна", "Дата рождения: {day:%d.%m.%Y}"),
        ("Пациент: {second} {first} Андреевна", "Дата рождения: {day:%d.%m.%Y} г."),
        ("Фамилия: {second}", "Имя: {first}", "Отчество: Андреевна", "Д.р.: {day:%d.%m.%Y}"),
    ),
    first="Ольга",
    second="Ковалёва",
    birthday="14.06.1991",
    doctor="Врач: Сидоров Пётр Ильич",
    titles=("ОБЩИЙ АНАЛИЗ КРОВИ", "Биохимия крови"),
    remark="Комментарий: результаты не являются диагнозом, необходима консультация врача; контроль через 2 месяца.",
    results=_results("""
        Гемоглобин | 132 | г/л | 117 | 155
        Эритроциты | 4.39 | 10^12/л | 3.8 | 5.1
        Гематокрит | 39.4 | % | 35 | 45
        Лейкоциты | 9.8 | 10^9/л | 4.0 | 9.0 | H
        Тромбоциты | 248 | тыс/мкл | 150 | 400
        Лимфоциты | 31 | % | 19 | 37
        СОЭ | 8 | мм/ч | 2 | 20
        Глюкоза | 5.2 | ммоль/л | 4.1 | 5.9
        Креатинин | 71 | мкмоль/л | 44 | 97
        Холестерин общий | 5.8 | ммоль/л | | 5.2 | H
        АЛТ | 19 | Ед/л | | 35
        Билирубин общий | 11.3 | мкмоль/л | 3.4 | 20.5
        Ферритин | 9.5 | нг/мл | 10 | 120 | L
        ТТГ | 2.31 | мкМЕ/мл | 0.4 | 4.0
    """),
    in_words=("Антитела к ВИЧ", "отрицательно", "отрицательно"),
)
UKRAINIAN = Tongue(
    code="uk",
    mark=",",
    thousands=" ",
    head=("Показник", "Результат", "Од. виміру", "Референтні значення", "Відхилення", "Попередній результат"),
    joiner="до",
    upto="до",
    person=(
        ("П.І.Б.: {second} {first} Василівна", "Дата народження: {day:%d.%m.%Y}"),
        ("Пацієнт: {second} {first}", "Дата народження: {day:%d.%m.%Y} р."),
        ("Прізвище: {second}", "Ім'я: {first}", "Дата народження: {day:%d/%m/%Y}"),
    ),
    first="Оксана",
    second="Ткаченко",
    birthday="26.01.1983",
    doctor="Лікар: Гончарук Іван Петрович",
    titles=("ЗАГАЛЬНИЙ АНАЛІЗ КРОВІ", "Біохімія крові"),
    remark="Коментар: результати не є діагнозом, потрібна консультація лікаря; контрольне дослідження через 3 місяці.",
    results=_results("""
        Гемоглобін | 128 | г/л | 120 | 140
        Еритроцити | 4.27 | 10^12/л | 3.9 | 4.7
        Гематокрит | 38.6 | % | 36 | 42
        Лейкоцити | 9.9 | 10^9/л | 4.0 | 9.0 | H
        Тромбоцити | 236 | 10^9/л | 180 | 320
        Лімфоцити | 29 | % | 19 | 37
        ШОЕ | 11 | мм/год | 2 | 15
        Глюкоза | 5.3 | ммоль/л | 3.9 | 6.1
        Креатинін | 74 | мкмоль/л | 53 | 97
        Холестерин загальний | 5.9 | ммоль/л | | 5.2 | H
        АЛТ | 21 | Од/л | | 35
        Білірубін загальний | 12.1 | мкмоль/л | 3.4 | 20.5
        Феритин | 8.7 | нг/мл | 10 | 120 | L
        ТТГ | 1.88 | мМО/л | 0.4 | 4.0
    """),
    in_words=("Антитіла до ВІЛ", "негативно", "негативно"),
)
TONGUES = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, RUSSIAN, UKRAINIAN)
