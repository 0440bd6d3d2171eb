"""One test in two units: a share and a count, conventional units and SI."""

from tests.unit.processors.lab_report.test_observations import four, read


def test_a_share_and_a_count_on_one_line_are_two_results() -> None:
    assert [four(each) for each in read("Lymphocytes      22,5 %   2 529 /mm3   (1 000 - 4 000)")] == [
        ("Lymphocytes", "22,5", "%", None),
        ("Lymphocytes", "2 529", "/mm3", "1 000 - 4 000"),
    ]


def test_a_share_and_a_count_under_a_head_are_two_results() -> None:
    read_ = read(
        "Analyse          Résultats              Valeurs de référence\n"
        "Lymphocytes      22,5 %   2,53 G/L      1,00 - 4,00"
    )

    assert [four(each) for each in read_] == [
        ("Lymphocytes", "22,5", "%", None),
        ("Lymphocytes", "2,53", "G/L", "1,00 - 4,00"),
    ]


def test_the_same_unit_twice_is_an_earlier_result() -> None:
    (reading,) = read("Glucose      5.1 mmol/L   3.9 - 5.6   4.8 mmol/L")

    assert reading.value == "5.1"


def test_two_systems_of_units_have_columns_of_their_own() -> None:
    read_ = read(
        "Analisi      Risultato   U.M.     Intervallo   Risultato   U.M.      Intervallo\n"
        "Glucosio     112         mg/dL    70 - 99      6,22        mmol/L    3,89 - 5,50"
    )

    assert [four(each) for each in read_] == [
        ("Glucosio", "112", "mg/dL", "70 - 99"),
        ("Glucosio", "6,22", "mmol/L", "3,89 - 5,50"),
    ]
