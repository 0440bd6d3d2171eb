"""Every requirement of the documents 000 to 003 whose part is there has a test that names it."""

import pytest
from docs.requirement_lines import lines
from docs.requirements_table import held_by_line

NUMBERS = {
    "R0": range(1, 84),
    # Pages, events, replication and signing in are not there yet.
    "R1": [*range(1, 41), *range(59, 64), *range(69, 79), 85, *range(90, 101), 102, 103],
    "R2": range(1, 50),
    "R3": range(1, 48),
}


def test_no_line_is_left_out() -> None:
    expected = [f"{document}-{number}" for document, numbers in NUMBERS.items() for number in numbers]

    assert list(lines()) == expected


@pytest.mark.parametrize("number", lines())
def test_a_line_is_held_by_a_test(number: str) -> None:
    assert held_by_line().get(number), f"no test names {number} in its docstring"


def test_no_test_names_a_line_that_does_not_exist() -> None:
    assert set(held_by_line()) <= set(lines())
