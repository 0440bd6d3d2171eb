"""Every command on a queue in PostgreSQL: nothing changes for people but a URL."""

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests import postgres
from tests.e2e.program import Blobforge, ended, until
from tests.pdfs import text_pdf
from tests.postgres import Server

COUNT = "SELECT count(*) FROM jobs WHERE status = 'running'"


@pytest.fixture
def url(postgres_server: Server) -> str:
    return postgres_server.new_database()


@pytest.fixture
def queue(url: str) -> dict[str, str]:
    return {"BLOBFORGE_QUEUE": url}


def told(blobforge: Blobforge, *args: str, **env: str) -> dict[str, Any]:
    done = blobforge.call(*args, "--json", **env)
    assert done.exit_code == 0, done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_documents_go_through_the_queue_by_all_commands(
    blobforge: Blobforge, docs: Path, out: Path, queue: dict[str, str]
) -> None:
    text_pdf(docs / "good.pdf", "One", "Two")
    (docs / "bad.pdf").write_text("<html>")

    submitted = told(blobforge, "submit", "docs", **queue)
    waiting = told(blobforge, "status", **queue)
    worked = blobforge.run("worker", "--drain", "--json", **queue)
    done = told(blobforge, "list", "--state", "completed", **queue)["jobs"]
    again = blobforge.convert("docs", "-o", "out", **queue)
    checked = told(blobforge, "doctor", **queue)

    assert submitted["queued"] == 2
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
    assert [job["result"]["pages"] for job in done] == [2]
    assert again.outcomes == {"good.pdf": "cached", "bad.pdf": "failed"}
    assert (out / "good.md").is_file()
    assert [finding["verdict"] for finding in checked["findings"] if finding["name"] == "queue"] == ["ok"]
    assert not (blobforge.home / "queue.db").exists()


def test_convert_alone_needs_no_more_than_the_url(
    blobforge: Blobforge, docs: Path, out: Path, queue: dict[str, str]
) -> None:
    for number in range(5):
        text_pdf(docs / f"{number}.pdf", f"Page of {number}")

    run = blobforge.convert("docs", "-o", "out", **queue)

    assert set(run.outcomes.values()) == {"converted"}
    assert len(list(out.glob("*.md"))) == 5


def test_a_worker_waits_for_a_database_that_restarts_and_goes_on(blobforge: Blobforge, docs: Path) -> None:
    with postgres.running() as server:
        url = server.new_database()
        queue = {"BLOBFORGE_QUEUE": url}
        text_pdf(docs / "first.pdf", "One")
        told(blobforge, "submit", "docs", **queue)
        worker = blobforge.start("worker", BLOBFORGE_QUEUE=url)
        until(lambda: told(blobforge, "status", **queue)["counts"]["pdf"].get("completed") == 1)

        server.restart(mode="immediate")
        text_pdf(docs / "second.pdf", "Two")
        told(blobforge, "submit", "docs", **queue)

        until(lambda: told(blobforge, "status", **queue)["counts"]["pdf"].get("completed") == 2)
        worker.terminate()
        assert ended(worker).returncode == 0


def test_a_killed_workers_job_is_done_by_another_when_its_lease_is_over(
    blobforge: Blobforge, docs: Path, url: str, queue: dict[str, str]
) -> None:
    hasty = {**queue, "BLOBFORGE_LEASE_SECONDS": "2"}
    text_pdf(docs / "long.pdf", *(f"Page {number}" for number in range(400)))
    told(blobforge, "submit", "docs", **queue)
    worker = blobforge.start("worker", BLOBFORGE_QUEUE=url, BLOBFORGE_LEASE_SECONDS="2")

    def is_running() -> bool:
        with psycopg.connect(url) as connection:
            return connection.execute(COUNT).fetchone() == (1,)

    until(is_running)
    worker.kill()
    # On another machine: a home of its own, so that no lock file tells of the death.
    elsewhere = Blobforge(blobforge.cwd, blobforge.cwd / "elsewhere")
    done = elsewhere.run("worker", "--drain", "--json", **hasty, BLOBFORGE_STORE=f"file://{blobforge.home}/blobs")

    assert json.loads(done.stdout)["completed"] == 1
    (job,) = told(blobforge, "list", **queue)["jobs"]
    assert (job["state"], job["attempts"]) == ("completed", 2)


def test_a_password_is_in_nothing_that_is_told(blobforge: Blobforge) -> None:
    away = {"BLOBFORGE_QUEUE": "postgresql://me:hunter2@127.0.0.1:1/queue"}

    for command in (["status"], ["doctor"], ["list", "--json"], ["config", "show"]):
        assert "hunter2" not in blobforge.call(*command, **away).output
