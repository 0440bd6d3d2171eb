# ruff: noqa: RUF001 - Cyrillic words, and all the dashes that are printed
"""Units are told by their shape."""

import pytest

from blobforge.processors.lab_report.notation.units import is_unit, printed_unit


@pytest.mark.parametrize(
    "text",
    [
        "g/dL", "mmol/l", "µmol/L", "x10^9/L", "10^3/uL", "10*3/uL", "x10E3/uL", "10³/µL",
        "/uL", "%", "fL", "pg", "U/l",
        "mIU/L", "ml/min/1,73m²", "mL/min/1.73m2", "mm/h", "cells/µL", "mill/cumm", "Gpt/l", "K/mcL", "г/л", "ммоль/л",
        "мкМЕ/мл", "тыс/мкл", "10^12/л", "мм/ч", "мм/год", "Од/л", "nkat/l", "mg/24h", "[g/L]", "S/CO", "lakhs/cumm",
        "copies/mL", "ng/mL", "mOsm/kg", "UI/L", "E9/L", "x1000/mmc",
    ],
)  # fmt: skip
def test_this_is_a_unit(text: str) -> None:
    """R3-20."""
    assert is_unit(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "10",
        "103",
        "10-12",
        "CD4/CD8",
        "LDL/HDL",
        "and/or",
        "N/A",
        "Hemoglobin",
        "H",
        "L",
        "12/2024",
        "A/G",
        "BUN/Creatinine",
    ],
)
def test_this_is_none(text: str) -> None:
    assert not is_unit(text)


def test_a_unit_is_kept_as_it_is_printed() -> None:
    assert printed_unit("(g / dL)") == "g/dL"
    assert printed_unit("x10^9/L,") == "x10^9/L"
    assert printed_unit("mL/min/1,73m²[") == "mL/min/1,73m²"
    assert printed_unit("  ") is None
