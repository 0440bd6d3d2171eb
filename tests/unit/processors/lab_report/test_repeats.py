"""A summary, targets and older results do not count twice."""

import pytest
from tests.unit.processors.lab_report.sheets import reader, words
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


def test_a_copy_on_the_first_page_is_a_summary() -> None:
    line = "Urea               9.4      mmol/L    2.5 - 7.8"
    summary = f"Report summary: tests outside the range\n{line}"
    details = f"Test               Result   Unit      Range\n{line}\nSodium    139    mmol/L   133 - 146"

    found = read_report({1: words(summary), 2: words(details)}, reader(), table())

    assert [(row.line.row.page, row.rule) for row in found.rows if "Urea" in row.line.row.text] == [
        (1, "repeat"),
        (2, "table row"),
    ]


def test_of_two_copies_on_a_page_the_first_stays() -> None:
    line = "Urea               9.4      mmol/L    2.5 - 7.8"

    assert results(read(f"{line}\nSodium             139      mmol/L    133 - 146\n{line}")) == [
        ("Urea", 9.4, "mmol/L", "2.5 - 7.8"),
        ("Sodium", 139, "mmol/L", "133 - 146"),
    ]
