"""Printed numbers become numbers."""

import pytest

from blobforge.processors.lab_report.notation.numbers import Bounds, DecimalMark, decimal_mark, parse_number


@pytest.mark.parametrize(
    ("text", "mark", "value"),
    [
        ("13.4", ".", 13.4),
        ("13,4", ".", 13.4),
        ("14,200", ".", 14200),
        ("14,200", ",", 14.2),
        ("14.200", ",", 14200),
        ("0,350", ".", 0.35),
        ("1.234,5", ",", 1234.5),
        ("1,234.5", ".", 1234.5),
        ("150 000", ",", 150000),
        ("14'200", ".", 14200),
        ("1,234,567", ".", 1234567),
        ("2,48,000", ".", 248000),
        ("−2.1", ".", -2.1),
        ("7", ".", 7),
    ],
)
def test_a_number_is_read_by_the_decimal_mark_of_its_document(text: str, mark: DecimalMark, value: float) -> None:
    """R3-20."""
    assert parse_number(text, mark) == value


def test_the_range_tells_which_of_two_numbers_is_meant() -> None:
    assert parse_number("4,500", ".", Bounds(3.9, 5.2)) == 4.5
    assert parse_number("4.500", ".", Bounds(4000, 11000)) == 4500


@pytest.mark.parametrize("text", ["", "-", "1.2.x"])
def test_what_is_no_number_has_no_value(text: str) -> None:
    assert parse_number(text, ".") is None


def test_most_numbers_tell_the_decimal_mark() -> None:
    assert decimal_mark(["3,9 - 10,2", "14.5"], language="en") == ","
    assert decimal_mark(["4,500", "0.5"], language="de") == "."


def test_without_a_hint_the_language_tells_the_decimal_mark() -> None:
    assert decimal_mark(["4,500", "12"], language="en") == "."
    assert decimal_mark(["4.500", "12"], language="de") == ","
