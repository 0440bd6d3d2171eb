# ruff: noqa: RUF001 - Cyrillic units
"""Units as they are printed: which of them are the same, and which are of one kind."""

import pytest

from blobforge.processors.lab_report.biomarkers.dimensions import UnitDimension, read


@pytest.mark.parametrize(
    "unit",
    [
        *("10^9/L", "x10^9/l", "10*9/L", "10⁹/l", "10E9/L", "109/L", "G/l", "Gpt/l", "10^3/µL", "x10E3/uL", "K/mcL"),
        *("thou/µL", "/nl", "тыс/мкл", "10^9/л", "тис/мкл", "Tsd/µl", "×10⁹/L", "x E9/L"),
    ],
)
def test_thousands_per_microlitre_are_one_unit(unit: str) -> None:
    assert UnitDimension("count/l", 9) in read(unit)


@pytest.mark.parametrize("unit", ["T/l", "Tpt/l", "10^12/L", "10¹²/l", "M/mcL", "млн/мкл", "Mio/µl", "/pl"])
def test_millions_per_microlitre_are_one_unit(unit: str) -> None:
    assert UnitDimension("count/l", 12) in read(unit)


def test_mil_is_a_thousand_or_a_million() -> None:
    assert read("mil/µL") == {UnitDimension("count/l", 9), UnitDimension("count/l", 12)}


@pytest.mark.parametrize("unit", ["cumm", "/cumm", "/mm3", "/mm³", "cells/cumm"])
def test_cubic_millimetres_are_written_in_several_ways(unit: str) -> None:
    assert read(unit) == {UnitDimension("count/mm3", 0)}


@pytest.mark.parametrize(
    ("unit", "same"),
    [
        ("ng/mL", "µg/L"),
        ("мкмоль/л", "µmol/l"),
        ("µIU/mL", "mU/L"),
        ("мкМЕ/мл", "mIU/L"),
        ("мМО/л", "mIU/L"),
        ("UI/L", "U/l"),
        ("mcg/dL", "µg/dl"),
        ("mm/h", "mm/1h"),
        ("mm/hr", "мм/ч"),
        ("ml/min/1,73m²", "mL/min/1.73 m2"),
        ("mg/g crea", "mg/g"),
        ("mg%", "mg/dL"),
        ("mg / 24 h", "мг/сут"),
        ("mmol/die", "mmol/24h"),
        ("mmol/jour", "ммоль/добу"),
        ("mm/1ª hora", "mm/h"),
        ("mL/min/1.73m*2", "mL/min/1.73 m2"),
        ("кЕ/л", "kU/L"),
        ("МЕ/мл", "IU/mL"),
        ("GPL-U/ml", "U/ml"),
        ("% of total", "%"),
        ("мг/100 мл", "mg/dL"),
        ("sec.", "s"),
        ("/HPF", "в п/зр"),
        ("gm/dL", "g%"),
        ("КП", "ratio"),
        ("kUA/L", "кОд/л"),
    ],
)
def test_spellings_of_one_unit_are_read_alike(unit: str, same: str) -> None:
    assert read(unit) == read(same) != frozenset()


@pytest.mark.parametrize(("unit", "other"), [("%", "L/L"), ("mg/dL", "g/L"), ("‰", "%"), ("ng/mL", "pg/mL")])
def test_units_of_one_kind_differ_by_a_power_of_ten(unit: str, other: str) -> None:
    (one,) = read(unit)

    assert [each.exponent != one.exponent for each in read(other) if each.kind == one.kind] == [True]


@pytest.mark.parametrize(("unit", "other"), [("mg/dL", "mmol/L"), ("U/L", "µkat/L"), ("mg/L", "mg/L FEU")])
def test_what_measures_something_else_is_another_kind(unit: str, other: str) -> None:
    assert {each.kind for each in read(unit)}.isdisjoint(each.kind for each in read(other))


@pytest.mark.parametrize("unit", ["", "§§", "see note", "//", "Ref: 4-10"])
def test_what_is_no_unit_is_not_read_as_one(unit: str) -> None:
    assert read(unit) == frozenset()
