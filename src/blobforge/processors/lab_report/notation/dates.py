"""Dates as reports print them, and whether the month comes first."""

import re
from collections.abc import Iterable
from datetime import date
from functools import cache
from typing import NamedTuple

from blobforge.processors.lab_report.vocabulary.calendar_words import MONTHS, WEEKDAY
from blobforge.processors.lab_report.vocabulary.languages import codes, is_true_of, terms, terms_of
from blobforge.processors.lab_report.vocabulary.patterns import literally, one_of

MONTH = rf"^(?:{'|'.join(start for month in MONTHS for start in month)})[^\W\d_]*\.?$"
_ORDINAL = literally(terms("dates", "ordinals"))
_MONTH_FIRST_ORDINAL = literally(
    ordinal
    for code in codes()
    if is_true_of(code, "language", "month_first")
    for ordinal in terms_of(code, "dates", "ordinals")
)
_BEFORE_MONTH = literally(terms("dates", "before_month"))
_BEFORE_YEAR = literally(terms("dates", "before_year"))
_NUMERIC = re.compile(
    r"(?<!\d)(?P<a>\d{1,2})\s?(?P<mark>[./-])\s?(?P<b>\d{1,2})\s?(?P=mark)\s?(?P<year>\d{4}|\d{2})(?!\d)"
)
_YEAR_FIRST = re.compile(r"(?<!\d)(?P<year>\d{4})\s?[-./年]\s?(?P<month>\d{1,2})\s?[-./]\s?(?P<day>\d{1,2})(?!\d)")
_NAMED = re.compile(
    rf"(?<!\d)(?P<day>\d{{1,2}})(?:{_ORDINAL}|º|\.)?[\s.\-/]*(?:{_BEFORE_MONTH}\s+)?(?P<month>[^\W\d_]{{3,12}})\.?,?"
    rf"[\s.\-/]*(?:{_BEFORE_YEAR}\s+)?(?P<year>\d{{4}}|\d{{2}})(?!\d)"
)
_MONTH_FIRST = re.compile(
    rf"(?P<month>[^\W\d_]{{3,12}})\.?[\s-]*(?P<day>\d{{1,2}}){_MONTH_FIRST_ORDINAL}?(?:,\s*|[\s-]+)(?P<year>\d{{4}})(?!\d)"
)
_YEAR_THEN_NAME = re.compile(
    r"(?<!\d)(?P<year>\d{4})[\s.\-/]+(?P<month>[^\W\d_]{3,12})\.?[\s.\-/]+(?P<day>\d{1,2})(?!\d)"
)
_SOLID = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<month>[01]\d)(?P<day>[0-3]\d)(?!\d)")
_WHOLE = re.compile(
    rf"\(?(?:{WEEKDAY}\.?,?\s)?"
    r"(?:\d{1,4}\s?[./-]\s?\d{1,2}\s?[./-]\s?\d{2,4}|\d{1,2}[\s.-]*[^\W\d_]{3,9}\.?[\s.-]*\d{2,4}|"
    r"[^\W\d_]{3,9}\.?\s\d{1,2},?\s\d{4})"
    r"\.?(?:,?\s*\d{1,2}[:.h]?\d{2}(?::\d{2})?(?:\s?[ap]m)?)?\)?",
    re.IGNORECASE,
)
_PHONE_OR_AMOUNT = re.compile(r"[µμu]mol/l\b|\+91|\+44", re.IGNORECASE)
"""India and Britain; and units of amount."""


class DateOrder(NamedTuple):
    """`month_first` is how this document writes dates with slashes."""

    month_first: bool


DAY_FIRST = DateOrder(month_first=False)


def date_order(text: str, *, language: str | None) -> DateOrder:
    """What the dates that leave no choice tell; without one, the month is first in a language of America, unless
    something tells another country."""
    votes = 0
    for match in _NUMERIC.finditer(text):
        if match["mark"] == ".":
            continue
        first, second = int(match["a"]), int(match["b"])
        votes += (second > 12 >= first) - (first > 12 >= second)
    if votes:
        return DateOrder(month_first=votes > 0)
    return DateOrder(month_first=is_true_of(language, "language", "month_first") and not _is_elsewhere(text, language))


def _is_elsewhere(text: str, language: str | None) -> bool:
    """English outside America: units of amount where Americans weigh, British spelling, Indian numbers."""
    return (
        _PHONE_OR_AMOUNT.search(text) is not None
        or _day_first(language).search(text) is not None
        or ("mmol/l" in text.lower() and "mg/dl" not in text.lower())
    )


@cache
def _day_first(language: str | None) -> "re.Pattern[str]":
    return re.compile(rf"\b{one_of(terms_of(language, 'language', 'day_first'))}\b", re.IGNORECASE)


def find_date(text: str, order: DateOrder) -> date | None:
    """The first date in the text."""
    found = [date for date in _dates(text, order) if date is not None]
    return min(found)[1] if found else None


def is_date(text: str) -> bool:
    """Whether there is nothing but a date, perhaps with its time."""
    return _WHOLE.fullmatch(text.strip()) is not None and find_date(text, DAY_FIRST) is not None


def _dates(text: str, order: DateOrder) -> Iterable[tuple[int, date] | None]:
    for match in _YEAR_FIRST.finditer(text):
        yield _dated(match, match["year"], match["month"], match["day"])
    for match in _NUMERIC.finditer(text):
        month_first = order.month_first and match["mark"] != "."
        day, month = (match["b"], match["a"]) if month_first else (match["a"], match["b"])
        yield _dated(match, match["year"], month, day) or _dated(match, match["year"], day, month)
    for pattern in (_NAMED, _MONTH_FIRST, _YEAR_THEN_NAME):
        for match in pattern.finditer(text):
            month = _month(match["month"])
            if month:
                yield _dated(match, match["year"], str(month), match["day"])
    for match in _SOLID.finditer(text):
        yield _dated(match, match["year"], match["month"], match["day"])


def _dated(match: "re.Match[str]", year: str, month: str, day: str) -> tuple[int, date] | None:
    try:
        return match.start(), date(_full_year(year), int(month), int(day))
    except ValueError:
        return None


def _full_year(year: str) -> int:
    """Of two digits: people who are a hundred years old have theirs printed in full more often than not."""
    if len(year) == 4:
        return int(year)
    return 1900 + int(year) if int(year) > 30 else 2000 + int(year)


def _month(name: str) -> int | None:
    lowered = name.lower()
    for number, starts in enumerate(MONTHS, start=1):
        if lowered.startswith(starts):
            return number
    return None


def printed(day: date) -> str:
    return day.strftime("%d.%m.%Y")
