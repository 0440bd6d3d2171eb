"""`blobforge ingest` of Git repositories, by path and by address, with Git LFS and without."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.program import Blobforge
from tests.git_repositories import Repository, git
from tests.pdfs import text_pdf

from blobforge.ports.job_store import JobFilter

SSH = """#!/bin/sh
# Runs here what was meant for the other side: the last argument.
for last; do :; done
exec sh -c "$last"
"""


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """One document in Git LFS, and one that is not."""
    repository = Repository(tmp_path / "server")
    text_pdf(repository.tree / "plain.pdf")
    repository.push()
    return repository


@pytest.fixture
def with_lfs(repository: Repository) -> Repository:
    repository.use_lfs()
    text_pdf(repository.tree / "books" / "large.pdf", *(f"Chapter {number}" for number in range(5)))
    repository.push()
    return repository


def ingest(blobforge: Blobforge, *args: str, **env: str) -> dict[str, Any]:
    account: dict[str, Any] = json.loads(blobforge.call("ingest", *args, "--json", **env).stdout)
    return account


def paths(blobforge: Blobforge) -> list[str]:
    with blobforge.queue() as queue:
        return sorted(str(job.source_path) for job in queue.page(JobFilter()))


@pytest.mark.needs("git-lfs")
def test_a_repository_without_a_work_tree_is_cloned_and_its_documents_are_converted(
    blobforge: Blobforge, with_lfs: Repository
) -> None:
    """R0-28, R0-29, R0-37."""
    account = ingest(blobforge, str(with_lfs.bare), "--tag", "rules")
    worked = blobforge.run("worker", "--drain", "--json")

    assert (account["found"], account["uploaded"], account["queued"]) == (2, 2, 2)
    assert paths(blobforge) == ["rules/books/large.pdf", "rules/plain.pdf"]
    assert json.loads(worked.stdout)["completed"] == 2


@pytest.mark.needs("git-lfs")
def test_the_second_time_only_what_is_new_is_fetched(blobforge: Blobforge, with_lfs: Repository) -> None:
    ingest(blobforge, str(with_lfs.bare))
    text_pdf(with_lfs.tree / "books" / "new.pdf")
    with_lfs.push()

    account = ingest(blobforge, str(with_lfs.bare))

    assert (account["found"], account["uploaded"], account["skipped"]) == (3, 1, {"pending": 2})
    objects = [path for path in (blobforge.home / "repositories").rglob("lfs/objects/*/*/*") if path.is_file()]
    assert objects == [], "the store has them: a second copy would only take room"


@pytest.mark.needs("git-lfs")
def test_a_rehearsal_fetches_no_contents(blobforge: Blobforge, with_lfs: Repository) -> None:
    account = ingest(blobforge, str(with_lfs.bare), "--dry-run")

    assert (account["uploaded"], account["queued"]) == (2, 2)
    assert list((blobforge.home / "repositories").rglob("lfs/objects/*/*/*")) == []


@pytest.mark.needs("git-lfs")
def test_a_work_tree_by_its_path_is_read_where_it_is(
    blobforge: Blobforge, with_lfs: Repository, tmp_path: Path
) -> None:
    tree = with_lfs.clone(tmp_path / "my rules")
    (tree / "draft.txt").write_text("not committed")
    before = git(tree, "status", "--porcelain")

    account = ingest(blobforge, str(tree))

    assert (account["uploaded"], account["queued"]) == (2, 2)
    assert paths(blobforge) == [f"{tree}/books/large.pdf", f"{tree}/plain.pdf"]
    assert git(tree, "status", "--porcelain") == before
    assert not (blobforge.home / "repositories").exists()


def test_a_repository_is_cloned_over_ssh(blobforge: Blobforge, repository: Repository, tmp_path: Path) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text(SSH)
    ssh.chmod(0o755)
    bare = str(repository.bare)

    by_url = ingest(blobforge, f"ssh://git@example.org{bare}", GIT_SSH_COMMAND=str(ssh), GIT_SSH_VARIANT="ssh")
    as_scp = ingest(blobforge, f"git@example.org:{bare}", GIT_SSH_COMMAND=str(ssh), GIT_SSH_VARIANT="ssh")

    assert (by_url["queued"], as_scp["skipped"]) == (1, {"pending": 1})
    assert paths(blobforge) == ["rules/plain.pdf"]


def test_what_cannot_be_cloned_ends_with_a_reason(blobforge: Blobforge) -> None:
    done = blobforge.call("ingest", "https://user:secret@127.0.0.1:1/rules.git")

    assert done.exit_code == 1
    assert "https://user:***@127.0.0.1:1/rules.git cannot be cloned: unable to access" in done.stderr
    assert "secret" not in done.stderr
