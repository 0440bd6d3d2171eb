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


def test_of_several_days_the_last_counts() -> None:
    found = read("""
                     Na         K          Creat
Units                mmol/L     mmol/L     umol/L
Ref. range           133-146    3.5-5.3    58-110
24-Feb-25 16:05      129*       5.6*       211*
04-Mar-25 06:40      136        4.4        129*
26-Feb-25 07:10      131*       5.1        178*
""")

    assert results(found) == [
        ("Na", 136, "mmol/L", "133-146"),
        ("K", 4.4, "mmol/L", "3.5-5.3"),
        ("Creat", 129, "umol/L", "58-110"),
    ]


def test_the_unit_may_stand_in_the_label_and_names_in_two_lines() -> None:
    found = read("""
                        Neutrophils  Neutrophils
             Basophils  band         segmented      Monocytes
Norm, %      0 - 1      1 - 6        47 - 72        3 - 11
Result, %    0          9            66             < 6
""")

    assert [four[:3] for four in results(found)] == [
        ("Basophils", 0, "%"),
        ("Neutrophils band", 9, "%"),
        ("Neutrophils segmented", 66, "%"),
        ("Monocytes", 6, "%"),
    ]
    assert found["observations"][3]["comparator"] == "<"
