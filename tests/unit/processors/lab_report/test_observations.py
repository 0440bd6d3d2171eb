"""Lines become results: under a head, without one, and on two lines; prose does not."""

import pytest
from tests.unit.processors.lab_report.sheets import moved, rows, tagger, words

from blobforge.processors.lab_report.biomarkers import table
from blobforge.processors.lab_report.lines.observation import Observation
from blobforge.processors.lab_report.lines.record import LineRecord
from blobforge.processors.lab_report.lines.tagged_line import lines_of
from blobforge.processors.lab_report.page.margin_notes import without_margin_notes
from blobforge.processors.lab_report.page.rows import rows_of
from blobforge.processors.lab_report.passes.pipeline import read_lines


def recorded(text: str) -> list[LineRecord]:
    return read_lines(lines_of(without_margin_notes(rows(text)), tagger()), table())


def read(text: str) -> list[Observation]:
    return [reading for each in recorded(text) for reading in each.observations if reading.value]


def four(reading: Observation) -> tuple[str, str, str | None, str | None]:
    return reading.name, reading.value, reading.unit, reading.range


@pytest.mark.parametrize(
    "text",
    [
        "Test  Result  Units  Reference Range\nGlucose          5.1     mmol/L   3.9 - 5.6",
        "Glucose          5.1     mmol/L   3.9 - 5.6",
        "Glucose          5.1 mmol/L       (3.9 - 5.6)",
        "Glucose          5.1 H   3.9 - 5.6   mmol/L",
        "Glucose          3.9 - 5.6   mmol/L    5.1",
        "Glucose: 5.1 mmol/L [Ref: 3.9 - 5.6] Normal",
        "Glucose * 5.1 mmol/L 3.9 - 5.6",
        "Glucose          H       5.1     mmol/L   3.9 - 5.6",
        "Glucose (mmol/L)      5.1     3.9 - 5.6",
        "1.  Glucose      5.1     mmol/L   3.9 - 5.6",
        "Analyt     Wert     Einheit    Norm\nGlucose    5.1      mmol/L     3.9 - 5.6",
    ],
)
def test_a_result_is_read_in_any_order(text: str) -> None:
    """R3-20."""
    assert [four(reading) for reading in read(text)] == [("Glucose", "5.1", "mmol/L", "3.9 - 5.6")]


@pytest.mark.parametrize(
    "value", ["13.4H", "H 13.4", "*13.4", "13.4 *", "13.4 ↑", "13.4 High", "H13.4", "13.4 +", "13.4 -"]
)
def test_a_flag_may_stand_anywhere_around_the_value(value: str) -> None:
    text = f"Test            Result        Units      Reference Range\nHemoglobin      {value:14}g/dL       12.0 - 15.5"

    assert [four(reading) for reading in read(text)] == [("Hemoglobin", "13.4", "g/dL", "12.0 - 15.5")]


def test_a_limit_in_place_of_a_value_has_a_comparator() -> None:
    (reading,) = read(
        "Analyse      Résultat    Unités    Valeurs de référence\nCRP          < 0,6       mg/L      < 5,0"
    )

    assert (reading.value, reading.comparator, reading.range) == ("0,6", "<", "< 5,0")


def test_two_tables_side_by_side_are_two_tables() -> None:
    read_ = read(
        "Test        Result  Units    Range        Test        Result  Units    Range\n"
        "Glucose     5.1     mmol/L   3.9-5.6      Sodium      139     mmol/L   136-145"
    )

    assert [(reading.name, reading.value) for reading in read_] == [("Glucose", "5.1"), ("Sodium", "139")]


def test_a_previous_result_is_not_the_result() -> None:
    (reading,) = read("Test      Previous   Result   Units    Range\nGlucose   6.2        5.1      mmol/L   3.9-5.6")

    assert reading.value == "5.1"


def test_normal_and_abnormal_results_may_have_columns_of_their_own() -> None:
    read_ = read(
        "Test          Normal    Abnormal   Flag   Units    Reference Range\n"
        "Glucose       5.1                         mmol/L   3.9-5.6\n"
        "Sodium                  150        H      mmol/L   136-145"
    )

    assert [(reading.name, reading.value) for reading in read_] == [("Glucose", "5.1"), ("Sodium", "150")]


def test_low_and_high_columns_make_a_range() -> None:
    (reading,) = read("Test       Result   Units    Min    Max\nGlucose    5.1      mmol/L   3.9    5.6")

    assert reading.range == "3.9 - 5.6"


def test_a_range_may_stand_below_its_value() -> None:
    (reading,) = read("Glucose            5.1 mmol/L\n                   Ref: 3.9 - 5.6")

    assert reading.range == "3.9 - 5.6"


def test_a_range_may_be_broken_in_two() -> None:
    (reading,) = read("Calcium            2.38  mmol/L    2.20 -\n                                   2.55")

    assert reading.range == "2.20 - 2.55"


def test_a_range_that_repeats_the_unit_is_taken_as_it_is_printed() -> None:
    (reading,) = read("Component     Your Value     Standard Range\nGlucose       5.1 mmol/L     3.9 - 5.6 mmol/L")

    assert (reading.unit, reading.range) == ("mmol/L", "3.9 - 5.6 mmol/L")


def test_a_unit_that_only_the_range_has_is_the_units_of_the_value() -> None:
    (reading,) = read("Component     Your Value     Standard Range\nGlucose       5.1            3.9 - 5.6 mmol/L")

    assert (reading.unit, reading.range) == ("mmol/L", "3.9 - 5.6")


def test_what_is_under_the_steps_of_a_scale_is_no_result() -> None:
    text = "                Desirable     Borderline High\nLDL             Optimal < 100   130 - 159"

    assert read(text) == []
    assert [each.rule for each in recorded(text)] == ["scale", "scale"]


def test_a_limit_may_stand_behind_its_value() -> None:
    (reading,) = read("Test              Result\nGlucose           5.1 mmol/L (< 5.6)")

    assert four(reading) == ("Glucose", "5.1", "mmol/L", "< 5.6")


def test_the_ends_of_a_range_may_be_headed_as_such() -> None:
    (reading,) = read(
        "Test       Result    Ref low   Ref high   Units\nGlucose    5.1       3.9       5.6        mmol/L"
    )

    assert reading.range == "3.9 - 5.6"


def test_units_may_be_headed_together_with_names() -> None:
    (reading,) = read("Analyse (unité)       Résultat      Intervalle\nTroponine (ng/L)      19 H          Inf. à 14")

    assert four(reading) == ("Troponine", "19", "ng/L", "Inf. à 14")


def test_a_number_behind_a_result_in_words_is_no_result() -> None:
    text = "Test           Result     Range       Site\nColor          Yellow     Yellow      01"

    assert read(text) == []


def test_the_label_of_a_range_may_stand_above_it() -> None:
    (reading,) = read("TEST NAME      VALUE     UNITS\nIRON           44        µg/dL\nReference Range :\n50 - 170")

    assert reading.range == "50 - 170"


def test_a_labelled_limit_is_no_second_test() -> None:
    (reading,) = read("COLESTEROL TOTAL:      187 mg/dL          V.R.: hasta 200")

    assert reading.range == "hasta 200"


def test_the_title_of_a_page_heads_no_table() -> None:
    assert [each.rule for each in recorded("Test results")] == ["none"]


def test_name_and_range_may_both_go_on_in_the_next_line() -> None:
    heads = words("Test                    Result  Units    Range")
    first = words("Gamma transpeptidase    88      U/L      M: 8 - 61")
    second = words("(GGT)                                    F: 5 - 36")
    page = [*heads, *moved(first, 18), *moved(second, 30)]

    (reading,) = [
        one for each in read_lines(lines_of(rows_of(1, page), tagger()), table()) for one in each.observations
    ]

    assert (reading.name, reading.range) == ("Gamma transpeptidase (GGT)", "M: 8 - 61 F: 5 - 36")


def test_a_range_may_stand_around_its_result() -> None:
    heads = words("Test                    Result  Units    Range")
    rows_ = (
        ("Sodium                  139     mmol/L   136 - 145", 20),
        ("                                         Men: 8 - 61", 39),
    )
    rest = (("Gamma-GT                88      U/L", 45), ("                                         Women: 5 - 36", 51))
    page = [*heads, *(word for text, fall in (*rows_, *rest) for word in moved(words(text), fall))]

    found_ = [one for each in read_lines(lines_of(rows_of(1, page), tagger()), table()) for one in each.observations]

    assert [reading.range for reading in found_] == ["136 - 145", "Men: 8 - 61 Women: 5 - 36"]


def test_a_name_may_go_on_in_the_next_line() -> None:
    (reading,) = read(
        "Test                    Result  Units    Range\n"
        "Mean corpuscular        32.5    g/dL     31-36\n"
        "hemoglobin concentration"
    )

    assert reading.name == "Mean corpuscular hemoglobin concentration"


@pytest.mark.parametrize(
    ("below", "name"), [("(ALT)", "Alanine transaminase (ALT)"), ("(UV kinetic)", "Alanine transaminase")]
)
def test_what_is_in_brackets_below_a_name_is_its_abbreviation_or_a_method(below: str, name: str) -> None:
    (reading,) = read(
        f"Test                    Result  Units    Range\nAlanine transaminase    32      U/L      10-36\n{below}"
    )

    assert reading.name == name


def test_a_name_may_stand_above_its_value() -> None:
    (reading,) = read("Glucose\n5.1 mmol/L\nRef: 3.9 - 5.6")

    assert four(reading) == ("Glucose", "5.1", "mmol/L", "3.9 - 5.6")


def test_numbers_of_a_name_are_no_value() -> None:
    read_ = read("CD 4 Helper      987     /uL     359-1519\nVitamin B12      312     pg/mL   197-771")

    assert [(reading.name, reading.value) for reading in read_] == [("CD 4 Helper", "987"), ("Vitamin B12", "312")]


def test_a_bare_line_among_results_is_a_result() -> None:
    read_ = read("Colesterol HDL 58 mg/dL 40 - 60\nIndice de riesgo cardiovascular 2.3\nHierro 131 µg/dL 50 - 150")

    assert [reading.value for reading in read_] == ["58", "2.3", "131"]


def test_results_in_words_are_no_numbers() -> None:
    """R3-20."""
    text = "Test      Result      Units   Range\nHBsAg     Negative            Negative\nANA       1:80      < 1:40"

    assert read(text) == []
    assert [each.rule for each in recorded(text)] == ["header", "result in words", "result in words"]


@pytest.mark.parametrize(
    "text",
    [
        "Cholesterol below 200 mg/dL is desirable in adults without other risks.",
        "The concentration has been reported to be greater than 400.0 mg/dL.",
        "|  10-50                  | Subclinical          |",
        "Desirable          < 200 mg/dL",
        "Borderline high    200 - 239 mg/dL",
        "Age: 45 Years     Sex: Male",
        "Page 1 of 2",
        "Lab No.  F028001    Collected: 30/5/2022 11:03",
        "Phone: 800-222-7566",
        "27215 Burlington, 1447 York Court",
        "Men 13 - 17 g/dL   Women 12 - 15 g/dL",
        "Cholesterol     < 200     200 - 239",
        "Am Anger 12, 93047 Regensburg     Auftragsnr.  4711-0815",
    ],
)
def test_this_is_no_result(text: str) -> None:
    assert read(text) == []


def test_notes_beside_a_table_do_not_run_into_it() -> None:
    note = "the ranges that appear here are those of the lab"

    read_ = read(
        "\n".join(f"{name}      5.1   mmol/L   3.9-5.6        {note}" for name in ("Glucose", "Calcium", "Lactate"))
    )

    assert [reading.range for reading in read_] == ["3.9-5.6"] * 3


def test_a_printed_code_is_the_code() -> None:
    (reading,) = read("Haemoglobin (LOINC: 718-7): 11.8 g/dL [Ref: 13.5–17.5] LOW")

    assert (reading.name, reading.code) == ("Haemoglobin", "718-7")


@pytest.mark.parametrize(
    "text",
    [
        "Test       Result     Unit     Range\nGlucose    pending    mmol/L   < 5.6",
        "Test       Result     Unit     Range\nGlucose               mmol/L   < 5.6",
        "Colesterolo HDL             mg/dl      v.n. > 40",
        "LDL targets (ESC 2019): very high risk < 1.4 mmol/L",
    ],
)
def test_a_range_is_no_result(text: str) -> None:
    assert read(text) == []


def test_a_number_far_from_its_head_and_beside_its_unit_is_the_value() -> None:
    (reading, _) = read(
        "Esame           Risultato        Unità         Riferimento\n"
        "Creatinina      *         118    µmol/L        F: 45 - 84\n"
        "Sodio           *         134    mmol/L        136 - 145"
    )

    assert four(reading) == ("Creatinina", "118", "µmol/L", "F: 45 - 84")


def test_a_ratio_needs_neither_unit_nor_range() -> None:
    (reading,) = read("Test                    Result    Units    Range\nTotal chol:HDL ratio    3.8")

    assert (reading.name, reading.value) == ("Total chol:HDL ratio", "3.8")


def test_a_bracket_that_is_closed_in_the_next_line_belongs_to_the_name() -> None:
    (reading,) = read(
        "Esame                      Risultato   Unità    Riferimento\n"
        "Filtrato stimato (CKD-EPI  42          mL/min   > 60\n"
        "2021)"
    )

    assert reading.name == "Filtrato stimato (CKD-EPI 2021)"


@pytest.mark.parametrize(
    ("printed", "name"),
    [("Lipoprotein (a) F)", "Lipoprotein (a)"), ("Vitamin D (25-OH D)", "Vitamin D (25-OH D)"), ("Sodium ◊", "Sodium")],
)
def test_marks_of_notes_are_no_part_of_a_name(printed: str, name: str) -> None:
    (reading,) = read(f"{printed}      94    nmol/l    1 - 175")

    assert reading.name == name


def test_a_group_of_people_before_its_range_is_part_of_it() -> None:
    (reading,) = read(
        "Hémoglobine      10.9    g/dL     H : 13.0 - 17.0\n                                  F : 12.0 - 16.0"
    )

    assert reading.range == "H : 13.0 - 17.0 F : 12.0 - 16.0"


def test_a_table_of_targets_has_no_results() -> None:
    assert read("Zielwerte             LDL-C          Non-HDL-C\nsehr hohes Risiko     < 55 mg/dl     < 85 mg/dl") == []


def test_two_tests_on_one_line_are_two_results() -> None:
    first, second = read("Glucose 5.1 mmol/L          Sodium 139 mmol/L")

    assert (first.name, first.value, second.name, second.value) == ("Glucose", "5.1", "Sodium", "139")
