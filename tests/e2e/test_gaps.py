"""Pages that are missing in a result are told wherever people look, also when a queue did the work."""

import json
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge
from tests.e2e.results import jobs_by_name, told
from tests.pdfs import scanned_pdf, text_pdf

NOWHERE = "/nonexistent"


@pytest.fixture
def gapped(blobforge: Blobforge, docs: Path) -> None:
    """Two documents that went through a queue on a machine without tesseract; one has a page of text and two scans."""
    scanned_pdf(docs / "scan.pdf", pages=2, text_first=True)
    text_pdf(docs / "text.pdf")
    blobforge.call("submit", "docs")
    worked = blobforge.run("worker", "--drain", PATH=NOWHERE)
    assert worked.returncode == 3
    ended = json.loads(worked.stderr.splitlines()[-1])
    assert (ended["event"], ended["completed"], ended["gaps"], ended["failed"]) == ("worker ended", 2, 1, 0)
    assert "2 of 3 pages are missing (ocr_unavailable)" in worked.stderr


@pytest.mark.usefixtures("gapped")
def test_gaps_are_told_by_every_view(blobforge: Blobforge) -> None:
    name = jobs_by_name(blobforge)["scan.pdf"]["source_hash"][:8]

    listed, queue = told(blobforge, "list", "--gaps"), told(blobforge, "status")
    shown = {
        command[0]: blobforge.call(*command).stdout for command in (("status", name), ("why", name), ("dashboard",))
    }

    assert [Path(job["source_path"]).name for job in listed["jobs"]] == ["scan.pdf"]
    assert queue["gaps"] == told(blobforge, "dashboard")["gaps"] == {"pdf": 1}
    assert "GAPS" in blobforge.call("status").stdout
    assert "2 of 3 pages are missing (ocr_unavailable)" in shown["status"]
    assert "2 of 3 pages are missing (ocr_unavailable)" in shown["why"]
    assert f"blobforge retry {name}" in shown["why"]
    assert told(blobforge, "why", name)["reason"] == "completed_with_gaps"
    assert "1 result has gaps: blobforge list --gaps" in shown["dashboard"]


@pytest.mark.usefixtures("gapped")
def test_who_submits_it_again_is_told_of_the_gaps_and_how_they_are_tried_again(blobforge: Blobforge) -> None:
    again, as_json = blobforge.call("submit", "docs"), told(blobforge, "submit", "docs")

    assert again.stderr == (
        "0 queued, 2 known (2 completed, 1 of them with gaps), 0 failed\n"
        "To try the missing pages again: blobforge retry-all --gaps\n"
    )
    assert {Path(entry["path"]).name: entry["has_gaps"] for entry in as_json["results"]} == {
        "scan.pdf": True,
        "text.pdf": False,
    }


@pytest.mark.usefixtures("gapped")
def test_hydrating_a_result_with_gaps_ends_with_3_and_names_it(blobforge: Blobforge) -> None:
    done = blobforge.call("hydrate", "docs")
    again = blobforge.call("hydrate", "docs")

    assert [done.exit_code, again.exit_code] == [3, 3]
    assert "scan.pdf: 2 of 3 pages are missing (ocr_unavailable)" in done.stderr


@pytest.mark.needs("tesseract")
@pytest.mark.usefixtures("gapped")
def test_fetching_a_result_with_gaps_ends_with_3_and_says_what_is_missing(blobforge: Blobforge) -> None:
    (flawed,) = told(blobforge, "list", "--gaps")["jobs"]

    shown = blobforge.call("download", flawed["source_hash"], "-o", "a.zip")
    account = blobforge.call("download", flawed["source_hash"], "-o", "b.zip", "--json")

    assert (shown.exit_code, account.exit_code) == (3, 3)
    assert "pages are missing (ocr_unavailable)" in shown.stderr
    assert json.loads(account.stdout)["pages_failed"] == 2
    assert (blobforge.cwd / "a.zip").exists()


@pytest.mark.usefixtures("gapped")
def test_once_tesseract_is_there_the_gaps_are_planned_retried_and_gone(blobforge: Blobforge) -> None:
    before = told(blobforge, "plan", PATH=NOWHERE)
    plan = told(blobforge, "plan")
    retried = told(blobforge, "retry-all", "--gaps")
    worked = blobforge.run("worker", "--drain", "--json")

    assert (before["redo"]["documents"], before["gaps"]) == (0, {"documents": 1, "pages": 2, "mended": 0})
    assert (plan["redo"]["documents"], plan["gaps"]) == (1, {"documents": 1, "pages": 2, "mended": 1})
    assert (retried["matched"], retried["retried"]) == (1, 1)
    assert (worked.returncode, json.loads(worked.stdout)["gaps"]) == (0, 0)
    assert told(blobforge, "list", "--gaps")["jobs"] == []


@pytest.mark.needs("tesseract")
@pytest.mark.usefixtures("gapped")
def test_pages_that_were_missing_are_written_by_the_next_hydrate(blobforge: Blobforge, docs: Path) -> None:
    blobforge.call("hydrate", "docs")
    assert "ocr_unavailable" in (docs / "scan.md").read_text()
    blobforge.call("retry-all", "--gaps")
    blobforge.call("worker", "--drain")

    done = blobforge.call("hydrate", "docs")

    assert (done.exit_code, "1 written" in done.output) == (0, True)
    assert "failed" not in (docs / "scan.md").read_text()


def test_a_worker_that_drains_ends_with_3_when_a_document_failed(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "good.pdf")
    (docs / "bad.pdf").write_text("no PDF")
    blobforge.call("submit", "docs")

    worked = blobforge.run("worker", "--drain", "--json")

    assert worked.returncode == 3
    account = json.loads(worked.stdout)
    assert (account["completed"], account["failed"], account["gaps"]) == (1, 1, 0)


@pytest.mark.needs("tesseract")
def test_a_result_that_misses_more_pages_is_for_who_asked_for_it_and_not_published(
    blobforge: Blobforge, docs: Path, out: Path, place: dict[str, str]
) -> None:
    scanned_pdf(docs / "scan.pdf")
    blobforge.call("submit", "docs", **place)
    assert blobforge.call("worker", "--drain", **place).exit_code == 0

    worse = blobforge.convert("docs", "-o", "out", "--language", "eng", PATH=NOWHERE, **place)
    told(blobforge, "gc", "--older-than", "0", "--yes", **place)

    (job,) = told(blobforge, "list", **place)["jobs"]
    assert worse.code == 3
    assert "ocr_unavailable" in (out / "scan.md").read_text()
    assert (job["state"], job["result"]["pages_failed"]) == ("completed", 0)
    assert "a later run misses more and is not published" in blobforge.call("why", f"#{job['id']}", **place).stdout
    assert told(blobforge, "hydrate", "docs", **place)["results"][0]["pages_failed"] == 0
    assert "failed" not in (docs / "scan.md").read_text()
