# ruff: noqa: RUF001 - Cyrillic names
"""Which biomarker a printed name stands for, and which names stand for none."""

import pytest

from blobforge.processors.lab_report.biomarkers import Specimen, table


def code(name: str, unit: str | None = None, specimen: Specimen | None = None) -> str | None:
    found = table().find(name, unit=unit, specimen=specimen)
    return found and found.code


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("HEMOGLOBIN", "g/dL", "718-7"),
        ("Hämoglobin", "g/dl", "718-7"),
        ("Hemoglobina", "g/dL", "718-7"),
        ("Гемоглобін", "г/л", "718-7"),
        ("V.C.M", "fL", "787-2"),
        ("C.H.C.M.", "g/dL", "786-4"),
        ("Gamma GT", "U/L", "2324-2"),
        ("γ-GT", "U/l", "2324-2"),
        ("Polynucleaires neutrophiles", "G/L", "751-8"),
        ("Total T4", "nmol/L", "14921-1"),
        ("T4 total", "nmol/L", "14921-1"),
    ],
)
def test_case_accents_punctuation_and_order_of_words_do_not_matter(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("Hemoglobin (HGB)", "g/dL", "718-7"),
        ("Leukozyten (WBC)", "G/l", "6690-2"),
        ("Гемоглобин, HGB", "г/л", "718-7"),
        ("Hemoglobin (HB/Hgb)", "g/dL", "718-7"),
        ("Alanina aminotransferasa (ALT/GPT)", "U/L", "1742-6"),
        ("GPT (ALAT)", "U/l", "1742-6"),
        ("Тиреотропный гормон (ТТГ)", "мкМЕ/мл", "3016-3"),
        ("Phosphor (P)", "mg/dl", "2777-1"),
    ],
)
def test_an_abbreviation_beside_the_name_must_mean_the_same(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected


def test_a_name_whose_parts_disagree_is_not_known() -> None:
    assert code("GPT (ASAT)", "U/l") is None


def test_a_name_with_a_part_that_is_not_known_is_not_known() -> None:
    assert code("Hemoglobin (of the dog)", "g/dL") is None


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("S-Glukose", "mmol/l", "14749-6"),
        ("P-Kreatinin", "µmol/l", "14682-9"),
        ("S. CHOLESTEROL", "mg/dL", "2093-3"),
        ("Kreatinin i.S.", "mg/dl", "2160-0"),
        ("Glucose i. Plasma", "mg/dl", "2345-7"),
        ("S-Protein", "g/l", "2885-2"),
        ("Serum iron", "µg/dL", "2498-4"),
        ("Глюкоза (сыворотка)", "ммоль/л", "14749-6"),
        ("U-Kreatinin", "mg/dl", "2161-8"),
        ("Potassium, urine", "mmol/L", "2828-2"),
        ("Glucose (U)", "mg/dL", "2350-7"),
        ("Белок в моче", "мг/л", "2888-6"),
    ],
)
def test_a_specimen_in_the_name_is_heeded(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize("name", ["Glucose (CSF)", "CSF protein", "Liquor-Glukose", "Sweat chloride"])
def test_a_specimen_that_the_table_does_not_have_gives_nothing(name: str) -> None:
    assert code(name, "mmol/L") is None


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("HbA1c (IFCC)", "mmol/mol", "59261-8"),
        ("LDL cholestérol (calculé)", "g/L", "2089-1"),
        ("LDL-Cholesterin (berechnet)", "mmol/l", "22748-8"),
        ("Холестерин-ЛПНП (расчетный)", "ммоль/л", "22748-8"),
        ("LDL cholesterol, direct", "mg/dL", "2089-1"),
        ("Ferritin (ECLIA)", "ng/mL", "2276-4"),
    ],
)
def test_a_method_that_does_not_change_the_analyte_is_passed_over(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("Neutrophils", "%", "770-8"),
        ("Neutrophils", "10^9/L", "751-8"),
        ("Neutrophils", "cells/µL", "751-8"),
        ("Glucose", "mg/dL", "2345-7"),
        ("Glucose", "mmol/L", "14749-6"),
        ("Protein", "g/L", "2885-2"),
        ("Protein", "mg/24h", "2889-4"),
        ("Leukocytes", "/HPF", "5821-4"),
        ("Leucocytes", "/mm3", "6690-2"),
        ("RDW", "%", "788-0"),
        ("RDW", "fL", "21000-5"),
        ("PCT", "ng/mL", "33959-8"),
        ("PCT", "%", "51637-7"),
        ("TG", "mg/dL", "2571-8"),
        ("Tg", "ng/mL", "3013-0"),
        ("TP", "g/dL", "2885-2"),
        ("TP", "%", "5894-1"),
        ("Albumin", "%", "13980-8"),
        ("Vitamin D", "ng/mL", "62292-8"),
        ("Vitamin D", "pg/mL", "62290-2"),
        ("CK-MB", "U/L", "32673-6"),
        ("CK-MB", "ng/mL", "13969-1"),
    ],
)
def test_the_unit_tells_apart_what_shares_a_name(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize("name", ["Neutrophils", "Glucose", "Protein", "Leukocytes", "Vitamin D", "pH", "TP"])
def test_what_shares_a_name_is_not_guessed_without_a_unit(name: str) -> None:
    assert code(name) is None


@pytest.mark.parametrize(("name", "unit"), [("Leukocytes", "/µL"), ("P-Amylase", "U/L"), ("Ca++", "mmol/L")])
def test_what_no_unit_tells_apart_is_not_guessed(name: str, unit: str) -> None:
    assert code(name, unit) is None


@pytest.mark.parametrize(
    ("specimen", "unit", "expected"),
    [("urine", None, "5799-2"), ("urine", "/µL", "30405-5"), ("blood", "/µL", "6690-2"), ("blood", None, "6690-2")],
)
def test_the_specimen_of_the_surroundings_tells_apart(specimen: Specimen, unit: str | None, expected: str) -> None:
    assert code("Leukocytes", unit, specimen) == expected


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("Neutrophils (Absolute)", None, "751-8"),
        ("Нейтрофилы, абс.", "тыс/мкл", "751-8"),
        ("Neutrófilos %", None, "770-8"),
        ("Лимфоциты, %", "%", "736-9"),
        ("NEUT#", None, "751-8"),
    ],
)
def test_absolute_and_percent_in_the_name_tell_apart(name: str, unit: str | None, expected: str) -> None:
    assert code(name, unit) == expected


def test_a_share_of_something_that_is_not_a_share_is_not_known() -> None:
    assert code("Iron %", "%") is None


@pytest.mark.parametrize(
    ("name", "unit"),
    [("Transferrin", "%"), ("TSH", "mg/dL"), ("IgG", "U/mL"), ("Total T4", "pmol/L"), ("Albumin", "mg/L")],
)
def test_a_unit_that_does_not_belong_to_the_name_gives_nothing(name: str, unit: str) -> None:
    assert code(name, unit) is None


def test_a_unit_that_we_cannot_read_is_no_reason_to_doubt_the_name() -> None:
    assert code("Ferritin", "§§") == "2276-4"


LOOK_ALIKES = [
    [("Total bilirubin", "1975-2"), ("Direct bilirubin", "1968-7"), ("Indirect bilirubin", "1971-1")],
    [("T3", "3053-6"), ("Free T3", "3051-0"), ("T4", "3026-2"), ("Free T4", "3024-7")],
    [("LDL", "2089-1"), ("VLDL", "2091-7"), ("HDL", "2085-9"), ("Non-HDL cholesterol", "43396-1")],
    [("MCH", "785-6"), ("MCHC", "786-4"), ("MCV", "787-2")],
    [("25-OH vitamin D3", "1989-3"), ("25-OH vitamin D2", "49054-0"), ("1,25-OH vitamin D", "62290-2")],
    [("ALT", "1742-6"), ("AST", "1920-8"), ("ALP", "6768-6")],
    [("Calcium", "17861-6"), ("Ionized calcium", "1995-0"), ("Corrected calcium", "CA-CORR")],
    [("Iron", "2498-4"), ("Ferritin", "2276-4"), ("Transferrin", "3034-6"), ("TIBC", "2500-7"), ("UIBC", "2501-5")],
    [("PSA", "2857-1"), ("Free PSA", "10886-0"), ("PSA free/total ratio", "12841-3")],
    [("Creatinine", "2160-0"), ("Creatine kinase", "2157-6"), ("Creatinine clearance", "2164-2")],
    [("Troponin I", "10839-9"), ("Troponin T", "6598-7"), ("hs-Troponin T", "67151-1")],
    [("Testosterone", "2986-8"), ("Free testosterone", "2991-8")],
    [("IgA", "2458-8"), ("IgE", "19113-0"), ("IgG", "2465-3"), ("IgM", "2472-9"), ("IgG4", "2469-5")],
    [("Na", "2951-2"), ("K", "2823-3"), ("Cl", "2075-0")],
    [("Urea", "3091-6"), ("BUN", "3094-0"), ("Uric acid", "3084-1")],
    [("CRP", "1988-5"), ("hs-CRP", "30522-7"), ("Protein C", "PROTC")],
    [("LDL/HDL ratio", "11054-4"), ("Cholesterol/HDL ratio", "9830-1"), ("HDL/LDL ratio", None)],
    [("Cholestérol HDL", "2085-9"), ("Cholesterol/HDL", "9830-1")],
    [("Thyroglobulin", "3013-0"), ("Anti-thyroglobulin", "8098-6")],
]


@pytest.mark.parametrize("names", LOOK_ALIKES, ids=lambda names: names[0][0])
def test_look_alikes_are_told_apart(names: list[tuple[str, str | None]]) -> None:
    assert [code(name) for name, _ in names] == [expected for _, expected in names]


@pytest.mark.parametrize(
    "name",
    [
        *("", "%", "-", "Patient", "total", "Direct", "Serum", "Count", "Blood", "LPL", "Troponin", "ACT", "Hepatitis"),
        *(
            "Creatine",
            "Vitamin B",
            "Hemo",
            "Hemoglobinopathy",
            "Ferritin index",
            "Factor",
            "Общий анализ мочи",
            "гемо",
        ),
    ],
)
def test_unknown_names_give_nothing(name: str) -> None:
    assert code(name) is None


@pytest.mark.parametrize(("name", "expected"), [("HbА1с", "4548-4"), ("НСТ", "4544-3"), ("CОЭ", "30341-2")])
def test_letters_of_the_other_alphabet_that_look_alike_are_read(name: str, expected: str) -> None:
    assert code(name) == expected


def test_every_name_of_the_table_finds_its_row() -> None:
    lost = [
        (name, biomarker.code)
        for row in table().rows()
        for name in {name for printed in row.names.values() for name in printed}
        for biomarker in row.biomarkers
        if table().find(name, unit=next(iter(biomarker.units), None), specimen=row.specimen) != biomarker
    ]

    assert lost == []


def test_no_name_of_the_table_is_taken_for_something_else() -> None:
    wrong = [
        (name, unit, found.name)
        for row in table().rows()
        for name in {name for printed in row.names.values() for name in printed}
        for unit in (None, *(unit for biomarker in row.biomarkers for unit in biomarker.units))
        if (found := table().find(name, unit=unit)) is not None
        and found not in row.biomarkers
        # A strip and a measured amount share the words of urine: without a unit it is the strip.
        and (unit is not None or row.specimen == "blood")
    ]

    assert wrong == []


def test_names_lists_every_name_with_its_biomarker() -> None:
    listed = dict(table().names())

    assert listed["Hämatokrit"].code == "4544-3"
    assert listed["СОЭ"].units == ("mm/h",)


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("WCC", "10*9/L", "6690-2"),
        ("RCC", "10^12/L", "789-8"),
        ("Лейкоциты (WBC)", "Г/л", "6690-2"),
        ("Еритроцити", "Т/л", "789-8"),
        ("Haemoglobin estimation", "g/L", "718-7"),
        ("Haemoglobin A1c level - IFCC standardised", "mmol/mol", "59261-8"),
        ("Transferrin Sat'n", "%", "2502-3"),
        ("TC/HDL ratio", None, "9830-1"),
        ("Lp(a)", "mg/dL", "10835-7"),
        ("ApoB/ApoA1", None, "1874-7"),
        ("P-PT Attività", "%", "5894-1"),
        ("СОЭ по Панченкову", "мм/час", "30341-2"),
        ("Urine albumin:creatinine ratio", "mg/mmol", "32294-1"),
        ("Alanine Aminotransferase (ALT/SGPT), Serum or Plasma", "U/L", "1742-6"),
    ],
)
def test_everyday_names_are_known(name: str, unit: str | None, expected: str) -> None:
    assert code(name, unit) == expected


def test_a_field_of_a_urine_strip_is_not_what_is_measured_in_grams() -> None:
    assert code("Leukocytes", "mg/dL") is None


def test_a_unit_in_urine_is_of_what_is_measured_and_not_of_a_strip() -> None:
    assert code("Белок", "г/л", "urine") == "2888-6"
    assert code("Белок", None, "urine") == "20454-5"


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [("Співвідношення альбумін/креатинін", "мг/ммоль", "32294-1"), ("Hyaline casts", "/LPF", "5796-8")],
)
def test_what_blood_does_not_have_is_known_under_a_heading_of_blood(name: str, unit: str, expected: str) -> None:
    assert code(name, unit, "blood") == expected


@pytest.mark.parametrize(("name", "unit"), [("Ferritin", "ng/mL"), ("Copper", "µg/L"), ("Lipase", "U/L")])
def test_what_urine_does_not_have_is_not_known_under_a_heading_of_urine(name: str, unit: str) -> None:
    assert code(name, unit, "urine") is None


@pytest.mark.parametrize(("name", "unit"), [("Protein", "mg/L"), ("Leukocytes", "/HPF")])
def test_what_blood_shares_stays_in_blood_under_its_heading(name: str, unit: str) -> None:
    assert code(name, unit, "blood") is None
