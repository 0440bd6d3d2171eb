"""Tiles side by side are read one column after the other."""

from tests.unit.processors.lab_report.sheets import rows
from tests.unit.processors.lab_report.test_reports import read, results

from blobforge.processors.lab_report.tiles import without_tiles

PAGE = """
Your lab results

Glucose                              Creatinine
117 mg/dL      High                  1.05 mg/dL     Normal
Reference range: 65 - 99 mg/dL       Reference range: 0.70 - 1.30

ALT                                  PSA
38 U/L         Normal                1.9 ng/mL      Normal
Reference range: 9 - 46              Reference range: < 4.0 ng/mL
"""


def test_each_tile_is_a_result() -> None:
    assert results(read(PAGE)) == [
        ("Glucose", 117, "mg/dL", "65 - 99"),
        ("ALT", 38, "U/L", "9 - 46"),
        ("Creatinine", 1.05, "mg/dL", "0.70 - 1.30"),
        ("PSA", 1.9, "ng/mL", "< 4.0"),
    ]


def test_a_label_that_is_there_twice_in_one_line_only_makes_no_tiles() -> None:
    page = rows("Date: 01.02.2024        Date: 02.02.2024\nGlucose     5.1    mmol/L    3.9 - 5.6")

    assert without_tiles(page) == page
