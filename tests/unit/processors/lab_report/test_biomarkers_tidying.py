# ruff: noqa: RUF001 - Cyrillic names
"""What is cut out of a printed name before it is looked up again, and the names that must keep it."""

import pytest

from blobforge.processors.lab_report.biomarkers import Specimen, table


def code(name: str, unit: str | None = None, specimen: Specimen | None = None) -> str | None:
    found = table().find(name, unit=unit, specimen=specimen)
    return found and found.code


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("Albumin Lvl", "gm/dL", "1751-7"),
        ("Calcium Ionized Lvl", "mmol/L", "1995-0"),
        ("NEUT # (AUTO)", "K/mm3", "751-8"),
        ("Lymph Auto", "%", "736-9"),
        ("Kappa Qnt Free Light Chains", "mg/L", "36916-5"),
        ("Kreatinin (enzym.)", "mg/dl", "2160-0"),
        ("Cholestérol LDL (calcul Friedewald)", "mmol/L", "22748-8"),
        ("Холестерин ЛПНЩ (розрахунковий за формулою Фрідвальда)", "ммоль/л", "22748-8"),
        ("Hémoglobine glyquée (HbA1c) par HPLC", "%", "4548-4"),
        ("Éosinophiles (valeur absolue)", "/mm³", "711-2"),
        ("Насичення трансферину залізом розрахунковий показник", "%", "2502-3"),
        ("TSH riflesso", "mUI/l", "3016-3"),
    ],
)
def test_words_of_how_it_was_measured_are_passed_over(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize("name", ["Lvl", "Auto", "Reflex", "Qnt", "Показник", "Glucose 1h Lvl", "Cortisol PM Lvl"])
def test_such_words_are_no_name_and_do_not_hide_another_test(name: str) -> None:
    assert code(name, "mg/dL") is None


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("ALBUMIN - SERUM", "gm/dL", "1751-7"),
        ("S. Albumin", "gm/dl", "1751-7"),
        ("Urée sanguine", "g/l", "3091-6"),
        ("Глюкоза (венозная кровь)", "ммоль/л", "14749-6"),
        ("Глюкоза (венозна плазма)", "ммоль/л", "14749-6"),
    ],
)
def test_words_for_blood_are_passed_over(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected
    assert code(name, unit, "urine") == expected


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("Гемоглобін [маса/об’єм] у крові", "г/л", "718-7"),
        ("Гематокрит [об’ємна частка] у крові", "%", "4544-3"),
        ("АЛТ [ферментна активність/об’єм] у сироватці", "Од/л", "1742-6"),
        ("Glucose [Moles/volume] in Serum or Plasma", "mmol/L", "14749-6"),
        ("Leukocytes [#/volume] in Blood by Automated count", "10*3/uL", "6690-2"),
        ("Hemoglobina [Masa/volumen] en sangre", "g/dL", "718-7"),
    ],
)
def test_a_property_in_square_brackets_is_passed_over(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(
    ("name", "unit"),
    [("Glucose [Moles/volume] in Blood", None), ("Protein [Mass/time] in Urine", "g/L"), ("[Mass/volume]", "g/L")],
)
def test_a_property_is_not_passed_over_without_a_unit_that_says_it(name: str, unit: str | None) -> None:
    assert code(name, unit) is None


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("Лімфоцити/100 лейкоцитів у крові", "%", "736-9"),
        ("Neutrophils/100 leukocytes in Blood", "%", "770-8"),
        ("Monocytes/100 leukocytes", None, "5905-5"),
        ("Nucleated RBC/100 WBC", "/100 WBC", "58413-6"),
    ],
)
def test_of_a_hundred_leukocytes_is_a_share(name: str, unit: str | None, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(("name", "unit"), [("Lymphocytes/100 leukocytes", "10^9/L"), ("Neutrophils/100 cells", "%")])
def test_of_a_hundred_something_else_is_no_share_of_leukocytes(name: str, unit: str) -> None:
    assert code(name, unit) is None


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("TSH W/REFLEX TO FT4", "mIU/L", "3016-3"),
        ("TSH with reflex to Free T4", "mIU/L", "3016-3"),
        ("Hepatitis C antibody w/ reflex to RNA", None, "16128-1"),
    ],
)
def test_what_a_result_may_lead_to_is_passed_over(name: str, unit: str | None, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("TSH 3e génération", "mUI/L", "3016-3"),
        ("THYROID STIMULATING HORMONE ULTRASENSITIVE", "µIU/mL", "3016-3"),
        ("CRP ultrasensitive", "mg/L", "30522-7"),
        ("PTH 3rd generation", "pg/mL", None),
        ("PSA ultrasensitive", "ng/mL", None),
        ("HIV 3rd generation", None, None),
    ],
)
def test_generation_and_sensitivity_are_passed_over_for_thyrotropin_alone(
    name: str, unit: str | None, expected: str | None
) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(
    ("name", "expected"), [('LDL ("bad") Cholesterol', "2089-1"), ("HDL (“good”) Cholesterol", "2085-9")]
)
def test_nicknames_are_passed_over(name: str, expected: str) -> None:
    assert code(name, "mg/dL") == expected


def test_a_nickname_alone_is_no_name() -> None:
    assert code("Bad cholesterol", "mg/dL") is None


def test_that_biotin_does_not_disturb_is_passed_over() -> None:
    name = "Вітамін В12 (ціанокобаламін, vitamin B12) біотин-незалежний, кількісний"

    assert code(name, "пг/мл") == "2132-9"
    assert code("Біотин", "нг/л") == "VIT-H"


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("UA PH", None, "5803-2"),
        ("UA PROTEIN", "mg/dL", "2888-6"),
        ("UA RBC", "/HPF", "13945-1"),
        ("UA Spec Grav", None, "5811-5"),
        ("UA Glucose", None, "25428-4"),
    ],
)
def test_ua_before_a_name_is_the_urinalysis(name: str, unit: str | None, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize("name", ["UA", "UA (Uric acid)", "UA serum", "UA Lvl"])
def test_ua_alone_is_uric_acid(name: str) -> None:
    assert code(name, "mg/dL") == "3084-1"


@pytest.mark.parametrize("name", ["UA/Creatinine ratio", "UA blood", "UA Creatinine ratio"])
def test_ua_that_could_be_either_is_not_known(name: str) -> None:
    assert code(name) is None


@pytest.mark.parametrize(
    ("name", "expected"), [("AST:ALT Ratio", "1916-6"), ("Kappa:Lambda ratio", "48378-4"), ("HDL:LDL ratio", None)]
)
def test_a_colon_in_a_ratio_is_a_slash(name: str, expected: str | None) -> None:
    assert code(name) == expected


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("Sérologie de la rubéole IgG", "UI/mL", "RUBELLA-IGG"),
        ("Sérologie toxoplasmose IgM", None, "TOXO-IGM"),
        ("Sérologie IgG", "UI/mL", None),
    ],
)
def test_serology_says_nothing_beside_a_class_and_an_infection(
    name: str, unit: str | None, expected: str | None
) -> None:
    assert code(name, unit) == expected
