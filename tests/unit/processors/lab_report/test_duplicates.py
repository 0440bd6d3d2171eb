"""A summary, targets and older results do not count twice."""

import pytest
from tests.unit.processors.lab_report.sheets import tagger, words
from tests.unit.processors.lab_report.test_reports import read, results

from blobforge.processors.lab_report.biomarkers import table
from blobforge.processors.lab_report.report import read_report

RESULT = """
Test               Result   Unit      Range
LDL Cholesterol    3.4      mmol/L    < 3.0
"""


@pytest.mark.parametrize(
    "more",
    [
        "Worth your attention: LDL Cholesterol 3.4 mmol/L",
        "Target:           LDL Cholesterol < 1.8 mmol/L",
        "\nArchive\nLDL Cholesterol     3.1",
    ],
)
def test_what_has_its_range_elsewhere_is_told_once(more: str) -> None:
    assert results(read(f"{RESULT}\n{more}")) == [("LDL Cholesterol", 3.4, "mmol/L", "< 3.0")]


def test_another_value_is_another_result() -> None:
    found = read("Neutrophils    58   %       40 - 75\nNeutrophils    4.1  10^9/L  2.0 - 7.5")

    assert [value for _, value, *_ in results(found)] == [58, 4.1]


def test_a_letter_behind_many_names_is_a_mark_of_the_laboratory() -> None:
    names = ("Sodium", "Potassium", "Chloride", "Calcium")
    found = read("\n".join(f"{name} (C)        {place}.5   mmol/L   1 - 9" for place, name in enumerate(names, 2)))

    assert tuple(name for name, *_ in results(found)) == names


def test_a_letter_behind_one_name_is_part_of_it() -> None:
    found = read("Vitamin (C)        9.5   mg/L   4 - 15\nSodium    139    mmol/L   136 - 145")

    assert results(found)[0][0] == "Vitamin (C)"


SUMMARY = """
Report summary: tests outside the range
Urea               9.4      mmol/L    2.5 - 7.8
"""
DETAILS = """
Test               Result   Unit      Range
Urea               9.4      mmol/L    2.5 - 7.8
Sodium             139      mmol/L    133 - 146
"""


def pages_of(*pages: str) -> list[tuple[int, str | None]]:
    """On which page urea is told, and by which rule it was read."""
    report = read_report(dict(enumerate(map(words, pages), 1)), tagger(), table())
    return [(row.line.row.page, row.rule) for row in report.rows if "Urea" in row.line.row.text]


def test_a_summary_before_the_details_is_set_aside() -> None:
    assert pages_of(SUMMARY, DETAILS) == [(1, "repeat"), (2, "table row")]


def test_a_summary_behind_the_details_is_set_aside() -> None:
    assert pages_of(DETAILS, SUMMARY) == [(1, "table row"), (2, "repeat")]


def test_a_second_sample_may_have_values_of_the_first() -> None:
    assert pages_of(DETAILS, DETAILS.replace("139", "141")) == [(1, "table row"), (2, "table row")]
