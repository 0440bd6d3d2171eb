"""Printed LOINC codes."""

import pytest
from tests.unit.processors.lab_report.sheets import rows

from blobforge.processors.lab_report.lines.loinc_codes import is_code, without_code


@pytest.mark.parametrize("code", ["718-7", "6690-2", "777-3", "4548-4", "2345-7", "14647-2"])
def test_a_code_checks_itself(code: str) -> None:
    assert is_code(code)


@pytest.mark.parametrize("text", ["718-6", "150-4", "12-15", "718", "abc-1", ""])
def test_a_range_is_no_code(text: str) -> None:
    assert not is_code(text)


def test_a_labelled_code_is_taken_out_of_its_line() -> None:
    (row,) = rows("Haemoglobin (LOINC: 718-7): 11.8 g/dL")

    bare, code = without_code(row)

    assert (bare.text, code) == ("Haemoglobin : 11.8 g/dL", "718-7")


def test_a_line_without_a_code_stays_as_it_is() -> None:
    (row,) = rows("Haemoglobin 11.8 g/dL")

    assert without_code(row) == (row, None)
