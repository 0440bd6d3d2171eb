"""gc: what nobody needs any more in the store is cleared away, and nothing else."""

from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, files_below
from tests.e2e.results import aged, finished, jobs_by_name, result_file, told
from tests.e2e.terminal import Terminal
from tests.pdfs import text_pdf


@pytest.fixture
def library(blobforge: Blobforge, docs: Path) -> Path:
    """Two documents that are done."""
    for name in ("1.pdf", "2.pdf"):
        text_pdf(docs / name)
    finished(blobforge)
    return docs


def make_everything_old(blobforge: Blobforge, *, days: float = 30) -> None:
    for path in (blobforge.home / "blobs").rglob("*"):
        if path.is_file():
            aged(path, days=days)


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
    assert (asked.exit_code, blobforge.call("gc", "--json").exit_code) == (2, 2)
    assert (looked["kinds"]["sources"], looked["deleted"]) == ({"count": 1, "bytes": 2000}, False)
    assert files_below(blobforge.home / "blobs") == before


@pytest.mark.parametrize(("answer", "is_gone"), [("y", True), ("n", False), ("", False)])
def test_on_a_terminal_it_asks(blobforge: Blobforge, library: Path, answer: str, is_gone: bool) -> None:
    orphan = blobforge.home / "blobs" / "sources" / f"{'0' * 64}.pdf"
    orphan.write_bytes(b"x")
    aged(orphan, days=30)

    terminal = Terminal(blobforge, "gc", env={})
    terminal.wait_for(r"Delete 1 blob \(1 B\)\? \[y/N\]:")
    terminal.type(f"{answer}\n")
    code = terminal.wait_for_end()

    assert code == 0
    assert orphan.exists() is not is_gone
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

    assert blobforge.call("worker", "--drain").exit_code == 0
    assert jobs_by_name(blobforge)["waiting.pdf"]["state"] == "completed"


def test_a_queue_without_any_job_is_taken_for_the_wrong_one(blobforge: Blobforge, library: Path) -> None:
    make_everything_old(blobforge)
    before = files_below(blobforge.home / "blobs")

    other = f"sqlite:///{blobforge.cwd}/other.db"
    blobforge.call("doctor", BLOBFORGE_QUEUE=other)  # which makes it
    unknown = blobforge.call("gc", "--yes", BLOBFORGE_QUEUE=other)
    blobforge.call("doctor", "--confirm-store", BLOBFORGE_QUEUE=other)
    confirmed = blobforge.call("gc", "--only-queue", "--yes", BLOBFORGE_QUEUE=other)

    assert (unknown.exit_code, confirmed.exit_code) == (2, 2)
    assert "is used by another queue" in unknown.stderr
    assert "has no jobs at all" in confirmed.stderr
    assert files_below(blobforge.home / "blobs") == before
