"""Steering a queue as a person does: look why, mend, retry, cancel, clear away."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.program import Blobforge, children_of, ended, is_gone, until
from tests.e2e.terminal import Terminal
from tests.pdfs import text_pdf
from tests.postgres import Server


@pytest.fixture(params=["sqlite", "postgresql"])
def queue(request: pytest.FixtureRequest) -> dict[str, str]:
    """A queue of its own, named as people name it."""
    if request.param == "sqlite":
        return {}
    server: Server = request.getfixturevalue("postgres_server")
    return {"BLOBFORGE_QUEUE": server.new_database()}


def told(blobforge: Blobforge, *args: str, **env: str) -> dict[str, Any]:
    """What a command says to programs."""
    done = blobforge.call(*args, "--json", **env)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_what_went_wrong_is_looked_into_and_cleared_away(
    blobforge: Blobforge, docs: Path, queue: dict[str, str]
) -> None:
    """R2-21, R2-22, R2-26, R2-27."""
    (docs / "bad.pdf").write_text("<html>")
    text_pdf(docs / "good.pdf")
    submitted = told(blobforge, "submit", "docs", "--tag", "Quarter", **queue)
    bad = next(entry["source_hash"] for entry in submitted["results"] if entry["path"].endswith("bad.pdf"))
    waiting = told(blobforge, "why", bad, **queue)

    blobforge.call("worker", "--drain", **queue)
    dead = told(blobforge, "why", bad, **queue)
    (attempt,) = told(blobforge, "logs", bad, **queue)["attempts"]
    retried = told(blobforge, "retry-all", "--dead", "--code", "not_a_pdf", **queue)
    blobforge.call("worker", "--drain", **queue)
    twice = told(blobforge, "logs", bad, **queue)["attempts"]
    cleared = told(blobforge, "clear-dead", "--yes", **queue)
    unknown = told(blobforge, "why", bad, **queue)
    again = told(blobforge, "submit", "docs", **queue)

    assert waiting["reason"] == "no_worker"
    assert (dead["reason"], dead["commands"][-1]) == ("refused", "blobforge clear-dead --code not_a_pdf")
    assert (attempt["code"], attempt["filename"], attempt["attempt"]) == ("not_a_pdf", "bad.pdf", 1)
    assert attempt["traceback"].startswith("Traceback")
    assert attempt["stage"] == "convert"
    assert (retried["matched"], retried["retried"]) == (1, 1)
    assert [entry["lease"] for entry in twice] == [1, 2]
    assert (cleared["matched"], cleared["cleared"]) == (1, 1)
    assert unknown["reason"] == "unknown"
    assert (again["queued"], again["known"]) == (1, 1)
    assert not list((blobforge.home / "blobs" / "registry" / "logs").rglob("*.json"))


def test_the_most_urgent_document_is_done_first(blobforge: Blobforge, docs: Path, queue: dict[str, str]) -> None:
    """R0-70."""
    for name in ("first", "second"):
        text_pdf(docs / f"{name}.pdf", f"This is the {name}")
    told(blobforge, "submit", "docs", **queue)
    second = told(blobforge, "search-queue", "SECOND", **queue)["jobs"][0]["source_hash"]

    told(blobforge, "reprioritize", second[:12], "1_critical", **queue)
    blobforge.call("worker", "--run-once", **queue)

    done = told(blobforge, "list", "--state", "completed", **queue)["jobs"]
    assert [job["source_hash"] for job in done] == [second]


def logged(stderr: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stderr.splitlines() if line.startswith("{")]


def test_a_running_job_is_given_back_or_cancelled_and_its_child_ends(blobforge: Blobforge, docs: Path) -> None:
    """R2-29."""
    (docs / "endless.pdf").write_text("endless")
    told(blobforge, "submit", "docs", "--type", "echo", "--option", "hang_seconds=600")
    worker = blobforge.start("worker", "--type", "echo")
    until(lambda: told(blobforge, "status", "#1")["job"]["state"] == "running")
    until(lambda: bool(children_of(worker.pid)))
    running = told(blobforge, "why", "#1")

    (given_back,) = told(blobforge, "cancel", "--requeue", "#1")["results"]
    until(lambda: told(blobforge, "status", "#1")["job"]["state"] == "running")
    again = told(blobforge, "status", "#1")["job"]
    children = list(children_of(worker.pid))
    told(blobforge, "cancel", "#1")

    until(lambda: all(is_gone(child) for child in children))
    worker.terminate()
    done = ended(worker)
    assert done.returncode == 0
    account = logged(done.stderr)[-1]
    assert (account["cancelled"], account["released"], account["lost"]) == (1, 0, 1)
    assert [entry["event"] for entry in logged(done.stderr) if entry["level"] == "warning"] == ["job lost"]
    assert {entry["job_id"] for entry in logged(done.stderr) if "job_id" in entry} == {"1"}
    assert (running["reason"], given_back["job"]["state"], given_back["job"]["attempts"]) == ("running", "pending", 0)
    assert again["attempts"] == 1
    assert told(blobforge, "status", "#1")["job"]["state"] == "cancelled"
    assert told(blobforge, "retry", "#1")["job"]["state"] == "pending"


@pytest.mark.parametrize(("answer", "left"), [("y\n", 0), ("n\n", 1)])
def test_a_person_is_asked_before_dead_jobs_leave(blobforge: Blobforge, docs: Path, answer: str, left: int) -> None:
    """R2-27."""
    (docs / "bad.pdf").write_text("<html>")
    told(blobforge, "submit", "docs")
    blobforge.call("worker", "--drain")

    terminal = Terminal(blobforge, "clear-dead", env={})
    terminal.wait_for(r"Remove 1 dead job for good, history included\? \[y/N\]:.*")
    terminal.type_in(answer)

    assert terminal.wait_for_end() == left
    assert len(told(blobforge, "list")["jobs"]) == left
