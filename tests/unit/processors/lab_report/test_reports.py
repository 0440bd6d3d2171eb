"""Whole reports of shapes that laboratories use, as lines of text, with what is found in them."""

from typing import Any

from tests.unit.processors.lab_report.sheets import tagger, words

from blobforge.processors.lab_report.biomarkers import table
from blobforge.processors.lab_report.output.normal_form import normal_form
from blobforge.processors.lab_report.report import read_report


def read(text: str) -> dict[str, Any]:
    return dict(normal_form(read_report({1: words(text)}, tagger(), table()), table()))


def results(found: dict[str, Any]) -> list[tuple[Any, ...]]:
    keys = ("biomarker_name", "value", "unit", "reference_range")
    return [tuple(one[key] for key in keys) for one in found["observations"]]


def test_a_report_with_columns_in_range_and_out_of_range() -> None:
    found = read("""
Patient Information                   Specimen Information          Client Information
SMITH, JANE ANNE                      Specimen: WX123456            Client #: 998877
DOB/Age: 03/25/1975 (49 Y)            Collected: 02/14/2024         Dr. Robert Brown

Test Name                     In Range     Out Of Range     Reference Range          Lab
  CHOLESTEROL, TOTAL                       234 H            <200 mg/dL
  HDL CHOLESTEROL             55                            > OR = 50 mg/dL
  LDL-CHOLESTEROL                          157 H            mg/dL (calc)
HEMOGLOBIN A1c                5.4                           <5.7 % of total Hgb        EN
For the purpose of screening for the presence of diabetes:
5.7-6.4%    Consistent with increased risk for diabetes (prediabetes)
> or =6.5%  Consistent with diabetes
""")

    assert (found["first_name"], found["second_name"], found["DOB"]) == ("JANE ANNE", "SMITH", "25.03.1975")
    assert results(found) == [
        ("CHOLESTEROL, TOTAL", 234, "mg/dL", "<200"),
        ("HDL CHOLESTEROL", 55, "mg/dL", "> OR = 50"),
        ("LDL-CHOLESTEROL", 157, "mg/dL", None),
        ("HEMOGLOBIN A1c", 5.4, "% of total Hgb", "<5.7"),
    ]


def test_a_german_report_with_an_address_and_ranges_of_two_lines() -> None:
    found = read("""
Herr
Max Beispiel                              Eingang: 03.05.2024
Geb.: 11.08.1955                          Auftrag: 00-1234-5678

Parameter            Wert      Einheit     Normbereich        -  o  +
Kalium               5,6 +     mmol/l      3,5 - 5,1
Cholesterin          243 +     mg/dl       Männer: < 200
                                           Frauen: < 210
PSA gesamt           1.250     ng/ml       bis 4,0
Leukozyten           7.800     /µl         4.000 - 10.000
Nitrit im Urin       negativ               negativ
""")

    assert (found["first_name"], found["second_name"], found["DOB"]) == ("Max", "Beispiel", "11.08.1955")
    assert results(found) == [
        ("Kalium", 5.6, "mmol/l", "3,5 - 5,1"),
        ("Cholesterin", 243, "mg/dl", "Männer: < 200 Frauen: < 210"),
        ("PSA gesamt", 1.25, "ng/ml", "bis 4,0"),
        ("Leukozyten", 7800, "/µl", "4.000 - 10.000"),
    ]
    assert "Nitrit im Urin negativ negativ" in found["common"]


def test_a_french_report_with_previous_results_and_other_units() -> None:
    found = read("""
M. MARTIN Jean-Pierre                Demandeur : Dr LEROY
Né le : 12/04/1958  Sexe : M         Prélevé le 03/02/2025 à 08h15
Leucocytes                 8 450    /mm3                 4 000 - 10 000          7 900
Hémoglobine                15,4     g/100 mL             13,4 - 16,7             15,2
Glycémie à jeun            1,12 g/L                      0,70 - 1,10
   soit                    6,22 mmol/L                   3,89 - 6,11
""")

    assert (found["first_name"], found["second_name"], found["DOB"]) == ("Jean-Pierre", "MARTIN", "12.04.1958")
    assert results(found) == [
        ("Leucocytes", 8450, "/mm3", "4 000 - 10 000"),
        ("Hémoglobine", 15.4, "g/100 mL", "13,4 - 16,7"),
        ("Glycémie à jeun", 1.12, "g/L", "0,70 - 1,10"),
        ("Glycémie à jeun", 6.22, "mmol/L", "3,89 - 6,11"),
    ]


def test_results_that_are_labelled_under_the_name_of_the_test() -> None:
    found = read("GLUCOSE\nResult: 5.1 mmol/L\nReference: 3.9 - 5.6\nSODIUM\nResult: 139 mmol/L\nReference: 136 - 145")

    assert results(found) == [("GLUCOSE", 5.1, "mmol/L", "3.9 - 5.6"), ("SODIUM", 139, "mmol/L", "136 - 145")]


def test_two_panels_side_by_side_are_headed_by_their_names() -> None:
    found = read("""
Chemistry       Result   Range      Hematology      Result   Range
Glucose         95       70-99      WBC             5.6      4.0-10.0
Creatinine      0.9      0.6-1.2    Hemoglobin      13.9     12-16
""")

    assert [name for name, *_ in results(found)] == ["Glucose", "Creatinine", "WBC", "Hemoglobin"]


def test_a_name_that_reaches_over_the_next_column_is_whole() -> None:
    found = read("""
                            Resultado          Unidades       Intervalo de referencia
 Glucosa                    104    *           mg/dL          [74 - 100]
 Filtrado glomerular (CKD-EPI)   >90           mL/min/1.73m2  [>60]
""")

    assert [name for name, *_ in results(found)] == ["Glucosa", "Filtrado glomerular (CKD-EPI)"]
    assert found["observations"][1]["comparator"] == ">"


def test_heads_over_the_person_have_their_values_below() -> None:
    found = read("""
Patient/in         Geb.-Datum      Geschlecht    Auftrag
Schmidt, Karl      21.09.1948      m             4711
Analyse                Ergebnis        Referenz        Einheit     Vorwert 01.03.24
NT-proBNP              1.432 ↑         < 125           pg/ml       980
INR                    1,07                                        1,05
""")

    assert (found["first_name"], found["second_name"], found["DOB"]) == ("Karl", "Schmidt", "21.09.1948")
    assert results(found) == [("NT-proBNP", 1432, "pg/ml", "< 125"), ("INR", 1.07, None, None)]


def test_what_a_method_can_do_is_no_result() -> None:
    found = read("""
Component                Value      Ref Range & Units          Status
Hemoglobin               11.1 (L)   12.0 - 16.0 g/dL           Final
Sensitivity: 99 %
Sample volume: 5 mL
Specifications: Intra assay (%CV):5.3 %, Inter assay (%CV):11.9 %; Sensitivity:3.2 ng/ml
Normal: 4.0 - 5.6 %      Target: < 7 %
""")

    assert results(found) == [("Hemoglobin", 11.1, "g/dL", "12.0 - 16.0")]


def test_the_same_name_twice_is_told_apart_by_its_unit() -> None:
    found = read("Neutrophils     58.2    %          40 - 75\nNeutrophils     4.31    10^9/L     2.0 - 7.5")

    codes = [one["biomarker_code"] for one in found["observations"]]
    assert len(set(codes)) == 2
    assert None not in codes


def test_a_heading_tells_what_was_measured_in() -> None:
    found = read("""
BLOOD CHEMISTRY
Glucose         5.1     mmol/L     3.9 - 5.6
Creatinine      78      umol/L     45 - 90
URINE ANALYSIS
Glucose         0.3     mmol/L     0.0 - 0.8
""")

    in_blood, _, in_urine = (one["biomarker_code"] for one in found["observations"])
    assert in_blood != in_urine


def test_the_steps_of_a_scale_are_no_results() -> None:
    found = read("""
Test                       Result      Units      Reference Range
Vitamin D, 25-Hydroxy      24.1        ng/mL      30.0 - 100.0
Interpretation of 25-OH Vitamin D:
  Deficient                < 20        ng/mL
  Insufficient             20 - 29     ng/mL
  Potential toxicity       > 150       ng/mL
Risk category        LDL goal (mg/dL)     Non-HDL goal (mg/dL)
Very high risk       < 70                 < 100
Invoice total                     145.00 EUR
""")

    assert results(found) == [("Vitamin D, 25-Hydroxy", 24.1, "ng/mL", "30.0 - 100.0")]
    assert "Insufficient 20 - 29 ng/mL" in found["common"]


def test_a_spanish_report_of_urine_and_blood() -> None:
    found = read("""
Paciente: Ana Ruiz Soto    Sexo: M    Edad: 33
Fecha de nacimiento: 2 de abril de 1991
Examen de orina
Densidad                1.020          1.005 - 1.030
Leucocitos              0 - 2 /campo   0 - 5 /campo
Hemograma
Hemoglobina             12,9 g/dL      12,0 - 16,0
Neutrófilos             58 %           40 - 70
                        3.944 /mm3     1.800 - 7.000
""")

    assert (found["first_name"], found["second_name"], found["DOB"]) == ("Ana", "Ruiz Soto", "02.04.1991")
    assert results(found) == [
        ("Densidad", 1.02, None, "1.005 - 1.030"),
        ("Hemoglobina", 12.9, "g/dL", "12,0 - 16,0"),
        ("Neutrófilos", 58, "%", "40 - 70"),
        ("Neutrófilos", 3944, "/mm3", "1.800 - 7.000"),
    ]
    assert found["observations"][1]["biomarker_code"] == "718-7"


def coded(found: dict[str, Any]) -> list[str | None]:
    return [one["biomarker_code"] for one in found["observations"]]


def test_a_report_that_does_not_speak_of_urine_is_of_blood() -> None:
    found = read("Leukozyten        11.800   /µl     4.000 - 10.000\nHarnstoff         31       mg/dl   17 - 48")

    assert coded(found) == ["6690-2", "3091-6"]


def test_what_blood_and_urine_share_has_no_code_where_nothing_tells_them_apart() -> None:
    found = read("Leukozyten        25   /µl     < 20\nNitrit im Urin    negativ")

    assert coded(found) == [None]


def test_the_name_of_a_test_is_no_heading() -> None:
    """R3-26."""
    found = read("Harnsäure\n7,4 mg/dl\nRef: 3,4 - 7,0\nhs-CRP\n0,8 mg/l\nRef: < 3,0")

    assert coded(found) == ["3084-1", "30522-7"]
