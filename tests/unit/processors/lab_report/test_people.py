# ruff: noqa: RUF001 - Cyrillic words, and all the dashes that are printed
"""The patient by labels, in seven languages; a doctor is nobody's patient."""

import pytest
from tests.unit.processors.lab_report.sheets import moved, rows, words

from blobforge.processors.lab_report.notation.dates import DateOrder, printed
from blobforge.processors.lab_report.page.rows import rows_of
from blobforge.processors.lab_report.person.person import Person, person_of


def person(text: str, language: str = "en") -> Person:
    return person_of(rows(text), language=language, order=DateOrder(month_first=False))


@pytest.mark.parametrize(
    ("language", "text", "first", "second"),
    [
        ("en", "Patient Name: John Q. Doe", "John Q.", "Doe"),
        ("en", "Name: Doe, John", "John", "Doe"),
        ("en", "Name  :  Mrs. Mary Ann Smith    Age: 40", "Mary Ann", "Smith"),
        ("en", "Last Name: Doe\nFirst Name: John", "John", "Doe"),
        ("en", "Patient Details\nDoe, John", "John", "Doe"),
        ("en", "Yash M. Patel\nAge : 21 Years", "Yash M.", "Patel"),
        ("de", "Patient: Mustermann, Erika  geb. 12.03.1974", "Erika", "Mustermann"),
        ("de", "Name: Mustermann    Vorname: Erika", "Erika", "Mustermann"),
        ("de", "Patient: Frau Erika von der Heide", "Erika", "von der Heide"),
        ("fr", "Nom : DUPONT    Prénom : Claire", "Claire", "DUPONT"),
        ("fr", "Madame DUPONT Claire", "Claire", "DUPONT"),
        ("es", "Nombre: INÉS    Apellidos: ROBLEDO PAZ", "INÉS", "ROBLEDO PAZ"),
        ("es", "Paciente: María García López", "María", "García López"),
        ("en", "HARGREAVES, Eleanor Ruth (Mrs)\nDate of Birth: 07-Feb-1951 (74y)", "Eleanor Ruth", "HARGREAVES"),
        ("en", "McALLISTER, FIONA JANE\n22 Banksia Street\nBirthdate: 19/08/1983", "FIONA JANE", "McALLISTER"),
        ("en", "Marcus J. Delacroix-Webb · Male · Born Mar 22, 1981", "Marcus J.", "Delacroix-Webb"),
        (
            "en",
            "TAMIHANA, Rebecca Jane\n17B Ohaupo Road\nNHI: ZKD48QF      DOB: 23 Aug 1968",
            "Rebecca Jane",
            "TAMIHANA",
        ),
        ("en", "Surname:    ADEYEMI\nOther Names:    FOLASADE GRACE", "FOLASADE GRACE", "ADEYEMI"),
        ("en", "Patient:    TREMBLAY-ASH,\n            BRONWYN ELISE", "BRONWYN ELISE", "TREMBLAY-ASH"),
        ("en", "Patient:    KOWALCZYK, DARLENE M", "DARLENE M", "KOWALCZYK"),
        ("en", "Last name   םש    First name   םש\nBEN-HAIM          NOA MIRIAM", "NOA MIRIAM", "BEN-HAIM"),
        (
            "en",
            "Patient             NRIC/FIN    Date of birth    Sex\nPEREIRA, Marcus     SXX412F     25 Oct 1975      M",
            "Marcus",
            "PEREIRA",
        ),
        ("en", "Client: Katong Family Clinic\nPatient    PEREIRA, Marcus", "Marcus", "PEREIRA"),
        ("en", "Ms Aoife Ní Dhomhnaill", "Aoife", "Ní Dhomhnaill"),
        ("en", "Surname, given name\nTKACHENKO OLENA\n\n\nPatient: TKACHENKO OLENA", "OLENA", "TKACHENKO"),
        ("de", "LABORBLATT   Wieczorek, Klaus-Dieter   * 17.06.1958   (66 J., m)", "Klaus-Dieter", "Wieczorek"),
        ("de", "Herrn\nMag. OBERMOSER Lukas", "Lukas", "OBERMOSER"),
        ("de", "Brandstetter, Josef    geb. 14.06.1958 (68 J.)    Fall-Nr. 0071", "Josef", "Brandstetter"),
        ("en", "Lindqvist, Harold J    MRN: 00417732    DOB: 11/23/1949", "Harold J", "Lindqvist"),
        ("uk", "Іваненко-Шевчук Софія (дівчинка) Дата народження: 12 квітня 2017 р.", "Софія", "Іваненко-Шевчук"),
        ("en", "OKORO-BARNES, Jane (Miss)    Born 07-Nov-1984 (39y)    Gender Female", "Jane", "OKORO-BARNES"),
        ("en", "Prepared for Marisol Quintero-Webb · Born June 2, 1984", "Marisol", "Quintero-Webb"),
        ("uk", "КОВАЛЬЧУК Тарас\n08.02.2017 р.н. · 8 років", "Тарас", "КОВАЛЬЧУК"),
        ("uk", "Прізвище, ім’я, по батькові хворого: Дячук Степан Іванович", "Степан", "Дячук"),
        ("fr", "Code patient : 25A-00977\nMr EL AMRANI Youssef", "Youssef", "EL AMRANI"),
        ("it", "Cognome e nome          Data e ora prelievo: 05/02/2026\nDE SANTIS ELEONORA", "ELEONORA", "DE SANTIS"),
        ("it", "PAZIENTE\nDe Santis Nicolò\nnato il 21/09/1988", "Nicolò", "De Santis"),
        ("ru", "Бейтап / Пациент\nТоктогулова\nАйпери\nБакытбековна", "Айпери", "Токтогулова"),
        ("ru", "Левченко Ольга Викторовна\nжен., 46 лет", "Ольга", "Левченко"),
        ("uk", "Дитина:     Соломія Мельник", "Соломія", "Мельник"),
        ("uk", "Пацієнт: Гнатюк Соломія Андріївна № зам.: 081446203", "Соломія", "Гнатюк"),
        ("en", "Box-5 Name      KOWALCZYK-HART, Imogen Ruth", "Imogen Ruth", "KOWALCZYK-HART"),
        ("de", "Patient: HOLLENSTEINER Elfriede, Mag.", "Elfriede", "HOLLENSTEINER"),
        ("de", "Patientin   Zurbriggen-Imhof Béatrice", "Béatrice", "Zurbriggen-Imhof"),
        ("de", "unsere Patientin, Frau Roswitha Gellermann, geb. am 22.09.1947,", "Roswitha", "Gellermann"),
        ("de", "von der Heide, Annegret\ngeb. 02.07.1956 weiblich   Pat.-Nr. 88410", "Annegret", "von der Heide"),
        ("de", "Patientin: Dr. med. Eva Klein", "Eva", "Klein"),
        ("de", "Hürlimann Beat\n27. Juli 1969, männlich", "Beat", "Hürlimann"),
        (
            "fr",
            "Nom de naissance    Prénom    Date de naissance / Sexe\nLE GALL             Yann      03/03/1944",
            "Yann",
            "LE GALL",
        ),
        ("fr", "TREMBLAY-GAGNÉ, Marie-Ève C.\nDDN : 1975-08-22 Sexe : F", "Marie-Ève C.", "TREMBLAY-GAGNÉ"),
        ("it", "Gent.ma Sig.ra Benedetta Marchesini\nnata il 09/05/1984", "Benedetta", "Marchesini"),
        ("it", "Sig. Bortolotti Ersilio     di anni 71", "Ersilio", "Bortolotti"),
        ("ru", "Фамилия, И., О. Щербаков Геннадий Павлович", "Геннадий", "Щербаков"),
        ("ru", "Фамилия          Сафронова\nИмя, отчество    Милана Тимуровна", "Милана", "Сафронова"),
        ("ru", "Ф.И.О.    Сейткали Айгерим Нурланкызы", "Айгерим", "Сейткали"),
        ("uk", "Ірина Полонська\nДата народження: 11.02.1994", "Ірина", "Полонська"),
        (
            "uk",
            "Савчук     Ірина   Володимирівна   30.08.1991\nПрізвище   Ім'я    По батькові     Дата народження",
            "Ірина",
            "Савчук",
        ),
        ("it", "Cognome e Nome: ROSSI MARIO", "MARIO", "ROSSI"),
        ("it", "Nome: Mario    Cognome: Rossi", "Mario", "Rossi"),
        ("it", "Cognome e nome: De Angelis Francesco", "Francesco", "De Angelis"),
        ("en", "PATIENT INFORMATION\nMILLER,JAMES R\nCLIENT SERVICES: 866.555.0142", "JAMES R", "MILLER"),
        ("de", "Herr Tobias Klein, geboren am 30.06.1988, männlich", "Tobias", "Klein"),
        ("en", "Surname: SMITH    Forename(s): JANE", "JANE", "SMITH"),
        ("en", "Last, First: Smith, Jane", "Jane", "Smith"),
        ("de", "Pat.: Müller, Hans    Geb.: 12.03.80", "Hans", "Müller"),
        ("fr", "Nom / Prénom : DURAND / Sophie", "Sophie", "DURAND"),
        ("es", "Sr(a). ANA GARCIA PEREZ", "ANA", "GARCIA PEREZ"),
        ("ru", "Имя пациента: Иван Петров", "Иван", "Петров"),
        ("uk", "Пацієнт: Мельник Марина", "Марина", "Мельник"),
        ("de", "Befund für: Frau Ulrike Brandstätter", "Ulrike", "Brandstätter"),
        ("it", "Paziente: Santoro Paola", "Paola", "Santoro"),
        ("de", "Steinböck Franz, geb. 17.08.1946", "Franz", "Steinböck"),
        ("de", "Patient: Franz Josef", "Franz", "Josef"),
        ("fr", "ANDRIEU Mireille – née le 15 octobre 1948 – IPP 8001234567", "Mireille", "ANDRIEU"),
        ("ru", "Пациент: Петров Иван Сергеевич, 12.03.1980 г.р., муж.", "Иван", "Петров"),
        ("ru", "Ф.И.О.: Иванова Мария Сергеевна", "Мария", "Иванова"),
        ("ru", "Пациент: Мария Сергеевна Иванова", "Мария", "Иванова"),
        ("ru", "Фамилия: Иванова    Имя: Мария    Отчество: Сергеевна", "Мария", "Иванова"),
        ("uk", "П.І.Б.: Ткаченко Оксана Василівна", "Оксана", "Ткаченко"),
        ("uk", "Прізвище: Ткаченко    Ім'я: Оксана", "Оксана", "Ткаченко"),
    ],
)
def test_a_name_is_read_by_its_label(language: str, text: str, first: str, second: str) -> None:
    """R3-19."""
    found = person(text, language)

    assert (found.first_name, found.second_name) == (first, second)


@pytest.mark.parametrize(
    "text",
    [
        "Ref. By: Dr. Hiren Shah",
        "Physician Details:\nName: Hiren Shah",
        "Einsender: Dr. med. Jörg Brandt",
        "Prescripteur : Dr EXEMPLE Paul",
        "Врач: Сидоров Пётр Ильич",
        "Patient Report",
        "Name and address of the lab where the test was performed.",
        "Laboratory Medica Nova",
        "Rostrevor Medical Centre\nAge: 45",
    ],
)
def test_a_doctor_or_nobody_gives_no_name(text: str) -> None:
    """R3-19."""
    found = person(text)

    assert (found.first_name, found.second_name) == (None, None)


@pytest.mark.parametrize(
    "text",
    [
        "DOB: 09/11/1969", "Date of Birth: 9-Nov-1969", "geb. 09.11.1969", "Geburtsdatum: 09.11.69",
        "Née le 09/11/1969",
        "Date de naissance : 09/11/1969", "Fecha de nacimiento: 09/11/1969", "F. Nac.: 09-11-1969",
        "Nata il 09/11/1969",
        "Data di nascita: 09.11.1969", "Дата рождения: 09.11.1969 г.", "Д.р.: 09.11.1969",
        "Дата народження: 09.11.1969", "Пациент: Петров Иван, 09.11.1969 г.р.", "Шевчук Ганна, 09.11.1969 р.н.",
        "Д/н: 09.11.1969", "Народилася: 9 листопада 1969 р.", "DOB: 1969-Nov-09",
        "Mustermann, Erika, *09.11.1969", "Patient: John Doe (09/11/1969)",
        "Sex / DOB     M     09/11/1969", "Date of birth    Sex at birth\n9 Nov 1969       Male",
        "Date de naissance (AAAA-MM-JJ)    NAM\n1969-11-09 (36 ans)               TREM",
        "Hürlimann Beat\n9. November 1969, männlich",
    ],
)  # fmt: skip
def test_a_birthday_is_read_by_its_label(text: str) -> None:
    """R3-19."""
    birthday = person(text).birthday

    assert birthday is not None
    assert printed(birthday) == "09.11.1969"


def test_another_date_is_no_birthday() -> None:
    assert person("Collected: 09/11/2024    Reported: 10/11/2024").birthday is None


@pytest.mark.parametrize(
    "text", ["Patient: John Doe M 45", "Patient: John Doe, M", "Name: Mr. John Doe 45 Y/M", "Name: John Doe (45/M)"]
)
def test_sex_and_age_are_no_part_of_a_name(text: str) -> None:
    found = person(text)

    assert (found.first_name, found.second_name) == ("John", "Doe")


def test_a_name_stands_between_the_two_lines_of_its_label() -> None:
    label = words("Тегі, аты /\nФамилия, имя, отчество")
    page = [*label, *moved(words(f"{'':30}Ахметова Айгерим Сериковна"), 10)]

    found = person_of(rows_of(1, page), language="ru", order=DateOrder(month_first=False))

    assert (found.first_name, found.second_name) == ("Айгерим", "Ахметова")


@pytest.mark.parametrize(
    "text",
    [
        "DOB/Age/Sex:    14/9/1957    67 years    Female",
        "DOB / Age / Gender    : 14-Sep-1957 / 67 Y / Female",
        "nato a Lucca il 14/09/1957",
    ],
)
def test_a_birthday_may_share_its_label(text: str) -> None:
    born = person(text, "it").birthday

    assert born is not None
    assert printed(born) == "14.09.1957"
