"""Commands over a server by the token of one project, which nobody has to name."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.server_scene import Scene, scene_in
from tests.unit.cli.conftest import Call

from blobforge.domain.account import Role
from blobforge.ports.job_store import JobFilter


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    (tmp_path / "server").mkdir()
    with scene_in(tmp_path / "server") as scene:
        monkeypatch.setenv("BLOBFORGE_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("BLOBFORGE_SERVER_URL", scene.url)
        monkeypatch.setenv("BLOBFORGE_TOKEN", scene.token(Role.OPERATOR, "books"))
        yield scene


@pytest.fixture
def job(scene: Scene) -> int:
    scene.job("b")
    return scene.job("a", project="books").id


def said(call: Call, *args: str) -> Any:
    done = call(*args, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_documents_are_submitted_in_the_project_of_the_token(scene: Scene, call: Call, tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_bytes(b"%PDF-1.7 a report")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "other.pdf").write_bytes(b"%PDF-1.7 another")

    assert said(call, "submit", "report.pdf")["queued"] == 1
    assert said(call, "ingest", "docs")["queued"] == 1

    found = scene.queue.page(JobFilter())
    assert [(queued.project, queued.available_at) for queued in found] == [("books", None)] * 2


def test_what_is_shown_is_the_project_of_the_token(job: int, call: Call) -> None:
    assert said(call, "status")["project"] == "books"
    assert said(call, "dashboard")["project"] == "books"
    assert [listed["id"] for listed in said(call, "list")["jobs"]] == [str(job)]
    assert said(call, "why", f"#{job}")["job"]["project"] == "books"
    assert [found["id"] for found in said(call, "search-queue", "a")["jobs"]] == [str(job)]


def test_what_is_steered_is_of_the_project_of_the_token(scene: Scene, job: int, call: Call) -> None:
    assert said(call, "pause", "pdf")["pause"]["project"] == "books"
    assert said(call, "resume", "pdf")["pause"]["project"] == "books"
    assert said(call, "reprioritize", f"#{job}", "high")["job"]["priority"] == 2
    assert said(call, "cancel", f"#{job}")["done"] == 1
    assert said(call, "retry", f"#{job}")["job"]["state"] == "pending"


def test_another_project_that_is_named_is_refused(job: int, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOBFORGE_PROJECT", "default")

    done = call("status")

    assert done.exit_code == 4
    assert "belongs to project 'books'" in done.output


def test_a_token_of_all_projects_means_the_default_one(
    scene: Scene, job: int, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BLOBFORGE_TOKEN", scene.token(Role.VIEWER))

    assert said(call, "status")["project"] == "default"
