"""Of several columns of results with their days, the newest has the result; the others are no observations."""

import pytest
from tests.unit.processors.lab_report.sheets import rows, tagger

from blobforge.processors.lab_report.biomarkers import table
from blobforge.processors.lab_report.lines.observation import Observation
from blobforge.processors.lab_report.lines.tagged_line import lines_of
from blobforge.processors.lab_report.notation.dates import DateOrder
from blobforge.processors.lab_report.passes.pipeline import read_lines


def read(text: str, *, month_first: bool = False) -> list[Observation]:
    found = read_lines(lines_of(rows(text), tagger()), table(), DateOrder(month_first=month_first))
    return [reading for each in found for reading in each.observations if reading.value]


def values(text: str) -> list[tuple[str, str]]:
    return [(reading.name, reading.value) for reading in read(text)]


def test_the_newest_day_may_be_the_last_column() -> None:
    (sodium, creatinine) = read(
        "Test          03/05/2022   14/11/2023   21/02/2025   Units     Reference\n"
        "Sodium        139          141          140          mmol/L    137-147\n"
        "Creatinine    66           70           88 H         umol/L    40-80"
    )

    assert (sodium.value, sodium.unit, sodium.range) == ("140", "mmol/L", "137-147")
    assert (creatinine.value, creatinine.range) == ("88", "40-80")


def test_the_newest_day_may_be_the_first_column() -> None:
    assert values(
        "Parameter     Einheit   Referenz     14.02.2025   13.02.2025   03.09.2024\n"
        "Natrium       mmol/l    135-145      137          136          139\n"
        "CRP           mg/l      < 5,0        38,4 +       61,2 +       1,3"
    ) == [("Natrium", "137"), ("CRP", "38,4")]


def test_days_may_stand_above_the_other_heads() -> None:
    (sodium, chloride) = read(
        "Date            03/05/22     14/11/23\n"
        "Time            0915         1010\n"
        "Lab Number      6612031      7720118     Units     Reference\n"
        "Sodium          139          141         mmol/L    (137-147)\n"
        "Chloride        103          104         mmol/L    (96-109)"
    )

    assert (sodium.value, sodium.unit, sodium.range) == ("141", "mmol/L", "137-147")
    assert chloride.value == "104"


def test_days_may_stand_below_heads_that_are_all_alike() -> None:
    (glucose,) = read(
        "Parámetro     Resultado    Resultado    Unidades   Rango de\n"
        "              12/05/2024   02/01/2024              referencia\n"
        "Glucosa       96           101          mg/dL      70 - 110"
    )

    assert (glucose.value, glucose.unit, glucose.range) == ("96", "mg/dL", "70 - 110")


def test_days_need_no_other_head() -> None:
    (sodium, _) = read(
        "                03/05/22     14/11/23\n"
        "Sodium          139          141          mmol/L    137-147\n"
        "Chloride        103          104          mmol/L    96-109"
    )

    assert (sodium.value, sodium.unit, sodium.range) == ("141", "mmol/L", "137-147")


def test_a_column_of_results_without_a_day_is_the_current_one() -> None:
    assert values(
        "Examen        Résultat    Unité     Norme        11/03/2024   02/10/2023\n"
        "Ferritine     64          µg/L      30 - 400     58           71"
    ) == [("Ferritine", "64")]


def test_what_was_only_measured_earlier_is_no_result() -> None:
    assert values(
        "Parameter     Einheit   Referenz     14.02.2025   10.02.2025\n"
        "Natrium       mmol/l    135-145      137          131\n"
        "Calcium       mmol/l    2,15-2,50                 2,10"
    ) == [("Natrium", "137")]


@pytest.mark.parametrize(("month_first", "value"), [(False, "141"), (True, "139")])
def test_the_order_of_days_and_months_tells_which_day_is_newer(month_first: bool, value: str) -> None:
    (reading,) = read(
        "Test          07/02/2024   06/03/2024   Units     Range\n"
        "Sodium        139          141          mmol/L    137-147",
        month_first=month_first,
    )

    assert reading.value == value


def test_two_dates_of_a_patients_block_head_no_table() -> None:
    assert values("DOB     03/07/1969     Printed     04/05/2024\nSodium  139  mmol/L   137-147") == [("Sodium", "139")]


def test_days_may_stand_close_to_other_heads() -> None:
    assert values(
        "Parameter     Einheit   Referenzbereich 14.02.2025 03.09.2024\n"
        "Natrium       mmol/l    135-145         137        139\n"
        "Kalium        mmol/l    3,5-5,1         4,4        4,3"
    ) == [("Natrium", "137"), ("Kalium", "4,4")]


def test_a_day_that_is_none_heads_nothing() -> None:
    assert values("Test          31.02.2025   Units\nSodium        139          mmol/L") == [("Sodium", "139")]


def test_a_result_with_the_day_of_the_one_before_it_is_no_head() -> None:
    assert values(
        "Test          Result   Previous Result and Date   Units     Range\n"
        "Sodium        139      141   08/14/2023           mmol/L    137-147\n"
        "Potassium     4.1      4.0   08/14/2023           mmol/L    3.5-5.1"
    ) == [("Sodium", "139"), ("Potassium", "4.1")]


def test_an_earlier_result_is_no_name() -> None:
    assert values("Test          03.09.2024   14.02.2025\n              81 mmol/L    74 mmol/L     53 - 97") == []


def test_a_range_may_stand_behind_an_earlier_result() -> None:
    (reading,) = read("Parameter     Ergebnis       Vorwert\nNatrium       133 mmol/l     131      [135-145]")

    assert (reading.value, reading.range) == ("133", "135-145")


def test_a_day_may_have_its_weekday() -> None:
    assert values(
        "Analyse       Einheit   Referenz      Di 03.06.25   So 08.06.25\n"
        "Natrium       mmol/l    135 - 145     133 L         141\n"
        "Kalium        mmol/l    3,5 - 5,0     3,3 L         3,9"
    ) == [("Natrium", "141"), ("Kalium", "3,9")]


def test_results_without_a_head_stand_left_of_ranges_and_earlier_ones() -> None:
    (sodium, potassium) = read(
        "                                Valeurs de référence    12/03/2025\n"
        "Sodium            142 mmol/L    136 à 145               141\n"
        "Potassium         4,1 mmol/L    3,5 à 5,1               4,2"
    )

    assert (sodium.value, sodium.range) == ("142", "136 à 145")
    assert (potassium.value, potassium.unit) == ("4,1", "mmol/L")


def test_a_limit_before_its_range_is_the_result_and_not_the_earlier_one() -> None:
    (reading,) = read("TSH ultrasensible      < 0,01 mUI/L     (0,27 à 4,20)     0,84")

    assert (reading.comparator, reading.value, reading.range) == ("<", "0,01", "0,27 à 4,20")


def test_the_names_of_columns_may_stand_a_little_below_the_days() -> None:
    text = (
        "Collected     06 Jun 2023    11 Mar 2026\n"
        "                                            Units     Ref. Interval\n"
        "Sodium        141            139            mmol/L    (136 - 145)\n"
        "Potassium     4.2            4.1            mmol/L    (3.5 - 5.1)"
    )

    assert values(text) == [("Sodium", "139"), ("Potassium", "4.1")]
