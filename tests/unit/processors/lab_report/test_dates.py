# ruff: noqa: RUF001 - Cyrillic words, and all the dashes that are printed
"""Birthdays in the forms in which they are printed."""

from datetime import date

import pytest

from blobforge.processors.lab_report.notation.dates import DateOrder, date_order, find_date, printed

DAY_FIRST, MONTH_FIRST = DateOrder(month_first=False), DateOrder(month_first=True)


@pytest.mark.parametrize(
    "text",
    [
        "09.11.1969", "9.11.69", "09/11/1969", "09-11-1969", "1969-11-09", "1969/11/09", "9 Nov 1969", "09-Nov-1969",
        "November 9, 1969", "9. November 1969", "9 novembre 1969", "9 de noviembre de 1969", "9 ноября 1969 г.",
        "9 листопада 1969 р.", "19691109", "born 09.11.1969 (55 y)",
    ],
)  # fmt: skip
def test_a_day_is_read_in_many_forms(text: str) -> None:
    """R3-19."""
    day = find_date(text, DAY_FIRST)

    assert day is not None
    assert printed(day) == "09.11.1969"


def test_americans_write_the_month_first() -> None:
    assert find_date("03/04/1980", MONTH_FIRST) == date(1980, 3, 4)
    assert find_date("03/04/1980", DAY_FIRST) == date(1980, 4, 3)
    assert find_date("25/04/1980", MONTH_FIRST) == date(1980, 4, 25)


def test_a_point_parts_days_from_months_everywhere() -> None:
    assert find_date("03.04.1980", MONTH_FIRST) == date(1980, 4, 3)


def test_other_dates_of_the_document_tell_the_order() -> None:
    assert date_order("Collected: 01/21/2025, DOB 02/03/1980", language="de").month_first
    assert not date_order("Collected: 21/01/2025, DOB 02/03/1980", language="en").month_first


def test_without_such_dates_the_language_tells_the_order() -> None:
    assert date_order("DOB 02/03/1980", language="en").month_first
    assert not date_order("DOB 02/03/1980, glucose in mmol/L", language="en").month_first
    assert not date_order("02/03/1980", language="fr").month_first


@pytest.mark.parametrize("text", ["", "no date", "31.02.1980", "99.99.9999"])
def test_what_is_no_date_is_none(text: str) -> None:
    assert find_date(text, DAY_FIRST) is None
