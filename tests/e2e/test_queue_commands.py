"""submit, worker, list and status, one after the other, as a person would."""

import json
import re
from pathlib import Path
from typing import Any

from tests.e2e.program import Blobforge
from tests.e2e.terminal import Terminal
from tests.pdfs import text_pdf


def told(blobforge: Blobforge, *args: str) -> dict[str, Any]:
    """What a command says to programs."""
    document: dict[str, Any] = json.loads(blobforge.call(*args, "--json").stdout)
    return document


def test_documents_go_from_a_folder_through_the_queue_to_a_result(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "good.pdf", "One", "Two")
    (docs / "bad.pdf").write_text("<html>")

    submitted = told(blobforge, "submit", "docs", "--tag", "rules", "--priority", "high")
    waiting = told(blobforge, "status")
    worked = blobforge.run("worker", "--drain", "--json")
    done = told(blobforge, "list", "--state", "completed")["jobs"]
    dead = told(blobforge, "list", "--state", "dead")["jobs"]

    assert (submitted["documents"], submitted["queued"]) == (2, 2)
    assert waiting["counts"]["pdf"]["pending"] == 2
    assert json.loads(worked.stdout) == {
        "completed": 1,
        "failed": 1,
        "released": 0,
        "lost": 0,
        "cancelled": 0,
        "gaps": 0,
        "doubts": 0,
    }
    assert [(job["source_path"], job["tags"], job["priority"]) for job in done] == [
        (str(docs / "good.pdf"), ["rules"], 2)
    ]
    assert [(job["source_path"], job["error_code"]) for job in dead] == [(str(docs / "bad.pdf"), "not_a_pdf")]
    assert done[0]["result"]["pages"] == 2


def test_a_worker_needs_the_store_alone_and_not_the_folder(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "one.pdf")
    told(blobforge, "submit", "docs")
    (docs / "one.pdf").unlink()

    worked = blobforge.run("worker", "--drain", "--json")

    assert json.loads(worked.stdout)["completed"] == 1


def test_what_a_worker_has_made_convert_does_not_make_again(blobforge: Blobforge, docs: Path, out: Path) -> None:
    text_pdf(docs / "one.pdf")
    told(blobforge, "submit", "docs")
    blobforge.call("worker", "--drain")

    run = blobforge.convert("docs", "-o", "out")

    assert run.outcomes == {"one.pdf": "cached"}
    assert (out / "one.md").is_file()


def test_the_history_of_a_job_is_told_by_its_hash(blobforge: Blobforge, docs: Path) -> None:
    (docs / "bad.pdf").write_text("<html>")
    (entry,) = told(blobforge, "submit", "docs")["results"]
    blobforge.call("worker", "--drain")

    status = told(blobforge, "status", entry["source_hash"][:8])

    assert status["job"]["state"] == "dead"
    assert [event["kind"] for event in status["events"]] == ["submitted", "claimed", "died"]
    assert [attempt["error_code"] for attempt in status["attempts"]] == ["not_a_pdf"]
    assert [(record["role"], record["size"]) for record in status["files"]] == [("source", 6)]


def test_on_a_terminal_submit_shows_how_far_it_is(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "one.pdf")
    text_pdf(docs / "two.pdf")
    submitting = Terminal(blobforge, "submit", "docs", env={})

    submitting.wait_for(r"2 queued, 0 known, 0 failed")

    assert submitting.wait_for_end() == 0
    assert any(re.match(r"\d/2 files .* \d queued", line) for line in submitting.lines)
