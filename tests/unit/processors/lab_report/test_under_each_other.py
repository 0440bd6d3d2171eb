"""Results whose parts stand under each other: cards, notes and ranges below, units below, other units below."""

from tests.unit.processors.lab_report.sheets import moved, tagger, words
from tests.unit.processors.lab_report.test_reports import read, results

from blobforge.processors.lab_report.biomarkers import table
from blobforge.processors.lab_report.output.normal_form import normal_form
from blobforge.processors.lab_report.page.words import PositionedWord
from blobforge.processors.lab_report.report import read_report


def small(page: list[PositionedWord], *lines: int) -> list[PositionedWord]:
    """These lines in smaller print."""
    return [word._replace(size=7.0, top=word.top + 2) if word.top / 16 in lines else word for word in page]


def found_in(page: list[PositionedWord]) -> list[tuple[object, ...]]:
    return results(dict(normal_form(read_report({1: page}, tagger(), table()), table())))


def test_a_value_has_its_name_and_range_above_it() -> None:
    found = read("""
Results
WBC
Normal range: 4.0 - 11.0 K/uL
4.0                 11.0
Value 11.9     High
""")

    assert results(found) == [("WBC", 11.9, "K/uL", "4.0 - 11.0")]


def test_how_it_was_measured_may_stand_between_a_result_and_its_range() -> None:
    found = read("""
GLUCEMIA                     :    118 mg/dl
Método: Hexoquinasa. Suero.
V.R.: 70 a 110 mg/dl
SUSTANCIA DESCONOCIDA        :    39 mg/dl
Método: Ureasa UV
V.R.: 10 a 50 mg/dl
""")

    assert results(found) == [
        ("GLUCEMIA", 118, "mg/dl", "70 a 110 mg/dl"),
        ("SUSTANCIA DESCONOCIDA", 39, "mg/dl", "10 a 50 mg/dl"),
    ]
    assert "Método: Ureasa UV" in found["common"]


def test_a_range_of_several_lines_below_an_unknown_name_is_kept_whole() -> None:
    found = read("""
Qwertin                      :    11.6 mmol/d
Normal: men: 9.0-19.0;
women: 6.0-13.0
""")

    assert results(found) == [("Qwertin", 11.6, "mmol/d", "men: 9.0-19.0; women: 6.0-13.0")]


def test_an_earlier_result_beside_the_range_is_none_of_it() -> None:
    found = read("Ferritin\n21 ug/L\nRange 30 - 400          May 2026: 34")

    assert results(found) == [("Ferritin", 21, "ug/L", "30 - 400")]


def test_groups_of_people_go_on_a_range() -> None:
    found = read("Creatinine      11.6   mmol/d\nNormal: men: 9.0-19.0;\nwomen: 6.0-13.0\n")

    assert results(found) == [("Creatinine", 11.6, "mmol/d", "men: 9.0-19.0; women: 6.0-13.0")]


def test_a_unit_may_stand_below_the_name() -> None:
    page = small(words("Test               Result      Range\nHemoglobin         113         120 - 140\ng/L"), 2)

    assert found_in(page) == [("Hemoglobin", 113, "g/L", "120 - 140")]


def test_the_same_in_another_unit_stands_below_beside_a_note() -> None:
    page = small(
        words("""
Test                Result           Range
Estradiol           61 pg/mL         12 - 233
Chemiluminescence   224 pmol/L
"""),
        2,
    )

    assert found_in(page) == [("Estradiol", 61, "pg/mL", "12 - 233"), ("Estradiol", 224, "pmol/L", None)]


def test_small_print_below_a_name_is_no_part_of_it() -> None:
    page = small(
        words("Test                Result   Unit    Range\nGlucose             5.1      mmol/L  3.9 - 5.6\nper night"),
        2,
    )

    assert found_in(page) == [("Glucose", 5.1, "mmol/L", "3.9 - 5.6")]


def test_a_value_between_the_halves_of_its_name_and_range() -> None:
    text = """
Test                       Result    Unit     Range
Sedimentation rate                            M 2-10
                           22        mm/h
of erythrocytes                               F 2-15
"""
    page = [word._replace(top=8 * word.top / 16, bottom=8 * word.top / 16 + 10) for word in words(text)]

    assert found_in(page) == [("Sedimentation rate of erythrocytes", 22, "mm/h", "M 2-10 F 2-15")]


def test_a_goal_is_a_range_and_a_badge_is_no_name() -> None:
    found = read("""
Cholesterol/HDL Ratio        ● In goal
3.8
Goal: less than 4.5          Last year: 3.3

HDL Cholesterol              Low
41 mg/dL
Goal: 50 or higher           Last year: 61
""")

    assert results(found) == [
        ("Cholesterol/HDL Ratio", 3.8, None, "less than 4.5"),
        ("HDL Cholesterol", 41, "mg/dL", "50 or higher"),
    ]


def test_the_code_of_a_card_is_not_its_name() -> None:
    found = read("""
Haemoglobin in blood
LOINC code       718-7
Value            129 g/L
Reference range  120-160 g/L
""")

    assert results(found) == [("Haemoglobin in blood", 129, "g/L", "120-160 g/L")]


def test_a_unit_may_stand_where_the_name_should() -> None:
    page = small(
        words("""
Test                   Result    Expected range    Status
Total cholesterol
mmol/L                 6.1       Less than 5.0     High
HDL cholesterol
mmol/L                 1.62      Greater than 1.2  In range
"""),
        2,
        4,
    )

    assert found_in(page) == [
        ("Total cholesterol", 6.1, "mmol/L", "Less than 5.0"),
        ("HDL cholesterol", 1.62, "mmol/L", "Greater than 1.2"),
    ]


def test_a_name_of_two_lines_stands_around_a_method() -> None:
    found = found_in(
        [
            *words("Test name                   Technology     Value    Units    Range"),
            *moved(words("GAMMA GLUTAMYL TRANSFERASE"), 16),
            *moved(words("                            PHOTOMETRY     44.1     U/L      < 38"), 22),
            *moved(words("(GGT)"), 28),
        ]
    )

    assert found == [("GAMMA GLUTAMYL TRANSFERASE (GGT)", 44.1, "U/L", "< 38")]


def test_smaller_print_right_beside_a_value_is_in_its_line() -> None:
    name, value, unit, limits = (
        PositionedWord("Platelets", 47, 258.2, 130, 267.8, 9.6),
        PositionedWord("341", 492, 262.3, 515, 273.5, 11.2),
        PositionedWord("10*9/L", 517, 264.4, 548, 272.8, 8.4),
        PositionedWord("Norm:150-400", 47, 270, 116, 277.9, 7.9),
    )

    assert found_in([name, value, unit, limits]) == [("Platelets", 341, "10*9/L", "150-400")]


def test_a_range_and_its_name_go_on_beside_each_other() -> None:
    found = found_in(
        [
            *words("Test                     Range              Result"),
            *moved(words("Antibodies, Ascaris      neg. < 0.9         0.37 COI"), 20),
            *moved(words("                         doubtful 0.9-1.1"), 32),
            *moved(words("lumbricoides IgG         pos. > 1.1"), 44),
        ]
    )

    assert found == [("Antibodies, Ascaris lumbricoides IgG", 0.37, "COI", "neg. < 0.9 doubtful 0.9-1.1 pos. > 1.1")]


def test_how_it_was_measured_may_stand_between_a_name_and_its_labelled_result() -> None:
    found = read("""
GLUCEMIA
Método: Hexoquinasa - Suero
Resultado:     0,94 g/l     Valor de referencia:    0,70 a 1,10 g/l
""")

    assert results(found) == [("GLUCEMIA", 0.94, "g/l", "0,70 a 1,10 g/l")]


def test_a_status_beside_the_name_is_no_part_of_it() -> None:
    found = read("""
HDL Cholesterol            In range
66 mg/dL
Lab range > 50
""")

    assert results(found) == [("HDL Cholesterol", 66, "mg/dL", "> 50")]


def test_steps_below_the_name_of_a_test_are_no_results() -> None:
    found = read("""
HS CRP             1.4     mg/L     <3.0
hs-CRP mg/L        Risk
<1.0               Lower
1.0-3.0            Average
""")

    assert results(found) == [("HS CRP", 1.4, "mg/L", "<3.0")]
