"""Results in the sentences of a letter."""

from tests.unit.processors.lab_report.test_reports import read, results

LETTER = """
Labor bei Aufnahme am 04.03.2026 (Referenzbereich in Klammern)
Blutbild: Leukozyten 14,8 /nl (4,0-10,0), Hämoglobin 11,7 g/dl
(12,0-15,5), MCV 88,9 fl (80-96), Thrombozyten 402 /nl (150-400).
Chemie: eGFR (CKD-EPI) 36 ml/min (> 60), Troponin T hs < 13
ng/l (< 14), INR 1,05 (0,85-1,15).
Sonographie: rechte Niere 11,8 cm, linke Niere 10,4 cm lang.
"""


def test_ranges_in_brackets_tell_results() -> None:
    assert results(read(LETTER)) == [
        ("Leukozyten", 14.8, "/nl", "4,0-10,0"),
        ("Hämoglobin", 11.7, "g/dl", "12,0-15,5"),
        ("MCV", 88.9, "fl", "80-96"),
        ("Thrombozyten", 402, "/nl", "150-400"),
        ("eGFR (CKD-EPI)", 36, "ml/min", "> 60"),
        ("Troponin T hs", 13, "ng/l", "< 14"),
        ("INR", 1.05, None, "0,85-1,15"),
    ]


def test_a_limit_is_told_as_one() -> None:
    troponin = read(LETTER)["observations"][5]

    assert troponin["comparator"] == "<"


def test_without_ranges_several_known_names_are_results() -> None:
    found = read("""
Blood count of 04.02.2025: haemoglobin 109 g/L, haematocrit
32.8 %, platelets 341 10^9/L, neutrophils 68 %, lymphocytes 17 %,
monocytes 6 %, ESR 41 mm/h.
""")

    assert [(name, value) for name, value, *_ in results(found)] == [
        ("haemoglobin", 109),
        ("haematocrit", 32.8),
        ("platelets", 341),
        ("neutrophils", 68),
        ("lymphocytes", 17),
        ("monocytes", 6),
        ("ESR", 41),
    ]


def test_doses_and_signs_are_no_results() -> None:
    found = read("""
On admission pulse 104 /min, temperature 39.1 °C, weight 71 kg.
She takes losartan 50 mg, bisoprolol 2.5 mg, furosemide 40 mg, aspirin 100 mg.
""")

    assert results(found) == []


def test_a_paragraph_without_results_is_common() -> None:
    found = read("""
Seen on 12.04.2025 with pulse 104 /min, temperature 39.1 °C, weight 71 kg, height 180 cm,
and sent home with losartan 50 mg, bisoprolol 2.5 mg, furosemide 40 mg, aspirin 100 mg.
""")

    assert "furosemide 40 mg" in found["common"]


def test_a_list_is_read_line_by_line() -> None:
    found = read("Glucose: 5.1 mmol/L (3.9 - 5.6)\nSodium: 139 mmol/L (136 - 145)\nPotassium: 4.1 mmol/L (3.5 - 5.1)")

    assert [name for name, *_ in results(found)] == ["Glucose", "Sodium", "Potassium"]
