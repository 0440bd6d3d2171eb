"""A table that lies on its side."""

from tests.unit.processors.lab_report.test_reports import read, results

FORMULA = """
Cell            Band      Segmented    Eosinophils    Lymphocytes
Result          7         64           2              21
Units           %         %            %              %
Range           1 - 6     47 - 72      0.5 - 5        19 - 37
"""


def test_each_column_is_a_result() -> None:
    assert results(read(FORMULA.replace("Cell ", "Test "))) == [
        ("Band", 7, "%", "1 - 6"),
        ("Segmented", 64, "%", "47 - 72"),
        ("Eosinophils", 2, "%", "0.5 - 5"),
        ("Lymphocytes", 21, "%", "19 - 37"),
    ]


def test_units_and_ranges_may_be_missing() -> None:
    page = "Test        Sodium    Potassium    Chloride\nResult      139       4.1          101"

    assert results(read(page)) == [
        ("Sodium", 139, None, None),
        ("Potassium", 4.1, None, None),
        ("Chloride", 101, None, None),
    ]


def test_a_column_without_a_number_is_none() -> None:
    page = "Test      Sodium   Potassium   Chloride   Calcium\nResult    139      pending     101        2.3"

    assert [name for name, *_ in results(read(page))] == ["Sodium", "Chloride", "Calcium"]


def test_an_upright_table_stays_one() -> None:
    page = "Test      Result   Units    Range\nSodium    139      mmol/L   136 - 145"

    assert results(read(page)) == [("Sodium", 139, "mmol/L", "136 - 145")]
