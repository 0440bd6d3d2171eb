"""What was measured is told by the heading that a result stands under."""

from tests.unit.processors.lab_report.test_reports import read


def codes(text: str) -> dict[str, object]:
    return {one["biomarker_name"]: one["biomarker_code"] for one in read(text)["observations"]}


def test_a_heading_does_not_hold_for_what_stands_beside_it() -> None:
    found = codes("""
Blood count                             Chemistry
Haemoglobin   141   g/l     117 - 155   Sodium     139   mmol/l   135 - 145
MCV           88    fl      80 - 99     Potassium  4.1   mmol/l   3.5 - 5.1
Urine                                   Calcium    2.3   mmol/l   2.1 - 2.6
Protein       0.1   g/l     0 - 0.15    Glucose    5.1   mmol/l   3.9 - 5.6
Creatinine    9     mmol/l  3 - 17      Chloride   101   mmol/l   98 - 107
""")

    assert (found["Glucose"], found["Sodium"]) == ("14749-6", "2951-2")
    assert found["Protein"] == "2888-6"


def test_a_heading_over_both_parts_holds_for_both() -> None:
    found = codes("""
Urine
Protein       0.1   g/l     0 - 0.15    Glucose     0.3   mmol/l   0 - 0.8
Creatinine    9     mmol/l  3 - 17      Potassium   41    mmol/l   20 - 80
""")

    assert (found["Glucose"], found["Potassium"]) == ("U-GLUC", "2828-2")


def test_headings_side_by_side_hold_for_what_is_below_each() -> None:
    found = codes("""
Blood                                   Urine
Haemoglobin   141   g/l     117 - 155   Protein     0.1   g/l      0 - 0.15
Glucose       5.1   mmol/l  3.9 - 5.6   Creatinine  9     mmol/l   3 - 17
""")

    assert (found["Glucose"], found["Protein"]) == ("14749-6", "2888-6")
