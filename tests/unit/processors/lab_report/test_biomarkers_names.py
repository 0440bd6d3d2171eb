# ruff: noqa: RUF001 - Cyrillic names
"""Names as laboratories of several countries print them, panel by panel."""

import pytest

from blobforge.processors.lab_report.biomarkers import Specimen, table


def code(name: str, unit: str | None = None, specimen: Specimen | None = None) -> str | None:
    found = table().find(name, unit=unit, specimen=specimen)
    return found and found.code


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("tHb", "g/dL", "718-7"),
        ("O2Hb", "%", "O2HB"),
        ("HHb", "%", "HHB"),
        ("HCO3-(c)", "mmol/L", "1959-6"),
        ("HCO3-(std)", "mmol/L", "SBC"),
        ("Bicarbonate", "mmol/L", "1963-8"),
        ("AG", "mmol/L", "33037-3"),
        ("Ca++(7.4)", "mmol/L", "ICA-PH74"),
        ("O2ct", "mL/dL", "CTO2"),
        ("P50", "mmHg", "P50"),
        ("Глюкоза (капиллярная кровь)", "ммоль/л", "CAP-GLUC"),
    ],
)
def test_blood_gases(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("Faktor II", "%", "3289-6"),
        ("Facteur V", "%", "3193-0"),
        ("Fattore VII", "%", "3198-9"),
        ("Faktor VIII:C", "%", "3209-4"),
        ("Factor XI", "%", "3226-8"),
        ("Фактор XII", "%", "3232-6"),
        ("von-Willebrand-Aktivität (GPIbM)", "%", "VWF-ACT"),
        ("von-Willebrand-Antigen", "%", "27816-8"),
        ("Ristocetin-Cofaktor", "%", "6014-5"),
        ("Protein-S-Antigen, frei", "%", "27821-8"),
        ("Protein-S-Antigen", "%", "27823-4"),
        ("Protein S", "%", "PROTS"),
        ("APC-Resistenz (Ratio)", None, "APC-R"),
        ("dRVVT-Screen", "s", "DRVVT"),
        ("dRVVT-Confirm", "s", "DRVVT-CONF"),
        ("dRVVT-Ratio, normalisiert", None, "DRVVT-RATIO"),
        ("P-Tempo di protrombina (INR)", None, "6301-6"),
        ("PT ratio", "ratio", "PT-RATIO"),
        ("ПТИ по Квику", "%", "5894-1"),
        ("ПТИ", "%", "PTI"),
    ],
)
def test_coagulation(name: str, unit: str | None, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize("name", ["Factor V Leiden", "Factor II G20210A", "Factor VIII inhibitor", "Factor"])
def test_what_only_begins_as_a_factor_is_not_one(name: str) -> None:
    assert code(name, "%") is None


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("Beta 1", "%", "32732-0"),
        ("Bêta 1 globulines", "g/L", "32730-4"),
        ("Beta 2", "%", "32733-8"),
        ("Beta-2-Globulin", "g/l", "32731-2"),
        ("Beta-2-Mikroglobulin", "mg/l", "1952-1"),
        ("Alfa 1", "%", "13978-2"),
        ("Gamma", "%", "13983-2"),
        ("Componente monoclonale", "g/L", "33358-3"),
        ("Gamma", "U/L", None),
        ("Gamma", None, None),
    ],
)
def test_fractions_of_electrophoresis(name: str, unit: str | None, expected: str | None) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("Movilidad progresiva (a+b)", "%", "SPERM-PR"),
        ("Movilidad total (a+b+c)", "%", "SPERM-MOT"),
        ("No progresiva (c)", "%", "SPERM-NP"),
        ("Formas normales", "%", "SPERM-NORMAL"),
        ("Spermienkonzentration", "Mio/ml", "9780-8"),
        ("Концентрация сперматозоидов", "млн/мл", "9780-8"),
        ("MAR test IgG", "%", "MAR-IGG"),
        ("Leucocitos (peroxidasa positivos)", "mill/mL", "SEMEN-WBC"),
    ],
)
def test_semen(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize("name", ["Volumen", "Concentración", "pH"])
def test_a_bare_field_of_semen_is_known_only_where_the_specimen_is_told(name: str) -> None:
    assert code(name) is None
    assert code(name, None, "other") is None
    assert code(name, None, "semen") is not None


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("Filtrato glomerulare stimato (eGFR, CKD-EPI)", "mL/min/1,73 m²", "62238-1"),
        ("DFG estimé (CKD-EPI 2009)", "mL/min/1,73m²", "62238-1"),
        ("DFGe (CKD-EPI 2021)", "mL/min/1,73m²", "98979-8"),
        ("GFR (glomerular filtration rate) calculated by CKD-EPI equation", "mL/min/1.73m*2", "62238-1"),
        ("ШКФ за CKD-EPI (за цистатином C)", "мл/хв/1,73 м²", "50210-4"),
        ("eGFR n. MDRD", "ml/min", "33914-3"),
        ("Clairance de la créatinine (Cockcroft)", "mL/min", "35591-7"),
        ("eGFR (CKD-EPI 2012)", "mL/min", None),
    ],
)
def test_filtration_rates_are_told_apart_by_their_formula(name: str, unit: str, expected: str | None) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("EBV EBNA-1 IgG", "U/mL", "EBV-EBNA-IGG"),
        ("EBV VCA IgG", "U/mL", "EBV-VCA-IGG"),
        ("FSME-IgG", "U/ml", "FSME-IGG"),
        ("Varizellen-IgG", "mIU/ml", "VZV-IGG"),
        ("HSV 1 IgG", "Index", "HSV1-IGG"),
        ("HSV 2 IgG", "Index", "HSV2-IGG"),
        ("Masern-IgG", "AU/ml", "MEASLES-IGG"),
        ("Anti-HAV IgG", None, "HAV-IGG"),
        ("Anti-HAV IgM", None, "HAV-IGM"),
        ("Антитела к вирусу клещевого энцефалита IgM", "Ед/мл", "FSME-IGM"),
        ("Anti-SSA (Ro)", "U/ml", "ANTI-SSA"),
        ("Anti-SSB (La)", "U/ml", "ANTI-SSB"),
    ],
)
def test_antibodies(name: str, unit: str | None, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("Leucocytes", "/mL", "30405-5"),
        ("Leucocytes", "×10⁹/L", "6690-2"),
        ("WBC", "x E9/L", "6690-2"),
        ("Globuli rossi", "mil/mmc", "789-8"),
        ("Епітелій нирковий", "кл/мкл", "RENAL-EPI"),
        ("Циліндри зернисті", "од/мкл", "GRANULAR-CASTS"),
        ("Densità relativa", None, "5811-5"),
        ("Цветовой показатель", None, "COLOR-INDEX"),
        ("S-Troponina T alta sensibilità", "ng/L", "67151-1"),
        ("Colesterol de alta densidad (HDL)", "mg/dL", "2085-9"),
        ("Colesterol de baja densidad (LDL)", "mg/dL", "2089-1"),
        ("Cortisol (9 am)", "nmol/L", "14675-3"),
        ("Vitamine D totale (D2 + D3)", "ng/mL", "62292-8"),
        ("Триптаза", "мкг/л", "21582-2"),
        ("Plasma hemoglobin", "mg/dL", "FREE-HB"),
        ("Эозинофильный катионный белок (ECP)", "мкг/л", "ECP"),
        ("Тимолова проба", "од.", "THYMOL"),
    ],
)
def test_other_names(name: str, unit: str | None, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("e1 Squames de chat", "kUA/L", "IGE-E1"),
        ("Епітелій кота (e1)", "кОд/л", "IGE-E1"),
        ("f1 Blanc d'œuf", "kUA/L", "IGE-F1"),
        ("Фундук (f17)", "кОд/л", "IGE-F17"),
        ("IgE Birke", "kU/l", "IGE-T3"),
        ("t3 Bouleau verruqueux (Betula verrucosa)", "kUA/L", "IGE-T3"),
        ("Milk IgE (f2)", "kU/L", "IGE-F2"),
    ],
)
def test_an_allergen_is_known_by_its_name_with_its_number_or_ige(name: str, unit: str, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(
    "name",
    [
        *("Peanut", "Фундук", "t3", "f1", "T3", "Milk (t3)", "Peanut IgG (f13)", "Dog IgE", "Ambrosia IgE"),
        *("Пыльца трав", "rBet v 1 PR-10", "IgE Hund"),
    ],
)
def test_an_allergen_that_is_not_told_for_certain_is_left_unknown(name: str) -> None:
    assert code(name, "kU/l") is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Citric", "U-CITRATE/CREA"),
        ("5-Hydroxyindoleacetic (5-HIAA)", "U-5HIAA/CREA"),
        ("Methylmalonic (Vitamin B12)", "U-MMA/CREA"),
        ("Zitronensäure/Kreatinin", "U-CITRATE/CREA"),
    ],
)
def test_organic_acids_of_urine_are_known_per_creatinine(name: str, expected: str) -> None:
    assert code(name) == expected
    assert code(name, "mmol/mol creatinine") == expected


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("Citric", "mg/24h", None),
        ("Citric acid, 24 hour urine", "mg/24h", "CITRATE"),
        ("5-HIAA", "mg/24h", "1695-6"),
        ("Lactic acid", "mmol/L", "2524-7"),
        ("Methylmalonic acid", "nmol/L", "MMA"),
        ("Vitamin C", "mg/L", "1903-4"),
    ],
)
def test_an_acid_per_day_or_in_blood_is_not_the_one_per_creatinine(name: str, unit: str, expected: str | None) -> None:
    assert code(name, unit) == expected


def test_what_blood_and_urine_or_semen_share_waits_for_the_specimen() -> None:
    assert code("Lactic") is None
    assert code("Lactic", None, "urine") == "U-LACTATE/CREA"
    assert code("Dichte") is None
    assert code("Dichte", None, "urine") == "5811-5"


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("MCH", "fmol", "MCH"),
        ("MCHC", "mmol/l", "MCHC"),
        ("Mentzer Index", None, "MENTZER"),
        ("Free Thyroxine Index", None, "32215-6"),
        ("T3 Uptake", "%", "3050-2"),
        ("SSA 52 (Ro) (ENA) Antibody, IgG", "AU/mL", "RO-52"),
        ("SSA 60 (Ro) (ENA) Antibody, IgG", "AU/mL", "ANTI-SSA"),
        ("РНК вируса гепатита C (HCV), количественно", "МЕ/мл", "11011-4"),
        ("Aldosterone/Renin Activity Ratio", None, "ALDO/PRA"),
        ("eGFR If Africn Am", "mL/min/1.73", "EGFR-AFR"),
        ("eGFR If NonAfricn Am", "mL/min/1.73", "69405-9"),
        ("Filtrato glomerulare stimato (CKD-EPI 2009)", "mL/min/1,73 m²", "62238-1"),
        ("VFG stimato (CKD-EPI 2021)", "mL/min/1.73m2", "98979-8"),
        ("Тригліцериди (Triglyceride, ТГ, TG)", "ммоль/л", "14927-8"),
        ("ТГ", "нг/мл", "3013-0"),
        ("PTZ (Thrombotest)", "%", "THROMBOTEST"),
        ("RED BLOOD CELL (RBC) COUNT", "mil/µL", "789-8"),
        ("Коэффициент крупных тромбоцитов (P-LCR)", "%", "48386-7"),
    ],
)
def test_names_that_were_lacking(name: str, unit: str | None, expected: str) -> None:
    assert code(name, unit) == expected


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        *(("HCV RNA", None), ("ТГ", None), ("GR", "10^3/uL"), ("Saturation", "%"), ("IgG", "UI/mL")),
        *(("IgM (index)", None), ("Ratio malade / témoin", None), ("Temps du malade", "s"), ("HDL % of total", "%")),
        *(("HbA1c criteria for diagnosis of", "%"), ("Martin SS et al. JAMA. 2013", None), ("Glucose LCR", "mmol/L")),
    ],
)
def test_what_two_tests_may_be_called_is_left_unknown(name: str, unit: str | None) -> None:
    assert code(name, unit) is None


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("Cortisol (30 min)", "nmol/L"),
        ("Cortisol after dexamethasone", "nmol/L"),
        ("TSH (30 min nach TRH)", "mU/l"),
        ("TCA témoin", "s"),
        ("Bicarbonates (CO2 total)", "mmol/L"),
        ("Количество", "мл"),
    ],
)
def test_what_could_be_something_else_is_left_unknown(name: str, unit: str) -> None:
    assert code(name, unit) is None
