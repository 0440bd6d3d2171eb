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
