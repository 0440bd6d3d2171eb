"""Git LFS: pointers, and what is behind them."""

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.git_repositories import Repository, git
from tests.unit.ingest.ingest_harness import IngestHarness, book

from blobforge.domain.ids import SourceHash
from blobforge.ingest.lfs import Pointer, pointer_in
from blobforge.ports.blob_store import source_key

OID = SourceHash("1" * 64)
TEXT = f"version https://git-lfs.github.com/spec/v1\noid sha256:{OID}\nsize 12345\n".encode()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """With one book in Git LFS."""
    repository = Repository(tmp_path / "server")
    repository.use_lfs()
    book(repository.tree / "one.pdf")
    repository.push()
    return repository


def hash_of(path: Path) -> SourceHash:
    return SourceHash(hashlib.sha256(path.read_bytes()).hexdigest())


@pytest.mark.parametrize(
    "text",
    [TEXT, TEXT.replace(b"\noid", b"\next-0-x sha256:" + b"2" * 64 + b"\noid")],
    ids=["plain", "with an extension"],
)
def test_a_pointer_names_hash_and_size(text: bytes) -> None:
    assert pointer_in(text) == Pointer(OID, 12345, text)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"%PDF-1.4",
        TEXT[1:],
        TEXT.replace(b"v1", b"v2"),
        TEXT.replace(b"sha256", b"md5"),
        TEXT.replace(b"1111", b"111x"),
        TEXT.replace(b"size", b"length"),
        TEXT.replace(b"12345", b"-1"),
        TEXT + b" " * 1024,
    ],
)
def test_nothing_else_is_a_pointer(text: bytes) -> None:
    assert pointer_in(text) is None


def test_a_pointer_whose_content_has_a_job_costs_no_download(
    harness: IngestHarness, docs: Path, tmp_path: Path
) -> None:
    """R0-29, R0-37."""
    original = book(docs / "one.pdf")
    harness.ingest(docs)
    pointers = tmp_path / "pointers"
    pointers.mkdir()
    size = original.stat().st_size
    (pointers / "renamed.pdf").write_bytes(TEXT.replace(OID.encode(), hash_of(original).encode()))

    heard = harness.ingest(pointers)

    assert heard.outcomes == {"renamed.pdf": ("skipped", "pending")}
    assert (heard.fetched, heard.hashed) == ([], [])
    assert size != 12345
    assert (harness.manifest.written[-1].path, harness.manifest.written[-1].size) == ("renamed.pdf", 12345)


def test_a_pointer_whose_content_is_stored_is_queued_without_download(harness: IngestHarness, tmp_path: Path) -> None:
    """R0-37."""
    original = book(tmp_path / "elsewhere.pdf")
    digest, size = hash_of(original), original.stat().st_size
    harness.blobs.put(source_key(digest), original)
    (tmp_path / "pointers").mkdir()
    text = TEXT.replace(OID.encode(), digest.encode()).replace(b"12345", str(size).encode())
    (tmp_path / "pointers" / "one.pdf").write_bytes(text)

    heard = harness.ingest(tmp_path / "pointers")

    assert (heard.outcomes, heard.uploaded, heard.fetched) == ({"one.pdf": ("queued", None)}, 0, [])


def test_a_pointer_that_is_not_named_as_a_pdf_is_none_of_ours(harness: IngestHarness, docs: Path) -> None:
    (docs / "picture.png").write_bytes(TEXT)

    assert harness.ingest(docs).outcomes == {}


def test_a_pointer_outside_of_a_repository_is_told(harness: IngestHarness, docs: Path) -> None:
    (docs / "one.pdf").write_bytes(TEXT)

    heard = harness.ingest(docs)

    assert heard.outcomes == {"one.pdf": ("failed", "source_missing")}
    assert "is a Git LFS pointer outside of a Git repository" in str(heard.entries[0].message)
    assert harness.manifest.written == []


def test_a_machine_without_git_is_told(
    harness: IngestHarness, docs: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (docs / "one.pdf").write_bytes(TEXT)
    git(docs, "init", "--quiet")
    monkeypatch.setenv("PATH", str(tmp_path))

    heard = harness.ingest(docs)

    assert "git is not installed" in str(heard.entries[0].message)


@pytest.mark.needs("git-lfs")
def test_the_content_behind_a_pointer_is_fetched_and_stored(
    harness: IngestHarness, repository: Repository, tmp_path: Path
) -> None:
    """R0-29, R0-37."""
    tree = repository.clone(tmp_path / "clone")
    pointer = (tree / "one.pdf").read_bytes()

    heard = harness.ingest(tree)

    original = repository.tree / "one.pdf"
    assert (heard.outcomes, heard.fetched) == ({"one.pdf": ("queued", None)}, ["one.pdf"])
    with harness.blobs.open(source_key(hash_of(original))) as stored:
        assert stored.read() == original.read_bytes()
    assert (tree / "one.pdf").read_bytes() == pointer


@pytest.mark.needs("git-lfs")
def test_a_work_tree_that_somebody_edits_stays_as_it_is(
    harness: IngestHarness, repository: Repository, tmp_path: Path
) -> None:
    tree = repository.clone(tmp_path / "clone")
    (tree / "notes.txt").write_text("not committed")
    (tree / "staged.txt").write_text("staged")
    git(tree, "add", "staged.txt")
    before = git(tree, "status", "--porcelain")

    harness.ingest(tree)

    assert git(tree, "status", "--porcelain") == before
    assert (tree / "notes.txt").read_text() == "not committed"
    assert (tree / "one.pdf").stat().st_size < 1024


@pytest.mark.needs("git-lfs")
def test_content_that_the_server_has_lost_is_told_and_the_others_go_on(
    harness: IngestHarness, repository: Repository, tmp_path: Path
) -> None:
    book(repository.tree / "two.pdf")
    repository.push()
    digest = hash_of(repository.tree / "one.pdf")
    (repository.bare / "lfs" / "objects" / digest[:2] / digest[2:4] / digest).unlink()
    tree = repository.clone(tmp_path / "clone")

    heard = harness.ingest(tree)

    assert heard.outcomes == {"one.pdf": ("failed", "source_missing"), "two.pdf": ("queued", None)}
    message = str(heard.entries[0].message)
    assert (
        message == f"{tree}/one.pdf: its content cannot be fetched by Git LFS: {repository.bare} does not have {digest}"
    )


@pytest.mark.needs("git-lfs")
def test_what_a_pointer_names_must_be_a_pdf(harness: IngestHarness, repository: Repository, tmp_path: Path) -> None:
    (repository.tree / "page.pdf").write_bytes(b"<html>" + b" " * 2000)
    repository.push()
    tree = repository.clone(tmp_path / "clone")

    heard = harness.ingest(tree)

    assert heard.outcomes == {"page.pdf": ("skipped", "not_a_pdf"), "one.pdf": ("queued", None)}


@pytest.mark.needs("git-lfs")
def test_the_copy_in_the_repository_itself_needs_neither_server_nor_git(
    harness: IngestHarness, repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tree = repository.clone(tmp_path / "clone")
    git(tree, "lfs", "fetch")
    shutil.rmtree(repository.bare)
    monkeypatch.setenv("PATH", "")

    assert harness.ingest(tree).outcomes == {"one.pdf": ("queued", None)}


@pytest.mark.needs("git-lfs")
def test_a_second_work_tree_finds_the_contents_of_its_repository(
    harness: IngestHarness, repository: Repository, tmp_path: Path
) -> None:
    tree = repository.clone(tmp_path / "clone")
    git(tree, "lfs", "fetch")
    shutil.rmtree(repository.bare)
    git(tree, "worktree", "add", "--quiet", str(tmp_path / "second"), GIT_LFS_SKIP_SMUDGE="1")

    assert harness.ingest(tmp_path / "second").outcomes == {"one.pdf": ("queued", None)}


@pytest.mark.needs("git-lfs")
def test_a_submodule_finds_its_contents(harness: IngestHarness, repository: Repository, tmp_path: Path) -> None:
    outer = Repository(tmp_path / "outer")
    git(
        outer.tree,
        *("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository.bare), "rules"),
        GIT_LFS_SKIP_SMUDGE="1",
    )

    assert harness.ingest(outer.tree).outcomes == {"one.pdf": ("queued", None)}


@pytest.mark.needs("git-lfs")
@pytest.mark.parametrize("form", ["../server/rules.git", "file://{bare}"])
def test_a_remote_on_this_machine_is_found_in_every_form(
    form: str, harness: IngestHarness, repository: Repository, tmp_path: Path
) -> None:
    tree = repository.clone(tmp_path / "clone")
    git(tree, "remote", "set-url", "origin", form.format(bare=repository.bare))

    assert harness.ingest(tree).outcomes == {"one.pdf": ("queued", None)}


@pytest.mark.needs("git-lfs")
def test_a_repository_that_is_a_work_tree_itself_can_be_the_remote(
    harness: IngestHarness, repository: Repository, tmp_path: Path
) -> None:
    tree = repository.clone(tmp_path / "clone")
    git(tree, "remote", "set-url", "origin", str(repository.tree))

    assert harness.ingest(tree).outcomes == {"one.pdf": ("queued", None)}


@pytest.mark.needs("git-lfs")
def test_a_pointer_that_became_the_file_is_the_same_document(
    harness: IngestHarness, repository: Repository, tmp_path: Path
) -> None:
    tree = repository.clone(tmp_path / "clone")
    harness.ingest(tree)
    subprocess.run(["git", "lfs", "pull"], cwd=tree, check=True, capture_output=True)
    assert (tree / "one.pdf").stat().st_size > 1024

    assert harness.ingest(tree).outcomes == {"one.pdf": ("skipped", "pending")}


@pytest.mark.needs("git-lfs")
def test_a_repository_by_its_address_is_cloned_and_its_contents_are_fetched(
    harness: IngestHarness, repository: Repository
) -> None:
    """R0-28, R0-37."""
    heard = harness.ingest(repository.bare)
    again = harness.ingest(repository.bare)

    assert [(entry.path, entry.outcome) for entry in heard.entries] == [("rules/one.pdf", "queued")]
    cloned = harness.clones.brought_up_to_date(str(repository.bare)) / "one.pdf"
    assert pointer_in(cloned.read_bytes()) is not None
    assert again.outcomes == {"one.pdf": ("skipped", "pending")}
    assert {(seen.path, seen.source) for seen in harness.manifest.written} == {("one.pdf", "rules")}
