"""A folder from somebody else: what stands in its `.git` is read, and nothing of it is run or obeyed."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests import lfs_server
from tests.git_repositories import Repository, git
from tests.lfs_server import MOST_SENT, LfsServer
from tests.unit.ingest.ingest_harness import IngestHarness, book
from tests.unit.ingest.test_lfs import hash_of

from blobforge.domain.errors import SourceUnreadable
from blobforge.ingest import lfs_transfer

pytestmark = pytest.mark.needs("git-lfs")

AGENT = """#!/bin/sh
env > '{trace}'
"""


@pytest.fixture
def server() -> Iterator[LfsServer]:
    with lfs_server.running() as server:
        yield server


@pytest.fixture
def tree(tmp_path: Path, server: LfsServer) -> Path:
    """A work tree with one pointer, whose content its server has."""
    repository = Repository(tmp_path / "server")
    repository.use_lfs()
    original = book(repository.tree / "one.pdf")
    repository.push()
    server.contents[hash_of(original)] = original.read_bytes()
    tree = repository.clone(tmp_path / "clone")
    git(tree, "remote", "set-url", "origin", f"{server.url}/rules.git")
    shutil.rmtree(repository.bare / "lfs")
    return tree


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """It is there when the program of the folder ran."""
    return tmp_path / "it-ran"


@pytest.fixture
def program(tmp_path: Path, trace: Path) -> Path:
    program = tmp_path / "program"
    program.write_text(AGENT.format(trace=trace))
    program.chmod(0o755)
    return program


def transfer_agent(tree: Path, program: Path) -> None:
    git(tree, "config", "lfs.standalonetransferagent", "x")
    git(tree, "config", "lfs.customtransfer.x.path", str(program))


def transfer_agent_of_the_tree(tree: Path, program: Path) -> None:
    (tree / ".lfsconfig").write_text(
        f'[lfs]\nstandalonetransferagent = x\nurl = x://y\n[lfs "customtransfer.x"]\npath = {program}\n'
    )


def extension(tree: Path, program: Path) -> None:
    git(tree, "config", "lfs.extension.x.smudge", str(program))
    git(tree, "config", "lfs.extension.x.clean", str(program))
    git(tree, "config", "lfs.extension.x.priority", "0")
    digest = "2" * 64
    text = (tree / "one.pdf").read_text()
    (tree / "one.pdf").write_text(text.replace("\noid", f"\next-0-x sha256:{digest}\noid"))


def monitor(tree: Path, program: Path) -> None:
    git(tree, "config", "core.fsmonitor", str(program))


def hooks(tree: Path, program: Path) -> None:
    folder = tree / ".git" / "my-hooks"
    folder.mkdir()
    for name in ("post-checkout", "post-merge", "post-index-change", "reference-transaction"):
        shutil.copy(program, folder / name)
    git(tree, "config", "core.hooksPath", str(folder))


def filters(tree: Path, program: Path) -> None:
    for kind in ("smudge", "clean", "process"):
        git(tree, "config", f"filter.lfs.{kind}", str(program))


def ssh_command(tree: Path, program: Path) -> None:
    git(tree, "remote", "set-url", "origin", "ssh://git@127.0.0.1:1/rules.git")
    git(tree, "config", "core.sshCommand", str(program))


def credential_helper(tree: Path, program: Path) -> None:
    git(tree, "config", "credential.helper", str(program))
    git(tree, "config", "core.askPass", str(program))


def protocol(tree: Path, program: Path) -> None:
    git(tree, "config", "protocol.ext.allow", "always")
    git(tree, "remote", "set-url", "origin", f"ext::{program}")


def rewriting(tree: Path, program: Path) -> None:
    git(tree, "config", "protocol.ext.allow", "always")
    git(tree, "config", f"url.ext::{program} .insteadOf", "http://127.0.0.1")


def included(tree: Path, program: Path) -> None:
    (tree / "more").write_text(f'[lfs]\nstandalonetransferagent = x\n[lfs "customtransfer.x"]\npath = {program}\n')
    git(tree, "config", "include.path", str(tree / "more"))


def option_as_host(tree: Path, program: Path) -> None:
    git(tree, "remote", "set-url", "origin", f"ssh://-oProxyCommand={program}/rules.git")


def path_to_git(tree: Path, program: Path) -> None:
    """A program that is found by its name in the folder itself."""
    for name in ("git", "git-lfs", "ssh"):
        shutil.copy(program, tree / name)


ATTACKS = [
    transfer_agent,
    transfer_agent_of_the_tree,
    extension,
    monitor,
    hooks,
    filters,
    ssh_command,
    credential_helper,
    protocol,
    rewriting,
    included,
    option_as_host,
    path_to_git,
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_no_program_that_a_folder_names_is_run(
    attack: Callable[[Path, Path], None],
    harness: IngestHarness,
    tree: Path,
    program: Path,
    trace: Path,
    server: LfsServer,
) -> None:
    server.wants_password = attack is credential_helper
    attack(tree, program)

    heard = harness.ingest(tree)

    assert not trace.exists()
    is_refused = attack in (
        transfer_agent_of_the_tree,
        extension,
        ssh_command,
        credential_helper,
        protocol,
        option_as_host,
    )
    assert heard.outcomes == {"one.pdf": ("failed", "source_missing") if is_refused else ("queued", None)}


def test_a_folder_that_looks_like_a_repository_on_a_server_runs_nothing(
    harness: IngestHarness, tmp_path: Path, program: Path, trace: Path
) -> None:
    repository = Repository(tmp_path / "server")
    book(repository.tree / "one.pdf")
    repository.push()
    lost = git(repository.bare, "rev-parse", "main:one.pdf").strip()
    (repository.bare / "objects" / lost[:2] / lost[2:]).unlink()
    for setting, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "x",
        "remote.x.promisor": "true",
        "remote.x.url": str(repository.tree),
        "remote.x.uploadpack": str(program),
        "uploadpack.packObjectsHook": str(program),
        "core.fsmonitor": str(program),
        "core.alternateRefsCommand": str(program),
    }.items():
        git(repository.bare, "config", setting, value)

    with pytest.raises(SourceUnreadable, match="cannot be cloned"):
        harness.ingest(repository.bare)

    assert not trace.exists()


def test_git_and_what_it_starts_know_no_secrets_of_ours(
    harness: IngestHarness, tree: Path, program: Path, trace: Path, server: LfsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.wants_password = True
    settings = tree.parent / "my-settings"
    settings.write_text(f"[credential]\nhelper = {program}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    for name in ("BLOBFORGE_DATABASE_URL", "BLOBFORGE_S3_SECRET_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD"):
        monkeypatch.setenv(name, "hunter2")

    harness.ingest(tree)

    assert "HOME=" in trace.read_text(), "a person's own credential helper was asked"
    assert "hunter2" not in trace.read_text()


@pytest.mark.parametrize("place", ["folder", "committed", "remote"])
def test_contents_are_not_fetched_from_another_server_than_the_repository_s(
    place: str, harness: IngestHarness, tree: Path, server: LfsServer
) -> None:
    elsewhere = server.url.replace("127.0.0.1", "localhost") + "/other"
    file = str(tree / ".lfsconfig") if place == "committed" else str(tree / ".git" / "config")
    git(tree, "config", "--file", file, "remote.origin.lfsurl" if place == "remote" else "lfs.url", elsewhere)

    heard = harness.ingest(tree)

    assert heard.outcomes == {"one.pdf": ("failed", "source_missing")}
    assert "another server than the repository's own; `git lfs pull`" in str(heard.entries[0].message)
    assert server.asked == []


def test_another_place_on_the_repository_s_own_server_is_followed(
    harness: IngestHarness, tree: Path, server: LfsServer
) -> None:
    (tree / ".lfsconfig").write_text(f"[lfs]\nurl = {server.url}/other/place\n")

    assert harness.ingest(tree).outcomes == {"one.pdf": ("queued", None)}
    assert server.asked[0] == "/other/place/objects/batch"


@pytest.mark.parametrize("kind", ["pipe", "device", "other content", "other size"])
def test_what_lies_in_the_place_of_a_content_is_not_believed(kind: str, harness: IngestHarness, tree: Path) -> None:
    digest = (tree / "one.pdf").read_text().split("sha256:")[1][:64]
    size = int((tree / "one.pdf").read_text().split("size ")[1])
    place = tree / ".git" / "lfs" / "objects" / digest[:2] / digest[2:4] / digest
    place.parent.mkdir(parents=True, exist_ok=True)
    match kind:
        case "pipe":
            os.mkfifo(place)
        case "device":
            place.symlink_to("/dev/zero")
        case "other content":
            place.write_bytes(b"x" * size)
        case _:
            place.write_bytes(b"x")

    assert harness.ingest(tree).outcomes == {"one.pdf": ("queued", None)}, "from the server"


def test_a_server_that_sends_more_than_the_pointer_says_is_not_heard_to_the_end(
    harness: IngestHarness, tree: Path, server: LfsServer
) -> None:
    server.sends = "too much"

    heard = harness.ingest(tree)

    assert heard.outcomes == {"one.pdf": ("failed", "source_missing")}
    assert "the server sent more than the" in str(heard.entries[0].message)
    assert server.sent < MOST_SENT


def test_a_server_that_sends_a_byte_in_a_second_is_not_waited_for(
    harness: IngestHarness, tree: Path, server: LfsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lfs_transfer, "PATIENCE_SECONDS", 2)
    server.sends = "too slowly"

    heard = harness.ingest(tree)

    assert heard.outcomes == {"one.pdf": ("failed", "source_missing")}
    assert "the server took longer than 2 s for" in str(heard.entries[0].message)


def test_who_ends_the_run_does_not_wait_for_a_slow_server(
    harness: IngestHarness, tree: Path, server: LfsServer
) -> None:
    server.sends = "too slowly"
    harness.is_stopped = server.began.is_set

    heard = harness.ingest(tree)

    assert heard.outcomes == {}
    assert heard.fetched == ["one.pdf"]


def test_documents_that_are_here_do_not_wait_for_those_of_a_slow_server(
    harness: IngestHarness, tree: Path, server: LfsServer
) -> None:
    book(tree / "two.pdf")
    server.sends = "too slowly"
    harness.is_stopped = server.began.is_set

    heard = harness.ingest(tree)

    assert heard.outcomes == {"two.pdf": ("queued", None)}
