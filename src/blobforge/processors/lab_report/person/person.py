# ruff: noqa: RUF002 - Cyrillic words, and all the dashes that are printed
"""The patient: first name, second name and birthday, by labels; a doctor's name is nobody's here."""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from itertools import pairwise
from typing import NamedTuple

from blobforge.processors.lab_report.notation.dates import DateOrder, find_date
from blobforge.processors.lab_report.page.rows import PrintedRow, cells_of
from blobforge.processors.lab_report.page.words import PositionedWord, text_of
from blobforge.processors.lab_report.person.fields import LabelledField, below, fields_of
from blobforge.processors.lab_report.person.name_order import PARTICLES, PersonName, split_name, without_patronymic
from blobforge.processors.lab_report.vocabulary import labels, people
from blobforge.processors.lab_report.vocabulary.labels import begins_with_birth

_TITLES = re.compile(rf"^(?:{people.TITLE}\b\.?[\s,]*)+(?=\S)", re.IGNORECASE)
_CALLED = re.compile(rf"(?:{people.GREETING}\s+)?{people.ADDRESS}\s+(?P<name>[^\d:]{{3,60}})")
_TITLE_ALONE = re.compile(rf"{people.ADDRESS}\.?")
_DOCTOR = re.compile(rf"\b{people.DOCTOR}\b\.?", re.IGNORECASE)
_PATIENT = re.compile(people.PATIENT, re.IGNORECASE)
_DEGREES = re.compile(
    rf"^(?:{people.ADDRESS}\.?\s+)?(?:{people.DEGREE}\b\.?\s*(?:{people.FACULTY}\.\s*)?)+(?=\S)", re.IGNORECASE
)
_INSTITUTION = re.compile(rf"\b{people.INSTITUTION}\b", re.IGNORECASE)
_CUT = re.compile(
    r"[|/;()\[\]№·]|\s{2,}|(?<!,)\s+\d|,?\s*\*?\s?\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|,?\s[MFW](?=\s*(?:[,/(]|\d))|,\s*[MFW]$|"
    rf",?\s+\b{people.AFTER_NAME}\b",
    re.IGNORECASE,
)
_SEX_BEHIND = re.compile(r"\s[MFW]$")
_HEAD = 40
"""So many lines may speak of the patient without a label."""
_BORN = re.compile(
    rf"(?P<day>\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{4}})\s*{people.BORN_BEHIND}\b|"
    r"(?:^|[\s,(])[*✶]\s?(?P<star>\d{1,2}\.\d{1,2}\.\d{4})",
    re.IGNORECASE,
)
_BARE_BIRTHDAY = re.compile(
    r"(?P<day>\d{1,4}[./-]\d{1,2}[./-]\d{2,4}|\d{1,2}\.?\s+[^\W\d_]{3,12}\.?\s+\d{4})\s*[,;·|/(–-]\s*"
    rf"{people.SEX}(?!\w)",
    re.IGNORECASE,
)
"""A date that stands with the sex and without a label."""
_NUMBERED = re.compile(r"\S*\d\S*")
_STARRED = re.compile(r"[*✶]\s?\d{1,2}[./]\d{1,2}[./]\d{4}")
_ASIDE = re.compile(r"\s*\([^)]*\)$")
_IN_A_SENTENCE = re.compile(
    rf"\b{people.BEFORE_BIRTH}\s+(?P<name>[^\d:,;]{{5,60}}),?\s*\(?(?<![^\W_])(?:(?i:{labels.BIRTH})|\*)(?!\w)"
)
_SUFFIX = re.compile(rf",?\s+{people.BEHIND_NAME}\b\.?$|,\s*{people.ACADEMIC}\b.*$", re.IGNORECASE)
_NAME_AND_BIRTHDAY = re.compile(
    rf"(?!{labels.BIRTH})(?P<name>[^\d:·|]{{5,60}}?)(?:\s\([^)]*\))?[\s,;(–—·|-]+(?:{people.SEX}[\s,;·|]+)?"
    rf"(?:{labels.BIRTH}(?![^\W\d_])|[*✶]|\d{{1,2}}\.\d{{1,2}}\.\d{{4}}\s*{people.BORN_BEHIND})[\s:.]*\d?",
    re.IGNORECASE,
)
_NOBODY = re.compile(rf"{people.NOBODY}|-+", re.IGNORECASE)
_ORDERED, _PLAIN = ("surname_first", "given_first"), ("name",)
_AGE_OR_SEX = re.compile(rf"^{labels.AGE_OR_NUMBER}\b", re.IGNORECASE)
_AGED = re.compile(rf"{people.SEX}\.?\s*[,;·|/]\s*\d{{1,3}}\s*{people.YEARS}\b", re.IGNORECASE)


class Person(NamedTuple):
    first_name: str | None
    second_name: str | None
    birthday: date | None
    rows: frozenset[int]
    """The lines that tell it, by their place in the document."""


def person_of(
    rows: Sequence[PrintedRow], *, language: str | None, order: DateOrder, without: frozenset[int] = frozenset()
) -> Person:
    fields = list(fields_of(rows, without))
    birthday, birth_rows = _birthday(fields, order)
    if birthday is None:
        birthday, birth_rows = _birthday_beside(rows, fields, order)
    name, name_rows = _name(rows, fields, language)
    return Person(name.first, name.second, birthday, frozenset(birth_rows | name_rows))


def _birthday(fields: Iterable[LabelledField], order: DateOrder) -> tuple[date | None, set[int]]:
    """The first that is a date; all lines that repeat it."""
    found = [(find_date(field.text, order), field.rows) for field in fields if field.kind == "birth"]
    day = next((day for day, _ in found if day is not None), None)
    return day, {row for other, rows in found if other is not None for row in rows}


def _birthday_beside(
    rows: Sequence[PrintedRow], fields: Iterable[LabelledField], order: DateOrder
) -> tuple[date | None, set[int]]:
    """A date whose label follows it, as in 12.03.1980 г.р., or one that is printed with the patient's name."""
    for place, row in enumerate(rows[:_HEAD]):
        match = _BORN.search(row.text)
        day = find_date(match["day"] or match["star"], order) if match else None
        if day is not None:
            return day, {place}
    for place, row in enumerate(rows[:_HEAD]):
        match = _BARE_BIRTHDAY.search(row.text)
        day = find_date(match["day"], order) if match else None
        if day is not None:
            return day, {place}
    for field in fields:
        day = find_date(field.text, order) if field.kind in (*_ORDERED, *_PLAIN) else None
        if day is not None:
            return day, set(field.rows)
    return None, set()


def _name(
    rows: Sequence[PrintedRow], fields: Sequence[LabelledField], language: str | None
) -> tuple[PersonName, set[int]]:
    for attempt in _ATTEMPTS:
        name, found = attempt(rows, fields, language)
        if name.first or name.second:
            return name, found
    return PersonName(None, None), set()


def _by_parts(
    _rows: Sequence[PrintedRow], fields: Sequence[LabelledField], _language: str | None
) -> tuple[PersonName, set[int]]:
    """Given name and surname each under a label of its own; a bare Name, Nom or Nombre is what the other is not."""
    given = _first(fields, "given")
    surname = _first(fields, "surname")
    plain = _first(fields, "name")
    if given is None and surname is not None:
        given = plain
    if surname is None and given is not None:
        surname = plain
    if given is None or surname is None:
        return PersonName(None, None), set()
    names = PersonName(without_patronymic((_bare(given.text) or "").split()), _bare(surname.text))
    return names, {*given.rows, *surname.rows}


def _first(fields: Iterable[LabelledField], kind: str) -> LabelledField | None:
    return next((field for field in fields if field.kind == kind and _bare(field.text)), None)


def _by_label(
    _rows: Sequence[PrintedRow], fields: Sequence[LabelledField], language: str | None
) -> tuple[PersonName, set[int]]:
    """With a colon before it, or else in capitals: without either, Name and Patient begin sentences too."""
    for kinds, with_colon in ((_ORDERED, True), (_PLAIN, True), (_ORDERED, False), (_PLAIN, False)):
        for place, field in enumerate(fields):
            if field.kind not in kinds or field.colon is not with_colon or _is_doctors(fields, place):
                continue
            named = field.text.replace("/", ",") if field.kind in _ORDERED else field.text
            # Who is called a patient is one, whatever the title.
            text = _bare(_DEGREES.sub("", named) if _PATIENT.search(field.label) else named)
            # Client services: 866... is a label of another thing.
            is_label = text is not None and field.text.partition(text)[2].lstrip().startswith(":")
            if text and not _INSTITUTION.search(text) and (with_colon or (_is_capitalised(text) and not is_label)):
                return split_name(text, language, kind=field.kind), set(field.rows)
    return PersonName(None, None), set()


def _is_capitalised(text: str) -> bool:
    return all(not word[0].islower() or word.lower() in PARTICLES for word in text.split())


def _is_doctors(fields: Sequence[LabelledField], place: int) -> bool:
    """A bare Name below the label of a doctor is the doctor's."""
    before = fields[place - 1] if place else None
    if before is None or before.kind != "doctor" or before.text:
        return False
    return min(fields[place].rows) - min(before.rows) <= 1


def _by_heading(
    _rows: Sequence[PrintedRow], fields: Sequence[LabelledField], language: str | None
) -> tuple[PersonName, set[int]]:
    for field in fields:
        text = _bare(field.text) if field.kind == "heading" else None
        if text:
            return split_name(text, language, kind="name"), set(field.rows)
    return PersonName(None, None), set()


def _by_title(
    rows: Sequence[PrintedRow], _fields: Sequence[LabelledField], language: str | None
) -> tuple[PersonName, set[int]]:
    """Somebody who is addressed (Madame DUPONT Claire) and is no doctor."""
    for place, row in enumerate(rows[:_HEAD]):
        for cell in cells_of(row):
            called = text_of(cell)
            if _TITLE_ALONE.fullmatch(called):
                # As in an address: the title, and the name under it.
                called += f" {below(rows, place, cell)}"
            match = _CALLED.match(called)
            text = _bare(match["name"]) if match else None
            if text and len(text.split()) <= 5:
                return split_name(text, language, kind="name"), {place}
    return PersonName(None, None), set()


def _by_birthday(
    rows: Sequence[PrintedRow], _fields: Sequence[LabelledField], language: str | None
) -> tuple[PersonName, set[int]]:
    """A name without a label, before the words for a birthday: ANDRIEU Mireille, née le 15 octobre 1948."""
    for place, row in enumerate(rows[:_HEAD]):
        for cell in cells_of(row):
            match = _NAME_AND_BIRTHDAY.match(text_of(cell))
            text = _bare(match["name"]) if match else None
            if text and _is_full_name(text):
                return split_name(text, language, kind="name"), {place}
        texts = [_ASIDE.sub("", text_of(cell)) for cell in cells_of(row)]
        for text, beside in [*pairwise(texts), *((texts[0], other) for other in texts[2:])]:
            is_birthday = _STARRED.match(beside) or (begins_with_birth(beside) and _has_digits(beside))
            if is_birthday and _is_full_name(text):
                return split_name(text, language, kind="name"), {place}
    return PersonName(None, None), set()


def _by_sentence(
    rows: Sequence[PrintedRow], _fields: Sequence[LabelledField], language: str | None
) -> tuple[PersonName, set[int]]:
    """As a letter says it: our patient, Frau Roswitha Gellermann, geb. am 22.09.1947."""
    for place, row in enumerate(rows[:_HEAD]):
        match = _IN_A_SENTENCE.search(row.text)
        text = _bare(match["name"]) if match else None
        if text and _is_full_name(text):
            return split_name(text, language, kind="name"), {place}
    return PersonName(None, None), set()


def _by_neighbours(
    rows: Sequence[PrintedRow], _fields: Sequence[LabelledField], language: str | None
) -> tuple[PersonName, set[int]]:
    """A name without a label stands above the age or the sex, at the same margin."""
    for place, row in enumerate(rows[:_HEAD]):
        cells = cells_of(row)
        telling = [at for at, cell in enumerate(cells) if _tells_person(text_of(cell))]
        # A number of the patient may stand before the birthday.
        numbered = [cell for cell in cells[: telling[0]] if _has_digit(cell)] if telling else []
        for cell in [*(cells[at] for at in telling), *numbered]:
            for back in range(place - 1, max(place - 4, -1), -1):
                text = _TITLES.sub("", _ASIDE.sub("", _above(rows[back], cell)))
                if _is_full_name(text) and rows[back].page == row.page:
                    return split_name(text, language, kind="name"), {back}
    return PersonName(None, None), set()


def _has_digits(text: str) -> bool:
    return any(map(str.isdigit, text))


def _has_digit(cell: Sequence[PositionedWord]) -> bool:
    return any(character.isdigit() for word in cell for character in word.text)


def _above(row: PrintedRow, cell: Sequence[PositionedWord]) -> str:
    """What this row has at the margin of a cell."""
    found = (each for each in cells_of(row) if abs(each[0].x0 - cell[0].x0) < cell[0].size)
    return text_of(next(found, ()))


def _tells_person(text: str) -> bool:
    """An age, a sex or a birthday begins here."""
    return bool(
        _AGE_OR_SEX.match(text)
        or _AGED.match(text)
        or begins_with_birth(text)
        or _BARE_BIRTHDAY.match(text)
        or _BORN.match(text)
    )


def _is_full_name(text: str) -> bool:
    words = text.replace(",", " ").split()
    return (
        2 <= len(words) <= 4
        and all(re.fullmatch(r"[^\W\d_][^\W\d_'’.-]*\.?(?:[-'’][^\W\d_]+)*", word) for word in words)
        and all(word[0].isupper() or word.lower() in PARTICLES for word in words)
        and not _DOCTOR.search(text)
        and not _INSTITUTION.search(text)
        and ":" not in text
    )


def _bare(text: str) -> str | None:
    """The name alone; None where there is none, or where it is a doctor's."""
    stripped = text.strip(" :.,;-–")
    if _DOCTOR.search(_TITLES.sub("", stripped)):
        return None
    bare = _SUFFIX.sub("", _CUT.split(_TITLES.sub("", stripped))[0].strip(" :.,;-–|"))
    # Behind a surname and a comma it is an initial.
    bare = bare if "," in bare else _SEX_BEHIND.sub("", bare)
    if text.rstrip().endswith(f"{bare}.") and re.search(r"\b[^\W\d_]$", bare):
        bare += "."
    is_nobody = not re.search(r"[^\W\d_]{2}", bare) or _NUMBERED.fullmatch(bare) or _NOBODY.fullmatch(bare)
    if is_nobody or len(bare.split()) > 6 or len(bare) > 60:
        return None
    return bare


# From the surest to the boldest.
_ATTEMPTS: tuple[
    Callable[[Sequence[PrintedRow], Sequence[LabelledField], str | None], tuple[PersonName, set[int]]], ...
] = (
    _by_parts,
    _by_label,
    _by_heading,
    _by_sentence,
    _by_title,
    _by_birthday,
    _by_neighbours,
)
