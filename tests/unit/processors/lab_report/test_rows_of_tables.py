"""What stands in the rows of a table besides name, value and range: numbers of lines, flags, codes, notes, steps."""

import pytest
from tests.unit.processors.lab_report.test_observations import four, read


@pytest.mark.parametrize(
    "row",
    [
        "1     Albumin          41       35 - 50 g/l",
        "      Albumin          41       35 - 50 g/l",
        "H     Albumin          41       35 - 50 g/l",
    ],
)
def test_a_number_or_a_flag_before_the_name_is_no_part_of_it(row: str) -> None:
    (reading, *_) = read(
        f"№     Name             Found    Norm\n{row}\n2     Sodium           139      135 - 145 mmol/l"
    )

    assert four(reading) == ("Albumin", "41", "g/l", "35 - 50")


def test_codes_of_laboratories_are_no_units() -> None:
    found = read("""
Test Name              In Range     Reference Range          Lab
CHOLESTEROL, TOTAL     223          <200 mg/dL               DL
SODIUM                 140          135-146 mmol/L           DL
""")

    assert [(reading.unit, reading.range) for reading in found] == [("mg/dL", "<200"), ("mmol/L", "135-146")]


def test_an_abbreviation_behind_the_value_is_its_unit() -> None:
    found = read("""
Test                     Range       Result
Antibodies, Toxocara     < 0.9       0.52 КП
Sodium                   135 - 145   139 mmol/l
""")

    assert found[0].unit == "КП"


@pytest.mark.parametrize(
    ("rows", "printed"),
    [
        (("H : 13 - 17", "F : 12 - 16"), "H : 13 - 17 F : 12 - 16"),
        (("< 40 Low", ">= 60 High"), "< 40 Low >= 60 High"),
        (("Normal < 100", "Impaired: 100 to 125"), "Normal < 100 Impaired: 100 to 125"),
        (("Adult women", "80 - 200"), "Adult women 80 - 200"),
        (("90 - 120 : Good", "121 - 150 : Fair"), "90 - 120 : Good 121 - 150 : Fair"),
    ],
)
def test_a_range_of_several_lines_is_kept_as_printed(rows: tuple[str, str], printed: str) -> None:
    first, second = rows
    found = read(f"""
Test             Result    Units    Reference
Something        14        g/dl     {first}
                                    {second}
""")

    assert [reading.range for reading in found] == [printed]


def test_a_method_may_stand_before_the_next_part_of_a_range() -> None:
    found = read("""
Test                     Result    Units     Reference
FSH                      6.42      IU/l      Follicular: 3.5 - 12.5
ECLIA, analyser 801                          Ovulation: 4.7 - 21.5
""")

    assert [four(reading) for reading in found] == [
        ("FSH", "6.42", "IU/l", "Follicular: 3.5 - 12.5 Ovulation: 4.7 - 21.5")
    ]


def test_a_labelled_range_may_stand_behind_the_method() -> None:
    found = read("""
Glucose                  4.8 mmol/L
Hexokinase               Ref.: 3.9 - 5.9
""")

    assert [four(reading) for reading in found] == [("Glucose", "4.8", "mmol/L", "3.9 - 5.9")]


def test_targets_under_a_note_are_no_range() -> None:
    found = read("""
Test                     Result    Units     Reference
LDL                      2.10      mmol/L
Targets of LDL by the risk:
Low: < 3.0 mmol/L        Moderate: < 2.6 mmol/L
""")

    assert [four(reading) for reading in found] == [("LDL", "2.10", "mmol/L", None)]


def test_a_step_of_a_scale_stays_with_its_limit() -> None:
    (reading,) = read("Folate      4.1     ng/ml     deficient < 3.1")

    assert reading.range == "deficient < 3.1"


def test_a_name_that_ends_in_a_small_word_goes_on() -> None:
    found = read("""
Test                             Result    Units    Range
Concentration of something in    314       g/l      320 - 360
cells, mean
""")

    assert [reading.name for reading in found] == ["Concentration of something in cells, mean"]


@pytest.mark.parametrize(
    "row",
    [
        "Haematology   L    Ferritin       9        ug/L     20 - 200",
        "                   Ferritin   L   9        ug/L     20 - 200",
    ],
)
def test_a_title_or_a_flag_beside_the_name_is_no_part_of_it(row: str) -> None:
    (reading,) = read(f"                   Test           Result   Units    Reference\n{row}")

    assert four(reading) == ("Ferritin", "9", "ug/L", "20 - 200")


def test_units_stand_below_heads_of_two_lines() -> None:
    found = read("""
                       Result,    Norm,
No.     Test
                       U/l        U/l
1.      ALT            27         up to 34
2.      AST            22         up to 31
""")

    assert [four(reading) for reading in found] == [("ALT", "27", "U/l", "up to 34"), ("AST", "22", "U/l", "up to 31")]


def test_results_outside_and_inside_of_the_range_have_columns_each() -> None:
    found = read("""
Analyse          ausserhalb    innerhalb    Einheit    Referenzbereich    03.02.2026
                 Referenz      Referenz                                   Vorresultat
Hämoglobin                     132          g/l        117 - 153          128
Glucose          5.8                        mmol/l     3.9 - 5.6          5.5
""")

    assert [(reading.name, reading.value) for reading in found] == [("Hämoglobin", "132"), ("Glucose", "5.8")]


def test_the_head_of_the_next_page_is_no_row() -> None:
    found = read("""
Test               Range        Units      Result
Sodium             135 - 145    mmol/l     139
Doe, John          born 14.06.1958         Case 7
""")

    assert [reading.name for reading in found] == ["Sodium"]


def test_a_year_goes_on_an_unfinished_name() -> None:
    found = read("""
Test                       Result    Units     Range
Filtration rate (eGFR) n.  62        ml/min    > 90
CKD-EPI 2009
""")

    assert [reading.name for reading in found] == ["Filtration rate (eGFR) n. CKD-EPI 2009"]


def test_a_unit_that_no_head_stands_over_is_no_part_of_the_name() -> None:
    found = read("""
Test                              Range        Result
Something         mmol/l          135 - 145    139
""")

    assert [four(reading) for reading in found] == [("Something", "139", "mmol/l", "135 - 145")]


def test_cells_in_a_field_are_a_unit() -> None:
    found = read("""
Показатель       Результат    Ед. изм.    Норма
Эритроциты       0            в п/зр.     0 – 2
""")

    assert [four(reading) for reading in found] == [("Эритроциты", "0", "в п/зр.", "0 – 2")]


def test_a_colon_may_be_part_of_a_name_in_a_whole_row() -> None:
    found = read("""
Test                     Range       Result    Units
IgE specific: alder      up to 0.35  0.41      kU/l
""")

    assert [four(reading) for reading in found] == [("IgE specific: alder", "0.41", "kU/l", "up to 0.35")]


def test_a_limit_may_be_equal() -> None:
    found = read("""
COLESTEROL TOTAL      2,31 g/l
Valor de referencia:  Deseable: menor de 2,00
                      Elevado: mayor o igual a 2,40
""")

    assert [reading.range for reading in found] == ["Deseable: menor de 2,00 Elevado: mayor o igual a 2,40"]


def test_a_signature_below_a_range_is_no_part_of_it() -> None:
    found = read("""
Test         Result    Units    Range
VSG          8         mm/h     0 - 15
Diana Cárdenas
                                Reg. 05-1234
""")

    assert [reading.range for reading in found] == ["0 - 15"]


def test_a_numbered_panel_is_no_head() -> None:
    found = read("""
Test                      Result    Units    Range
1001   Analysis of blood
Haematocrit               39.8      %        36.0 - 46.0
Haemoglobin of a cell     29.3      pg       27.0 - 34.0
""")

    assert [reading.name for reading in found] == ["Haematocrit", "Haemoglobin of a cell"]
