"""plan and gc: what another recipe would redo, and what nobody needs any more."""

from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, files_below
from tests.e2e.results import aged, jobs_by_name, result_file, told, worked
from tests.e2e.terminal import Terminal
from tests.pdfs import text_pdf


@pytest.fixture
def library(blobforge: Blobforge, docs: Path) -> Path:
    """Three documents of six pages that are done."""
    for number in (1, 2, 3):
        text_pdf(docs / f"{number}.pdf", *(f"{number}.{page}" for page in range(number)))
    worked(blobforge)
    return docs


def make_everything_old(blobforge: Blobforge, *, days: float = 30) -> None:
    for path in (blobforge.home / "blobs").rglob("*"):
        if path.is_file():
            aged(path, days=days)


# plan


def test_nothing_is_to_be_redone_by_the_same_recipe(blobforge: Blobforge, library: Path) -> None:
    plan = told(blobforge, "plan")

    assert plan["done"] == {"documents": 3, "pages": 6, "bytes": sum(p.stat().st_size for p in library.iterdir())}
    assert plan["redo"] == plan["kept"] == {"documents": 0, "pages": 0, "bytes": 0}
    assert plan["estimate"] is None


def test_other_options_redo_everything_in_an_estimated_time(blobforge: Blobforge, library: Path) -> None:
    before = files_below(blobforge.home / "blobs")

    plan = told(blobforge, "plan", "--option", "read_pictures=true")

    assert (plan["redo"]["documents"], plan["redo"]["pages"], plan["done"]["documents"]) == (3, 6, 0)
    estimate = plan["estimate"]
    assert 0 < estimate["low_seconds"] <= estimate["likely_seconds"] <= estimate["high_seconds"]
    assert (estimate["from_documents"], estimate["from_pages"], estimate["same_engine"]) == (3, 6, True)
    assert plan["command"] == "blobforge convert PATH -o OUT --read-pictures"
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
    assert "blobforge convert PATH -o OUT --engine liteparse" in shown.stderr


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


# gc


def test_what_is_published_and_the_sources_of_jobs_always_stay(blobforge: Blobforge, library: Path) -> None:
    make_everything_old(blobforge)
    before = files_below(blobforge.home / "blobs")

    done = told(blobforge, "gc", "--yes", "--older-than", "0")

    assert (done["count"], done["deleted"]) == (0, False)
    assert files_below(blobforge.home / "blobs") == before


def test_a_result_that_no_job_publishes_any_more_is_cleared_when_it_is_old(blobforge: Blobforge, library: Path) -> None:
    old = result_file(blobforge, "1.pdf")
    blobforge.convert("docs/1.pdf", "-o", "out", "--read-pictures")

    young = told(blobforge, "gc", "--yes")
    aged(old, days=8)
    done = told(blobforge, "gc", "--yes")

    assert (young["count"], young["young"]) == (0, 1)
    assert done["kinds"]["results"]["count"] == done["count"] == 1
    assert done["deleted"] is True
    assert not old.exists()
    assert result_file(blobforge, "1.pdf").exists()


def test_without_a_word_nothing_is_deleted(blobforge: Blobforge, library: Path) -> None:
    (blobforge.home / "blobs" / "sources" / f"{'0' * 64}.pdf").write_bytes(b"x" * 2000)
    make_everything_old(blobforge)
    before = files_below(blobforge.home / "blobs")

    asked, looked = blobforge.call("gc"), told(blobforge, "gc", "--dry-run", "--yes")

    assert "sources without a job      1  2.0 kB" in asked.stdout
    assert "nothing was deleted; say --yes" in asked.stderr
    assert (looked["kinds"]["sources"], looked["deleted"]) == ({"count": 1, "bytes": 2000}, False)
    assert files_below(blobforge.home / "blobs") == before


@pytest.mark.parametrize(("answer", "is_gone"), [("y", True), ("n", False), ("", False)])
def test_on_a_terminal_it_asks(blobforge: Blobforge, library: Path, answer: str, is_gone: bool) -> None:
    orphan = blobforge.home / "blobs" / "sources" / f"{'0' * 64}.pdf"
    orphan.write_bytes(b"x")
    aged(orphan, days=30)

    terminal = Terminal(blobforge, "gc", env={})
    terminal.type(f"{answer}\n")
    code = terminal.wait_for_end()

    assert code == 0
    assert orphan.exists() is not is_gone
    assert any("Delete 1 blob (1 B)? [y/N]:" in line for line in terminal.lines)
    assert terminal.lines[-1] == ("deleted 1 blob (1 B)" if is_gone else "nothing was deleted")


def test_half_a_copy_and_old_error_logs_are_cleared(blobforge: Blobforge, library: Path) -> None:
    store = blobforge.home / "blobs"
    job = jobs_by_name(blobforge)["1.pdf"]
    log = store / "registry" / "logs" / job["source_hash"] / "error.json"
    log.parent.mkdir(parents=True)
    log.write_text("{}")
    (store / ".incoming" / "half").write_bytes(b"half")
    make_everything_old(blobforge)

    done = told(blobforge, "gc", "--yes")

    counts = {kind: facts["count"] for kind, facts in done["kinds"].items()}
    assert counts == {"results": 0, "sources": 0, "logs": 1, "temporary": 1}
    assert not log.exists()
    assert not (store / ".incoming" / "half").exists()


def test_the_source_of_a_document_that_is_not_done_stays(blobforge: Blobforge, library: Path) -> None:
    text_pdf(library / "waiting.pdf")
    blobforge.call("submit", "docs")
    make_everything_old(blobforge)
    told(blobforge, "gc", "--yes")

    assert blobforge.run("worker", "--drain").returncode == 0
    assert jobs_by_name(blobforge)["waiting.pdf"]["state"] == "completed"


def test_a_queue_without_any_job_is_taken_for_the_wrong_one(blobforge: Blobforge, library: Path) -> None:
    make_everything_old(blobforge)
    before = files_below(blobforge.home / "blobs")

    refused = blobforge.call("gc", "--yes", BLOBFORGE_QUEUE=f"sqlite:///{blobforge.cwd}/other.db")

    assert refused.exit_code == 2
    assert "has no jobs at all" in refused.stderr
    assert files_below(blobforge.home / "blobs") == before
