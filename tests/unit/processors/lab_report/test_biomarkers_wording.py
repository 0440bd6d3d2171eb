# ruff: noqa: RUF001 - Cyrillic names
"""What is passed over in a printed name, and what must not be: each rule with the names that it must leave alone."""

import pytest

from blobforge.processors.lab_report.biomarkers import Specimen, table


def code(name: str, unit: str | None = None, specimen: Specimen | None = None) -> str | None:
    found = table().find(name, unit=unit, specimen=specimen)
    return found and found.code


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("GOT (ASAT) 37°C", "U/l", "1920-8"),
        ("Gamma-GT 37 °C", "U/l", "2324-2"),
        ("AP (37°C)", "U/l", "6768-6"),
    ],
)
def test_the_temperature_of_measuring_is_passed_over(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected


def test_a_temperature_alone_is_no_name() -> None:
    assert code("37°C", "U/l") is None


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("HbA1c (IFCC-standardisiert)", "mmol/mol", "59261-8"),
        ("DFG estimé selon CKD-EPI", "mL/min/1,73 m²", "62238-1"),
        ("eGFR n. CKD-EPI", "ml/min", "62238-1"),
        ("Fibrinogen (n. Clauss)", "g/l", "3255-7"),
        ("Créatinine (méthode enzymatique)", "µmol/L", "14682-9"),
        ("Ácido úrico Uricasa", "mg/dL", "3084-1"),
        ("Cholesterol, Total CHO-POD", "mg/dL", "2093-3"),
        ("Digoxine (taux résiduel)", "ng/mL", "10535-3"),
        ("Testosterone, Total, LC/MS", "ng/dL", "2986-8"),
    ],
)
def test_the_words_for_a_method_are_passed_over(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize("name", ["Hexokinase", "LC-MS/MS", "ECLIA", "IFCC", "Spot", "Formula", "Urea N. (calc.)"])
def test_a_method_is_no_name(name: str) -> None:
    assert code(name, "mmol/L") is None


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("IgA gesamt", "g/l", "2458-8"),
        ("Bilirubina tot.", "µmol/L", "14631-6"),
        ("Загальні нейтрофіли (Neu), абс.", "Г/л", "751-8"),
        ("Нейтрофилы (общ.число), %", "%", "770-8"),
        ("Triglyceride nüchtern", "mg/dl", "2571-8"),
        ("LH basal", "U/l", "10501-5"),
    ],
)
def test_what_the_bare_name_means_too_is_passed_over(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("Glucose im NaF-Plasma, nüchtern", "mg/dl", "1558-6"),
        ("Glucosa basal", "mg/dL", "1558-6"),
        ("CO2 total", "mmol/L", "2028-9"),
        ("Protein S total", "%", "27823-4"),
        ("Anti-HAV gesamt", None, "13951-9"),
        ("Eisenbindungskapazität gesamt", "µg/dl", "2500-7"),
    ],
)
def test_what_is_a_thing_of_its_own_keeps_its_word(name: str, unit: str | None, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("Bilirubin, total and direct", "mg/dL"),
        ("T4 total libre", "pmol/L"),
        ("Cholesterol total LDL", "mg/dL"),
        ("Calcium total corrigé", "mmol/L"),
        ("Testosteron frei gesamt", "ng/ml"),
        ("PSA frei / gesamt", "ng/ml"),
        ("Total", "g/L"),
        ("Общий", "г/л"),
    ],
)
def test_a_total_beside_a_fraction_is_not_passed_over(name: str, unit: str) -> None:
    assert code(name, unit) is None


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("BSG 1. Stunde", "mm"),
        ("Velocidad de sedimentación globular (1ª hora)", "mm"),
        ("Vitesse de sédimentation (1 h)", "mm"),
        ("V.E.S. 1ª ora", "mm/h"),
        ("СОЭ 1 час", "мм/ч"),
    ],
)
def test_the_first_hour_is_passed_over_where_the_unit_is_of_an_hour(name: str, unit: str) -> None:
    assert code(name, unit) == "30341-2"


@pytest.mark.parametrize(
    ("name", "unit"), [("Glucose 1 h", "mg/dL"), ("Glucosa 1ª hora", "mg/dL"), ("Insulin 1h", "mU/L")]
)
def test_an_hour_after_a_load_is_not_passed_over(name: str, unit: str) -> None:
    assert code(name, unit) is None


def test_the_second_hour_is_not_the_first() -> None:
    assert code("V.E.S. 2ª ora", "mm") == "ESR-2H"


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("Натрій добової сечі", "ммоль/добу", "2956-1"),
        ("Natrium im Sammelurin", "mmol/24h", "2956-1"),
        ("Sodium", "mmol/24h", "2956-1"),
        ("Calcio urinario 24h", "mg/die", "6874-2"),
        ("Белок общий в суточной моче", "г/сут", "2889-4"),
        ("Créatininurie", "mmol/24 h", "14684-5"),
    ],
)
def test_a_unit_of_a_day_is_of_urine(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(
    ("name", "unit"), [("Sodium 24h urine", "mmol/L"), ("Natrium 24h-Urin", "mmol/l"), ("Vitamin D", "mg/24h")]
)
def test_a_concentration_in_the_urine_of_a_day_is_not_an_amount(name: str, unit: str) -> None:
    assert code(name, unit) is None


def test_a_unit_of_a_day_goes_before_a_heading_that_says_blood() -> None:
    assert code("Sodium", "mmol/24h", "blood") == "2956-1"


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("WBC Leucociti", "10^9/L", "6690-2"),
        ("HGB Emoglobina", "g/L", "718-7"),
        ("Hémoglobine glyquée HbA1c", "%", "4548-4"),
        ("ФСГ / FSH Фолікулостимулюючий гормон", "мМО/мл", "15067-2"),
        ("Prothrombinzeit n. Quick", "%", "5894-1"),
    ],
)
def test_names_one_after_the_other_must_mean_the_same(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("WBC RBC", "10^9/L"),
        ("LDL HDL", "mg/dL"),
        ("Hemoglobin A1c Hemoglobin", "g/dL"),
        ("T4 FT4", "pmol/L"),
        ("CRP hs-CRP", "mg/L"),
        ("Vitamin D Vitamin D3", "ng/mL"),
        ("Total Protein Albumin", "g/dL"),
        ("TSH Free T3 Free T4", "mIU/L"),
        ("Hemoglobin Fraction Beta", "g/dL"),
    ],
)
def test_two_names_in_one_cell_are_not_one(name: str, unit: str) -> None:
    assert code(name, unit) is None


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("Fosf. alcalina", "U/L", "6768-6"),
        ("Fosf. acida", "U/L", "ACP"),
        ("Bilirrub. ind.", "mg/dL", "1971-1"),
        ("Filtrado glom. (CKD-EPI)", "mL/min/1,73m2", "62238-1"),
        ("МСНС (ср. конц. Hb в эр.)", "г/дл", "786-4"),
        ("RDW (шир. распред. эритр)", "%", "788-0"),
        ("Chol. LDL calc.", "mg/dL", "2089-1"),
        ("Chol. non HDL", "mg/dL", "43396-1"),
        ("Prot. S libera", "%", "27821-8"),
    ],
)
def test_the_beginning_of_a_word_with_a_dot_stands_for_the_word(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(
    ("name", "unit"), [("Fosf.", "mg/dL"), ("Gl.", "mg/dL"), ("Co. total", "mg/dL"), ("He. B", None)]
)
def test_a_beginning_that_could_be_several_words_is_not_known(name: str, unit: str | None) -> None:
    assert code(name, unit) is None


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("Ratio albumine/créatinine", "mg/mmol", "32294-1"),
        ("Quotient fPSA / PSA", "%", "12841-3"),
        ("Índice PSA libre / PSA total", "%", "12841-3"),
        ("Ratio TCA patient/témoin", None, "APTT-RATIO"),
        ("Albumin/Kreatinin (Urin)", "mg/g", "9318-7"),
    ],
)
def test_a_ratio_is_known_by_what_is_divided_by_what(name: str, unit: str | None, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize("name", ["Ratio HDL/LDL", "ALT/AST ratio", "Ratio ALT/GPT", "HDL/Cholesterol ratio", "Ratio"])
def test_a_ratio_the_other_way_round_is_not_known(name: str) -> None:
    assert code(name) is None


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("Helicobacter pylori, anticuerpos IgG", "U/mL", "HPYLORI-IGG"),
        ("IgG anti-Toxoplasma", "UI/mL", "TOXO-IGG"),
        ("Röteln IgG-AK", "IU/ml", "RUBELLA-IGG"),
        ("Антитела класса IgG к вирусу краснухи", "МЕ/мл", "RUBELLA-IGG"),
        ("Beta-2-Glykoprotein-I-AK IgM", "U/ml", "44449-7"),
    ],
)
def test_the_words_for_antibodies_are_passed_over_beside_their_class(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(
    "name",
    [
        *("IgG Antikörper", "Anticuerpos IgG", "Антитела IgG", "anti-IgA IgG", "Toxoplasma IgG Avidität"),
        *("CMV IgG/IgM", "EBV IgG", "HP IgG"),
    ],
)
@pytest.mark.parametrize("unit", [None, "U/mL", "g/L"])
def test_antibodies_of_one_infection_are_not_all_of_their_class(name: str, unit: str | None) -> None:
    assert code(name, unit) is None


def test_a_word_that_two_languages_give_to_two_infections_is_not_known() -> None:
    assert code("Rubeola IgG", "AU/mL") is None
    assert code("Rubeola, IgG Ab", "AU/mL") is None
    assert code("Rubéola IgG", "UI/mL") == "RUBELLA-IGG"


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [("ß-HCG", "U/l", "21198-7"), ("ß2-Mikroglobulin", "mg/l", "1952-1"), ("Weiße Blutkörperchen", "G/l", "6690-2")],
)
def test_a_sharp_s_alone_is_a_beta(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(("name", "unit"), [("Zink im Vollblut", "mg/l"), ("Zinc sang total", "µmol/L")])
def test_whole_blood_is_not_serum(name: str, unit: str) -> None:
    assert code(name, unit) == "ZN-WB"


def test_what_semen_and_urine_share_waits_for_the_specimen() -> None:
    assert code("Реакция (pH)") is None
    assert code("Реакция (pH)", None, "urine") == "5803-2"
