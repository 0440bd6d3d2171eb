"""What looks like a result and is none: numbers of things, years, limits, and the next line of a comment."""

import pytest
from tests.unit.processors.lab_report.test_observations import four, read
from tests.unit.processors.lab_report.test_reports import read as read_report
from tests.unit.processors.lab_report.test_reports import results


@pytest.mark.parametrize(
    "line",
    [
        "27, avenue du Pont - 69400 VILLEFRANCHE       Accréditation n° 8-3157",
        "LDL-Zielwerte nach ESC/EAS 2019: niedriges Risiko < 116 mg/dl, hohes Risiko < 70",
        "Colesterolo HDL            mg/dl    v.n. oltre 40",
        "ArogyaPath Technologies       022-4999 0101 | 8499 990 100",
        "Focused diagnostics           022 - 5550 1212",
        "M.D. Pathology, Regd. PMC 90417       Sunday : 8.00 am to 1.00 pm",
        "1204 - 55 Sorauren Drive    Card #:    5584 219 307    Received:    2024-03-06",
        "Laboratory Services - St. Brendan Medical Center - 2200      Lab: 4 - 9",
        "Copper, Serum or Plasma       0099475",
        "KIDNEY PANEL - 1",
        "Mangel: unter 20       Insuffizienz: 20 bis 29       ausreichend: ab 30 ng/ml",
        "Colesterol total (mg/dL)      menor a 200     200 a 239    240 o más",
        "HbA1c in %       4.0-5.6      5.7-6.4     >= 6.5     < 7.0",
        "Vitamin D: unter 20 ng/ml Mangel, 20 bis 30 ng/ml suboptimale Versorgung.",
        "- Risque cardiovasculaire faible : < 1,16 g/L (3,0 mmol/L)",
        "Martin SS et al. JAMA. 2013;310(19): 2061-2068",
        "A ferritin under 30 ug/L nearly always means low iron stores in adults",
    ],
)
def test_this_line_has_no_result(line: str) -> None:
    assert read(line) == []


@pytest.mark.parametrize(
    "line",
    [
        "4 Wochen empfohlen. TSH über 4.20 mU/l bei solchen Antikörpern: passend zu",
        "una volta al giorno per almeno 4 settimane.",
        "dreimal am Tag, danach Losartan 50 mg am Abend.",
    ],
)
def test_the_next_line_of_a_comment_has_no_result(line: str) -> None:
    found = read_report(f"""
Test            Result    Units     Reference
Calcium         2.71      mmol/l    2.15 - 2.55
Bei erhöhtem Calcium wird eine Kontrolle von allen diesen Werten in 2 bis
{line}
Sodium          139       mmol/l    135 - 145
""")

    assert [name for name, *_ in results(found)] == ["Calcium", "Sodium"]
    assert line in found["common"]


def test_a_result_below_a_comment_is_one() -> None:
    found = read("Das sagt hier noch lange nichts über die Werte aus\nGlucose im Serum 5.1 mmol/l")

    assert [four(reading) for reading in found] == [("Glucose im Serum", "5.1", "mmol/l", None)]


def test_less_than_could_be_measured_is_a_result_and_what_follows_its_range_is_not() -> None:
    (reading,) = read("Transaminases ALAT      < 5 U/L    (Inf. à 41)    22")

    assert (reading.value, reading.comparator, reading.range) == ("5", "<", "Inf. à 41")


def test_a_result_in_words_does_not_end_a_block() -> None:
    found = read("""
Vitamine D                       24    ng/mL   30 - 60
Anticorps anti-toxoplasme IgG    Négatif
Anticorps inconnus totaux        68    UI/mL
""")

    assert [four(reading) for reading in found][1:] == [("Anticorps inconnus totaux", "68", "UI/mL", None)]


def test_ranges_of_groups_stand_below_each_other() -> None:
    (reading,) = read("""
HEMOGLOBINA GLICOSILADA     7,2 %
Valor de referencia:  No diabético: menor de 5,7
                      Aumentado: 5,7 a 6,4
                      Diabetes: 6,5 o mayor
""")

    assert reading.range == "No diabético: menor de 5,7 Aumentado: 5,7 a 6,4 Diabetes: 6,5 o mayor"


TABLE = """
Test            Result    Units     Reference
Sodium          139       mmol/l    135 - 145
"""


@pytest.mark.parametrize(
    "line",
    [
        "Occult blood    1+                  Negative",
        "« 09 » November 2026 g",
        "Your sodium has risen since your 2022 screen (133). About 1 in 2 adults",
        "procedure by DIN EN ISO 15189       page 2 of 2",
    ],
)
def test_this_line_under_a_head_has_no_result(line: str) -> None:
    assert [name for name, *_ in results(read_report(TABLE + line))] == ["Sodium"]


def test_a_form_with_ranges_and_no_result_has_none() -> None:
    found = read("""
AST          up to 40 U/l    131
GGT          up to 60 U/l
Amylase      up to 100 U/l   64
""")

    assert [reading.name for reading in found] == ["AST", "Amylase"]


def test_what_was_not_measured_yet_has_no_number_from_the_next_column() -> None:
    found = read("""
Test                     Result          Flag    Units    Reference Interval    Lab
Glucose                  92                      mg/dL    65 - 99               01
Estradiol, Sensitive     WILL FOLLOW                                            02
""")

    assert [reading.name for reading in found] == ["Glucose"]


def test_each_cell_of_a_list_is_a_result_or_none() -> None:
    found = read("Colour: yellow     Specific gravity: 1.022     Protein: 0.066 g/l     Glucose: not detected")

    assert [(reading.name, reading.value) for reading in found] == [
        ("Specific gravity", "1.022"),
        ("Protein", "0.066"),
    ]
