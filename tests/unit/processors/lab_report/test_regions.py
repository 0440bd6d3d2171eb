# ruff: noqa: RUF001 - Cyrillic words
"""Parts of a page that stand side by side are read one after the other; the columns of a table are not parted."""

from tests.unit.processors.lab_report.sheets import moved, words
from tests.unit.processors.lab_report.test_reports import read, results

from blobforge.processors.lab_report.page.regions import rows_in_order
from blobforge.processors.lab_report.page.words import PositionedWord

CARDS = """
Glucose                              Creatinine
117 mg/dL      High                  1.05 mg/dL     Normal
Reference range: 65 - 99             Reference range: 0.70 - 1.30

ALT                                  PSA
38 U/L         Normal                1.9 ng/mL      Normal
Reference range: 9 - 46              Reference range: < 4.0
"""


def texts(page: list[PositionedWord]) -> list[str]:
    return [row.text for row in rows_in_order(1, page)]


def test_each_card_is_a_result() -> None:
    assert results(read(CARDS)) == [
        ("Glucose", 117, "mg/dL", "65 - 99"),
        ("ALT", 38, "U/L", "9 - 46"),
        ("Creatinine", 1.05, "mg/dL", "0.70 - 1.30"),
        ("PSA", 1.9, "ng/mL", "< 4.0"),
    ]


def test_one_row_of_cards_is_enough() -> None:
    found = read("""
WBC                              RBC
5.6 K/uL                         4.38 M/uL
Normal range: 3.8 - 10.8         Normal range: 3.80 - 5.10
""")

    assert results(found) == [("WBC", 5.6, "K/uL", "3.8 - 10.8"), ("RBC", 4.38, "M/uL", "3.80 - 5.10")]


def test_two_panels_are_read_from_left_to_right() -> None:
    page = words("""
Test          Result   Unit      Test          Result   Unit
Glucose       5.1      mmol/L    Sodium        139      mmol/L
Creatinine    78       umol/L    Potassium     4.1      mmol/L
""")

    assert [text.split()[0] for text in texts(page)] == ["Test", "Glucose", "Creatinine", "Test", "Sodium", "Potassium"]


def test_the_columns_of_a_table_stay_together() -> None:
    text = """
Test          Result   Unit      Range          Method
Glucose       5.1      mmol/L    3.9 - 5.6      Hexokinase
Creatinine    78       umol/L    Male: 62 - 106 Enzymatic
Sodium        139      mmol/L    136 - 145      Electrode
"""

    assert texts(words(text)) == [" ".join(line.split()) for line in text.strip().splitlines()]


def test_labels_stay_with_what_they_label() -> None:
    text = """
Patient       Anna Berg          Order        4711
Born          12.03.1974         Collected    02.02.2024
Doctor        Hans Blum          Reported     03.02.2024
"""

    assert texts(words(text))[0] == "Patient Anna Berg Order 4711"


def test_a_bar_of_facts_beside_a_table_is_no_part_of_its_rows() -> None:
    bar = moved(words("Surname\nMerwe\nFirst names\nPieter\nSex\nMale\nAge\n59 years"), 3)
    table = [
        word._replace(x0=word.x0 + 140, x1=word.x1 + 140)
        for word in words(
            "\n".join(f"{name:16}{value:8}g/L     1.0 - 9.0" for name, value in (
                ("Haemoglobin", "1.6"), ("Albumin", "4.4"), ("Globulin", "2.9"), ("Total protein", "7.3"),
                ("Prealbumin", "2.2"), ("Transferrin", "2.4"), ("Haptoglobin", "1.1"), ("Ferritin", "4.1"),
            ))
        )
    ]  # fmt: skip

    assert texts([*bar, *table])[:2] == ["Surname", "Merwe"]
    assert "Haemoglobin 1.6 g/L 1.0 - 9.0" in texts([*bar, *table])


def test_a_heading_over_both_sides_is_read_before_what_is_below_it() -> None:
    page = [
        *words("""
Білок         0,86   г/л         Глюкоза       2,1    ммоль/л
Кетони        0,20   ммоль/л     Нітрити       1,3    ммоль/л
"""),
        *moved([word._replace(size=13.0) for word in words("II. Осад")], 48),
        *moved(
            words("""
Еритроцити    42,6   кл/мкл      Бактерії      9,0    кл/мкл
Лейкоцити     9,1    кл/мкл      Циліндри      0,9    кл/мкл
"""),
            72,
        ),
    ]

    order = [text.split()[0] for text in texts(page)]

    assert order.index("Нітрити") < order.index("II.") < order.index("Еритроцити") < order.index("Бактерії")


def test_the_same_labels_on_both_sides_part_them() -> None:
    found = read("""
Haemoglobin in blood             Leucocytes in blood
LOINC code    718-7              LOINC code    6690-2
Value         129 g/L            Value         3.6 10^9/L
Range         120-160 g/L        Range         4.0-10.0 10^9/L
Status        normal             Status        low
""")

    assert results(found) == [
        ("Haemoglobin in blood", 129, "g/L", "120-160 g/L"),
        ("Leucocytes in blood", 3.6, "10^9/L", "4.0-10.0 10^9/L"),
    ]


def test_columns_of_units_and_ranges_stay_in_their_table() -> None:
    page = words("""
Test             Value         Units           Range
Leucocytes       7.42          X 10^3 / uL     4.0-10.0
Neutrophils      54.1          %               40-80
Platelets        262           X 10^3 / uL     150-410
Protein          Not detected  X mg            Not detected
Ketones          Not detected  X mg            Not detected
""")

    assert len(texts(page)) == 6


def test_the_head_of_one_table_ends_the_parts_above_it() -> None:
    found = read("""
Red series                            White series
Haematocrit    41.5 %  [ 36 - 46 ]    Leucocytes     6.7 G/L  [ 4 - 11 ]
MCV            89 fL   [ 80 - 99 ]    Neutrophils    52 %     [ 42 - 75 ]
MCH            29 pg   [ 27 - 33 ]    Lymphocytes    36 %     [ 20 - 51 ]
Test                                          Result Units      Range
Glucose                               *       104 mg/dL         [ 74 - 100 ]
Urea                                          34 mg/dL          [ 17 - 43 ]
""")

    assert [name for name, *_ in results(found)] == [
        "Haematocrit",
        "MCV",
        "MCH",
        "Leucocytes",
        "Neutrophils",
        "Lymphocytes",
        "Glucose",
        "Urea",
    ]
