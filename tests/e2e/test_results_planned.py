"""plan: what another recipe would redo."""

from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, files_below
from tests.e2e.results import finished, jobs_by_name, told, worked
from tests.pdfs import text_pdf


@pytest.fixture
def library(blobforge: Blobforge, docs: Path) -> Path:
    """Three documents of six pages that are done."""
    for number in (1, 2, 3):
        text_pdf(docs / f"{number}.pdf", *(f"{number}.{page}" for page in range(number)))
    worked(blobforge)
    return docs


def test_nothing_is_to_be_redone_by_the_same_recipe(blobforge: Blobforge, library: Path) -> None:
    plan = told(blobforge, "plan")

    assert plan["done"] == {"documents": 3, "pages": 6, "bytes": sum(p.stat().st_size for p in library.iterdir())}
    assert plan["redo"] == plan["kept"] == {"documents": 0, "pages": 0, "bytes": 0}
    assert plan["estimate"] is None
    assert plan["changes"] == []


def test_other_options_redo_everything_in_an_estimated_time(blobforge: Blobforge, library: Path) -> None:
    before = files_below(blobforge.home / "blobs")

    plan = told(blobforge, "plan", "--option", "read_pictures=true")

    assert (plan["redo"]["documents"], plan["redo"]["pages"], plan["done"]["documents"]) == (3, 6, 0)
    estimate = plan["estimate"]
    assert 0 < estimate["low_seconds"] <= estimate["likely_seconds"] <= estimate["high_seconds"]
    assert (estimate["from_documents"], estimate["from_pages"], estimate["same_engine"]) == (3, 6, True)
    assert plan["command"] == "blobforge reprocess --all --option read_pictures=true"
    assert files_below(blobforge.home / "blobs") == before
    assert {job["state"] for job in jobs_by_name(blobforge).values()} == {"completed"}


def test_the_command_that_it_names_does_what_it_foretold(blobforge: Blobforge, library: Path) -> None:
    blobforge.convert("docs/1.pdf", "docs/2.pdf", "-o", "out", "--read-pictures")

    plan = told(blobforge, "plan", "--option", "read_pictures=true")
    back = told(blobforge, "plan")

    assert (plan["done"]["documents"], plan["redo"]["documents"]) == (2, 1)
    assert (back["done"]["documents"], back["kept"]["documents"], back["redo"]["documents"]) == (1, 2, 0)
    assert [(stock["documents"], stock["recipe"]["options"]["read_pictures"]) for stock in plan["recipes"]] == [
        (2, True),
        (1, False),
    ]


def test_an_estimate_by_another_engine_says_how_little_it_is_worth(blobforge: Blobforge, library: Path) -> None:
    shown = blobforge.call("plan", "--engine", "liteparse")

    assert "to redo     3 documents, 6 pages" in shown.stdout
    assert "judged by   3 documents: 6 pages in" in shown.stdout
    assert "may be much slower or quicker" in shown.stdout
    assert "blobforge reprocess --all --engine liteparse" in shown.stderr


def test_results_of_an_older_version_are_told_with_what_has_changed_since(blobforge: Blobforge, docs: Path) -> None:
    for number in (1, 2, 3):
        text_pdf(docs / f"{number}.pdf", f"{number}")
    asked = told(blobforge, "plan")["recipe"]
    before = str(int(asked["version"]) - 1)
    finished(blobforge, made_by={**asked, "version": before})

    plan, shown = told(blobforge, "plan"), blobforge.call("plan").stdout

    (change,) = plan["changes"]
    assert (change["name"], change["version"], change["documents"]) == ("pdf_markdown", asked["version"], 3)
    assert plan["redo"]["documents"] == 3
    assert f"changed     by pdf_markdown {asked['version']}, for 3 documents: {change['summary']}" in shown
    assert [line.split()[-2:] for line in shown.splitlines() if line.startswith("0123456789abcdef")] == [
        ["pdf_markdown", before]
    ]


def test_documents_that_are_not_completed_are_not_counted(blobforge: Blobforge, library: Path) -> None:
    (library / "bad.pdf").write_text("<html>")
    blobforge.call("submit", "docs")

    assert told(blobforge, "plan")["uncompleted"] == 1
    assert told(blobforge, "plan")["done"]["documents"] == 3


def test_before_anything_is_done_there_is_nothing_to_plan(blobforge: Blobforge) -> None:
    shown = blobforge.call("plan")

    assert shown.exit_code == 0
    assert "nothing to redo" in shown.stderr


def test_an_option_that_there_is_not_is_refused(blobforge: Blobforge) -> None:
    assert blobforge.call("plan", "--option", "colour=red").exit_code == 2
