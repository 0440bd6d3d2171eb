"""`blobforge ingest` against a queue in PostgreSQL: the same command, another URL."""

import json
from pathlib import Path

from tests.e2e.program import Blobforge
from tests.pdfs import text_pdf
from tests.postgres import Server


def test_the_same_command_works_against_postgresql(blobforge: Blobforge, docs: Path, postgres_server: Server) -> None:
    queue = {"BLOBFORGE_QUEUE": postgres_server.new_database()}
    text_pdf(docs / "one.pdf")
    text_pdf(docs / "two.pdf")

    rehearsed = json.loads(blobforge.call("ingest", "docs", "--dry-run", "--json", **queue).stdout)
    first = json.loads(blobforge.call("ingest", "docs", "--json", **queue).stdout)
    worked = blobforge.run("worker", "--drain", "--json", **queue)
    again = json.loads(blobforge.call("ingest", "docs", "--json", **queue).stdout)

    assert (rehearsed["uploaded"], first["uploaded"], first["queued"]) == (2, 2, 2)
    assert json.loads(worked.stdout)["completed"] == 2
    assert (again["queued"], again["skipped"]) == (0, {"completed": 2})
    assert not (blobforge.home / "queue.db").exists()
