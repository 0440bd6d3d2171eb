"""Every requirement of the documents 000, 002 and 003 has a test that names it."""

import pytest
from docs.requirement_lines import lines
from docs.requirements_table import held_by_line

LAST = {"R0": 83, "R2": 49, "R3": 47}


def test_no_line_is_left_out() -> None:
    expected = [f"{document}-{number}" for document, last in LAST.items() for number in range(1, last + 1)]

    assert list(lines()) == expected


@pytest.mark.parametrize("number", lines())
def test_a_line_is_held_by_a_test(number: str) -> None:
    assert held_by_line().get(number), f"no test names {number} in its docstring"


def test_no_test_names_a_line_that_does_not_exist() -> None:
    assert set(held_by_line()) <= set(lines())
