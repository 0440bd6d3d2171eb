"""A document that was repaired, or whose text is doubtful, says so where people look."""

import json
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge
from tests.e2e.results import jobs_by_name, told, worked
from tests.pdfs import aged, text_pdf
from tests.unit.processors import damaged_pdfs as damaged

REPAIRED = "the file was damaged and repaired"


@pytest.fixture
def torn(docs: Path) -> Path:
    """A file that lost its end on the way."""
    path = text_pdf(docs / "torn.pdf", "One", "Two")
    path.write_bytes(path.read_bytes()[:-40])
    return path


def test_a_repaired_document_is_told_by_convert_each_time(blobforge: Blobforge, torn: Path) -> None:
    runs = [blobforge.convert("docs", "-o", "out") for _ in range(2)]
    shown = blobforge.call("convert", "docs", "-o", "out")

    assert [run.outcomes["torn.pdf"] for run in runs] == ["converted", "cached"]
    assert [run.entry("torn.pdf")["doubts"] for run in runs] == [REPAIRED, REPAIRED]
    assert f"{torn}: {REPAIRED}" in shown.stderr


@pytest.mark.usefixtures("torn")
def test_a_repaired_document_is_told_by_worker_status_why_and_hydrate(blobforge: Blobforge) -> None:
    blobforge.call("submit", "docs")
    run = blobforge.run("worker", "--drain")
    name = jobs_by_name(blobforge)["torn.pdf"]["source_hash"][:8]

    assert run.returncode == 0
    assert REPAIRED in run.stderr
    ended = json.loads(run.stderr.splitlines()[-1])
    assert (ended["event"], ended["completed"], ended["doubts"]) == ("worker ended", 1, 1)
    assert REPAIRED in blobforge.call("status", name).stdout
    assert f"Look at it with care: {REPAIRED}." in blobforge.call("why", name).stdout
    assert told(blobforge, "hydrate", "docs")["results"][0]["doubts"] == REPAIRED


@pytest.mark.usefixtures("torn")
def test_repaired_documents_are_counted_and_listed(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "sound.pdf")
    worked(blobforge)

    listed, shown = told(blobforge, "list", "--doubts"), blobforge.call("list").stdout

    assert [Path(job["source_path"]).name for job in listed["jobs"]] == ["torn.pdf"]
    assert "repaired" in next(line for line in shown.splitlines() if "torn.pdf" in line)
    assert told(blobforge, "status")["doubts"] == told(blobforge, "dashboard")["doubts"] == {"pdf": 1}
    assert "DOUBTS" in blobforge.call("status").stdout
    assert "1 result has doubts: blobforge list --doubts" in blobforge.call("dashboard").stdout
    assert told(blobforge, "reprocess", "--where", "doubts", "--dry-run")["matched"] == 1


def test_a_page_with_a_damaged_stream_is_told_wherever_doubts_are(blobforge: Blobforge, docs: Path) -> None:
    text = damaged.text_of_lines("page")
    cut, whole = damaged.cut_in_half(damaged.flate(text)), damaged.flate(text)
    aged(damaged.written(docs / "cut.pdf", (cut, ["/FlateDecode"]), (whole, ["/FlateDecode"])))
    doubt = "doubtful pages: 1 damaged_content"

    converted = blobforge.convert("docs", "-o", "out")
    worked(blobforge)
    name = jobs_by_name(blobforge)["cut.pdf"]["source_hash"][:8]

    assert converted.entry("cut.pdf")["doubts"] == doubt
    assert doubt in blobforge.call("status", name).stdout
    assert doubt in blobforge.call("why", name).stdout
    assert len(told(blobforge, "list", "--doubts")["jobs"]) == 1
