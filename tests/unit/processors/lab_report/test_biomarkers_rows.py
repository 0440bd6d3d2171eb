"""The rows of the biomarker table: nothing twice, every language, LOINC numbers that are whole."""

import re
from itertools import combinations
from pathlib import Path

import pytest

from blobforge.processors.lab_report import biomarkers
from blobforge.processors.lab_report.biomarkers import Biomarker, dimensions, folding, name_words
from blobforge.processors.lab_report.biomarkers.panel_files import (
    PANELS,
    BiomarkerRow,
    panel_text,
    read_panel,
    read_rows,
)
from blobforge.processors.lab_report.vocabulary.languages import codes

ROWS = read_rows()
BIOMARKERS = [biomarker for row in ROWS for biomarker in row.biomarkers]
LOINC_NUMBER = re.compile(r"(\d{1,5})-(\d)")
SHORT_CODE = re.compile(r"(?=.*[A-Z])[A-Z0-9][A-Z0-9/%#-]*")
PANELS_FOLDER = Path(biomarkers.__file__).parent / "panels"


def test_there_are_about_three_hundred_rows_or_more() -> None:
    assert len(ROWS) >= 300


def test_no_code_stands_for_two_biomarkers() -> None:
    codes = [biomarker.code for biomarker in BIOMARKERS]

    assert sorted(codes) == sorted(set(codes))


def test_no_name_is_given_to_two_rows() -> None:
    names = [row.biomarkers[0].name for row in ROWS]

    assert sorted(names) == sorted(set(names))


def test_every_loinc_number_has_its_check_digit() -> None:
    numbers = [number for biomarker in BIOMARKERS if (number := LOINC_NUMBER.fullmatch(biomarker.code))]

    assert len(numbers) > 300
    assert [number[0] for number in numbers if int(number[2]) != check_digit(number[1])] == []


def test_a_code_that_is_no_loinc_number_is_a_short_code_in_capitals() -> None:
    others = [biomarker.code for biomarker in BIOMARKERS if not LOINC_NUMBER.fullmatch(biomarker.code)]

    assert [code for code in others if not SHORT_CODE.fullmatch(code)] == []


@pytest.mark.parametrize(("number", "digit"), [("718", 7), ("4544", 3), ("2345", 7), ("62292", 8)])
def test_the_check_digit_is_the_one_of_loinc(number: str, digit: int) -> None:
    assert check_digit(number) == digit


def test_every_row_has_a_name_in_each_language() -> None:
    lacking = [row.biomarkers[0].name for row in ROWS if not set(codes()) <= set(row.names) <= {*codes(), "all"}]

    assert lacking == []


def test_names_in_a_language_that_has_no_file_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\[718-7\] Hemoglobin: 'cs' is no language"):
        read_panel("\n[718-7] Hemoglobin\nunits: g/dL\nen: Hemoglobin\ncs: hemoglobin")


def test_no_name_is_empty_or_has_blanks_around_it() -> None:
    names = [name for row in ROWS for printed in row.names.values() for name in printed]

    assert [name for name in names if name != name.strip() or not name] == []


def test_every_unit_is_one_that_we_can_read() -> None:
    listed = {unit for biomarker in BIOMARKERS for unit in biomarker.units}

    assert {unit for unit in listed if not dimensions.read(unit)} == set()


def test_every_specimen_is_one_that_names_can_tell() -> None:
    assert {row.specimen for row in ROWS} <= set(name_words.SPECIMENS.values())


def test_rows_that_share_a_name_are_told_apart_by_unit_or_specimen() -> None:
    by_name: dict[str, list[BiomarkerRow]] = {}
    for row in ROWS:
        for name in {folding.joined(folding.fold(name)) for printed in row.names.values() for name in printed}:
            by_name.setdefault(name, []).append(row)

    unclear = [
        (name, one.biomarkers[0].name, other.biomarkers[0].name)
        for name, rows in by_name.items()
        for one, other in combinations(rows, 2)
        if one.specimen == other.specimen and not told_apart(one, other)
    ]

    assert unclear == []


def test_within_a_row_the_unit_tells_which_code() -> None:
    unclear = [
        row.biomarkers[0].name
        for row in ROWS
        for one, other in combinations(row.biomarkers, 2)
        if readings(one) & readings(other)
    ]

    assert unclear == []


def test_every_file_of_the_folder_is_a_panel_and_stays_short() -> None:
    files = {path.stem: path for path in PANELS_FOLDER.glob("*.txt")}

    assert set(files) == set(PANELS)
    assert [name for name in files if len(panel_text(name).splitlines()) >= 400] == []


def test_the_notice_of_loinc_is_in_the_package() -> None:
    notice = (PANELS_FOLDER / "NOTICE").read_text(encoding="utf-8")

    assert "http://loinc.org/license" in notice
    assert "Regenstrief Institute, Inc." in notice


def told_apart(one: BiomarkerRow, other: BiomarkerRow) -> bool:
    here = set().union(*(readings(biomarker) for biomarker in one.biomarkers))
    there = set().union(*(readings(biomarker) for biomarker in other.biomarkers))
    return not here & there and bool(here | there)


def readings(biomarker: Biomarker) -> set[dimensions.UnitDimension]:
    return {reading for unit in biomarker.units for reading in dimensions.read(unit)}


def check_digit(number: str) -> int:
    """Luhn's: every second digit from the right is doubled."""
    doubled = [int(digit) * (2 - place % 2) for place, digit in enumerate(reversed(number))]
    return -sum(value // 10 + value % 10 for value in doubled) % 10
