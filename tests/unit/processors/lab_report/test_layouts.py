"""Whole reports, typeset in many layouts and seven languages, come back as they were written."""

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from benchmarks.lab_reports.content import TONGUES, Tongue
from benchmarks.lab_reports.layouts import LAYOUTS, Layout
from benchmarks.lab_reports.printing import print_report
from tests.unit.processors.pdfs import a_task

from blobforge.processors.lab_report.plugin import LabReportProcessor
from blobforge.testing.processor_contract import converted

PROCESSOR = LabReportProcessor()
PAIRS = [(layout, TONGUES[place % len(TONGUES)]) for place, layout in enumerate(LAYOUTS)]


def normalised(pdf: bytes, folder: Path) -> dict[str, Any]:
    source = folder / "report.pdf"
    source.write_bytes(pdf)
    product = converted(PROCESSOR, a_task(source, folder / "work"))
    with ZipFile(product.archive) as archive:
        found: dict[str, Any] = json.loads(archive.read("normalized.json"))
    return found


@pytest.mark.parametrize(("layout", "tongue"), PAIRS, ids=[f"{layout.name}-{tongue.code}" for layout, tongue in PAIRS])
def test_a_report_is_read_as_it_was_written(tmp_path: Path, layout: Layout, tongue: Tongue) -> None:
    """R3-15, R3-19, R3-20, R3-31."""
    printed = print_report(layout, tongue)

    found = normalised(printed.pdf, tmp_path)

    keys = ("biomarker_name", "value", "unit", "reference_range")
    read = sorted(tuple(one[key] for key in keys) for one in found["observations"])
    assert read == sorted(tuple(one[key] for key in keys) for one in printed.truth["observations"])
    assert (found["first_name"], found["DOB"], found["language"]) == (tongue.first, tongue.birthday, tongue.code)
    assert found["second_name"].lower() == tongue.second.lower()


def test_what_is_neither_person_nor_result_is_common(tmp_path: Path) -> None:
    """R3-19."""
    tongue = TONGUES[0]

    common = normalised(print_report(LAYOUTS[0], tongue).pdf, tmp_path)["common"]

    assert tongue.remark in common
    assert "HBsAg Negative Negative" in common
    assert tongue.second not in common
    assert "Haemoglobin" not in common
    assert "Reference Range" not in common
