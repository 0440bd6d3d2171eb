"""The processor as the worker sees it: cheap to ask, typed errors, and nothing of a report outside its result."""

import json
import logging
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from tests.pdfs import pdf_without_pages
from tests.unit.processors import pdfs

from blobforge.domain.errors import (
    BlobForgeError,
    DamagedSource,
    EmptySource,
    EncryptedSource,
    EngineUnavailable,
    InvalidOptions,
    NoPageConverted,
    NoPages,
    NotAPdf,
    NoText,
    SourceMissing,
)
from blobforge.domain.json_value import JsonObject
from blobforge.processors.lab_report.plugin import LabReportProcessor
from blobforge.testing.processor_contract import converted, nobody

PROCESSOR = LabReportProcessor()
NAME = "Whitfield"


def a_report(path: Path, *, password: str = "") -> Path:
    def draw(canvas: Any) -> None:
        for y, text in (
            (760, f"Patient Name: Laura {NAME}"),
            (740, "DOB: 1982-09-17"),
            (720, "Glucose: 5.1 mmol/L (3.9 - 5.6)"),
        ):
            canvas.drawString(72, y, text)
        canvas.drawString(72, 700, "C-Reactive Protein: < 0.5 mg/L (< 5.0)")

    made = pdfs.make_pdf(path, draw)
    return pdfs.encrypted(made, path.with_suffix(".locked"), user=password) if password else made


def content(archive: Path, name: str) -> dict[str, Any]:
    with ZipFile(archive) as opened:
        found: dict[str, Any] = json.loads(opened.read(name))
    return found


def test_asking_it_loads_no_library() -> None:
    code = (
        "import sys; from blobforge.processors.lab_report.plugin import LabReportProcessor as P;"
        "P().recipe({}); print([name for name in ('spacy', 'pdfplumber', 'pint') if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert done.stdout.strip() == "[]"


def test_a_report_becomes_the_documented_form(tmp_path: Path) -> None:
    """R3-19, R3-20, R3-31, R3-32."""
    product = converted(PROCESSOR, pdfs.a_task(a_report(tmp_path / "report.pdf"), tmp_path / "work"))

    normal = content(product.archive, "normalized.json")
    assert list(normal) == ["first_name", "second_name", "DOB", "language", "common", "observations"]
    assert (normal["first_name"], normal["second_name"], normal["DOB"], normal["language"]) == (
        "Laura",
        NAME,
        "17.09.1982",
        "en",
    )
    assert normal["observations"] == [
        {
            "biomarker_name": "Glucose",
            "biomarker_code": normal["observations"][0]["biomarker_code"],
            "value": 5.1,
            "unit": "mmol/L",
            "reference_range": "3.9 - 5.6",
        },
        {
            "biomarker_name": "C-Reactive Protein",
            "biomarker_code": "1988-5",
            "value": 0.5,
            "unit": "mg/L",
            "reference_range": "< 5.0",
            "comparator": "<",
        },
    ]


def test_the_raw_form_tells_where_each_line_stood_and_who_read_it(tmp_path: Path) -> None:
    """R3-18."""
    product = converted(PROCESSOR, pdfs.a_task(a_report(tmp_path / "report.pdf"), tmp_path / "work"))

    raw = content(product.archive, "raw.json")
    assert raw["pipeline"] == {"model": "blank:xx", "components": ["lab_rules"]}
    assert raw["version"] == PROCESSOR.info.version
    assert [row["rule"] for row in raw["rows"]] == ["person", "person", "free row", "free row"]
    assert raw["rows"][2]["text"] == "Glucose: 5.1 mmol/L (3.9 - 5.6)"
    assert raw["rows"][2]["page"] == 1
    assert len(raw["rows"][2]["box"]) == 4


def test_a_report_that_is_read_twice_gives_the_same_result(tmp_path: Path) -> None:
    """R3-46."""
    report = a_report(tmp_path / "report.pdf")

    first, second = (converted(PROCESSOR, pdfs.a_task(report, tmp_path / run)) for run in ("first", "second"))

    assert first.archive.read_bytes() == second.archive.read_bytes()
    assert first.summary == second.summary


def test_the_record_of_the_job_holds_numbers_alone(tmp_path: Path) -> None:
    """R3-40, R3-41."""
    product = converted(PROCESSOR, pdfs.a_task(a_report(tmp_path / "report.pdf"), tmp_path / "work"))

    assert product.summary["observations"] == 2
    assert NAME not in json.dumps(product.summary)


def test_an_encrypted_report_opens_with_its_password(tmp_path: Path) -> None:
    task = pdfs.a_task(a_report(tmp_path / "report.pdf", password="open"), tmp_path / "work")

    product = converted(PROCESSOR, replace(task, secrets={"password": "open"}))

    assert content(product.archive, "normalized.json")["second_name"] == NAME


def refused(source: Path, folder: Path, error: type[BlobForgeError], **options: Any) -> str:
    task = pdfs.a_task(source, folder / "work", name=f"{NAME}.pdf", **options)
    with pytest.raises(error) as caught:
        converted(PROCESSOR, task)
    assert not error.retryable or error is SourceMissing
    return str(caught.value)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda path: path.write_bytes(b""), EmptySource),
        (lambda path: path.write_bytes(b"just text"), NotAPdf),
        (lambda path: path.write_bytes(b"%PDF-1.7\nnothing of a PDF"), DamagedSource),
        (pdf_without_pages, NoPages),
        (lambda path: pdfs.make_pdf(path, pdfs.nothing, pdfs.nothing), NoText),
        (lambda path: None, SourceMissing),
    ],
)
def test_a_source_that_cannot_be_read_is_refused_without_its_name(
    tmp_path: Path, make: Any, error: type[BlobForgeError]
) -> None:
    """R3-16, R3-17, R3-28, R3-39, R3-40."""
    make(tmp_path / "report.pdf")

    message = refused(tmp_path / "report.pdf", tmp_path, error)

    assert NAME not in message


def test_a_locked_report_is_refused(tmp_path: Path) -> None:
    """R3-28."""
    assert "password" in refused(a_report(tmp_path / "report.pdf", password="open"), tmp_path, EncryptedSource)


def test_a_pipeline_that_is_not_installed_is_refused_by_name(tmp_path: Path) -> None:
    """R3-42."""
    message = refused(a_report(tmp_path / "report.pdf"), tmp_path, EngineUnavailable, spacy_model="no_such_pipeline")

    assert "no_such_pipeline" in message


def test_another_blank_pipeline_reads_the_same(tmp_path: Path) -> None:
    """R3-42."""
    source = a_report(tmp_path / "report.pdf")

    english = converted(PROCESSOR, pdfs.a_task(source, tmp_path / "one", spacy_model="blank:en"))
    multi = converted(PROCESSOR, pdfs.a_task(source, tmp_path / "two"))

    assert content(english.archive, "normalized.json") == content(multi.archive, "normalized.json")


@pytest.mark.parametrize(
    "options",
    [{"spacy_model": "../evil"}, {"spacy_model": 3}, {"slice_pages": 0}, {"slice_pages": "many"}, {"spacymodel": "x"}],
)
def test_options_that_make_no_sense_are_refused(options: JsonObject) -> None:
    with pytest.raises(InvalidOptions):
        PROCESSOR.recipe(options)


def test_missing_packages_are_named_with_what_installs_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(
        "blobforge.processors.lab_report.plugin.find_spec", lambda name: None if name == "spacy" else name
    )

    message = refused(a_report(tmp_path / "report.pdf"), tmp_path, EngineUnavailable)

    assert "spacy" in message
    assert "[lab]'" in message


def test_the_libraries_are_silent_about_what_they_stumble_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """R3-40."""
    converted(PROCESSOR, pdfs.a_task(a_report(tmp_path / "report.pdf"), tmp_path / "work"))

    logging.getLogger("pdfminer.pdfinterp").warning("Cannot set %s", NAME)

    assert NAME not in caplog.text


def test_a_page_that_cannot_be_read_is_accounted_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R3-26."""

    def fail(_page: object) -> list[object]:
        raise ValueError(NAME)

    task = pdfs.a_task(a_report(tmp_path / "report.pdf"), tmp_path / "work")
    plan = PROCESSOR.plan(task)
    monkeypatch.setattr("blobforge.processors.lab_report.page.page_reader.words_of", fail)
    PROCESSOR.run(task, plan, plan.slices[0], nobody)

    with pytest.raises(NoPageConverted) as caught:
        PROCESSOR.join(task, plan, [], nobody)

    assert NAME not in str(caught.value)
