"""The commands of somebody who has a server's address and a token, and neither a database nor a store."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.program import Blobforge
from tests.e2e.service import Service


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    service = Service(tmp_path)
    yield service
    service.close()


def said(person: Blobforge, *args: str, code: int = 0, **env: str) -> Any:
    done = person.call(*args, "--json", **env)
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def test_a_document_is_submitted_by_whoever_has_its_bytes(service: Service, tmp_path: Path) -> None:
    """To know a hash is no right to its content: one project's document is not the other's."""
    ours = service.person(service.token("operator", "--project", "ours"), tmp_path / "ours")
    theirs = service.person(service.token("operator", "--project", "theirs"), tmp_path / "theirs")
    secret = service.worker_account("rack-4")
    service.start()
    (ours.cwd / "report.pdf").write_text("a report")
    (theirs.cwd / "the same.pdf").write_text("a report")

    first = said(ours, "submit", "--type", "echo", "report.pdf", BLOBFORGE_PROJECT="ours")
    second = said(theirs, "submit", "--type", "echo", "the same.pdf", BLOBFORGE_PROJECT="theirs")
    again = said(ours, "submit", "--type", "echo", "report.pdf", BLOBFORGE_PROJECT="ours")

    assert [told["queued"] for told in (first, second, again)] == [1, 1, 0]
    for project in ("ours", "theirs"):
        account = service.worker(secret, "--drain", home=project, BLOBFORGE_PROJECT=project).result()
        assert account["completed"] == 1
