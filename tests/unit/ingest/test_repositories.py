"""Git repositories by their address."""

from pathlib import Path

import pytest
from tests.git_repositories import Repository, git
from tests.unit.ingest.ingest_harness import book

from blobforge.domain.errors import InvalidValue, SourceUnreadable
from blobforge.ingest.repositories import Clones, check_address, is_address, is_bare, name_of


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "server")
    book(repository.tree / "shelf" / "one.pdf")
    repository.push()
    return repository


@pytest.fixture
def clones(tmp_path: Path) -> Clones:
    return Clones(tmp_path / "home" / "repositories")


def files_in(folder: Path) -> list[str]:
    paths = (path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    return sorted(str(path.relative_to(folder)) for path in paths if ".git" not in path.parts)


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/games/rules.git",
        "https://example.org:8443/rules",
        "https://user:secret@example.org/rules.git",
        "ssh://git@example.org/games/rules",
        "ssh://example.org:22/rules.git/",
        "git@example.org:games/rules.git",
        "git@example.org:rules",
    ],
)
def test_an_address_that_can_be_cloned_has_a_name(address: str) -> None:
    assert is_address(address)
    assert name_of(check_address(address)) == "rules"


@pytest.mark.parametrize(
    "address",
    [
        "ext::sh -c id",
        "file:///srv/rules.git",
        "http://example.org/rules",
        "git://example.org/rules",
        "ftp://example.org/rules",
        "https://",
        "https://example.org",
        "https://example.org:port/rules",
        "https://-oProxyCommand=id/rules",
        "ssh://-oProxyCommand=id@example.org/rules",
        "ssh://-oProxyCommand=id/rules",
        "git@-oProxyCommand=id:rules",
        "git@example.org:-rules",
        "-u./program:rules",
        "--upload-pack=id",
        "https://example.org/rules\n.git",
        "https://[broken/rules",
        "",
    ],
)
def test_any_other_address_is_refused(address: str) -> None:
    with pytest.raises(InvalidValue, match="is no address that can be cloned"):
        check_address(address)


@pytest.mark.parametrize("path", ["books", "books/one.pdf", "a:b", "../x", "/srv/rules.git"])
def test_a_path_is_no_address(path: str) -> None:
    assert not is_address(path)


def test_no_message_holds_a_password() -> None:
    with pytest.raises(InvalidValue, match="is no address") as refusal:
        check_address("https://user:sec@ret@example.org")

    assert "ret@" not in str(refusal.value)


def test_a_repository_is_cloned_and_later_brought_up_to_date(repository: Repository, clones: Clones) -> None:
    """R0-28."""
    first = clones.brought_up_to_date(str(repository.bare))
    assert files_in(first) == ["shelf/one.pdf"]
    book(repository.tree / "two.pdf")
    (repository.tree / "shelf" / "one.pdf").unlink()
    repository.push()

    second = clones.brought_up_to_date(str(repository.bare))

    assert second == first
    assert files_in(second) == ["two.pdf"]


def test_history_that_was_rewritten_is_no_trouble(repository: Repository, clones: Clones) -> None:
    clones.brought_up_to_date(str(repository.bare))
    book(repository.tree / "two.pdf")
    git(repository.tree, "add", "--all")
    git(repository.tree, "commit", "--quiet", "--amend", "--message", "anew")
    git(repository.tree, "push", "--quiet", "--force", "origin", "HEAD:main")

    clone = clones.brought_up_to_date(str(repository.bare))

    assert files_in(clone) == ["shelf/one.pdf", "two.pdf"]


def test_no_filter_and_no_hook_of_anybody_runs(
    repository: Repository, clones: Clones, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spy = f"touch '{tmp_path}/it ran'; cat"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "post-checkout").write_text(f"#!/bin/sh\ntouch '{tmp_path}/it ran'\n")
    (hooks / "post-checkout").chmod(0o755)
    settings = tmp_path / "gitconfig"
    settings.write_text(f'[filter "spy"]\n\tsmudge = "{spy}"\n\tclean = cat\n[core]\n\thooksPath = {hooks}\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    (repository.tree / ".gitattributes").write_text("*.pdf filter=spy\n*.txt text eol=crlf\n")
    (repository.tree / "notes.txt").write_bytes(b"one\ntwo\n")
    repository.push()

    clone = clones.brought_up_to_date(str(repository.bare))

    assert (clone / "notes.txt").read_bytes() == b"one\ntwo\n"
    assert not (tmp_path / "it ran").exists()


def test_a_link_in_a_repository_leads_nowhere(repository: Repository, clones: Clones, tmp_path: Path) -> None:
    private = book(tmp_path / "private" / "diary.pdf")
    (repository.tree / "link.pdf").symlink_to(private)
    (repository.tree / "folder").symlink_to(private.parent)
    repository.push()

    clone = clones.brought_up_to_date(str(repository.bare))

    assert (clone / "link.pdf").read_text() == str(private)
    assert not (clone / "folder").is_dir()


def test_submodules_are_left_out(repository: Repository, clones: Clones, tmp_path: Path) -> None:
    other = Repository(tmp_path / "server", name="other.git")
    book(other.tree / "inner.pdf")
    other.push()
    git(repository.tree, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.bare), "inner")
    repository.push()

    clone = clones.brought_up_to_date(str(repository.bare))

    assert "inner/inner.pdf" not in files_in(clone)


def test_what_cannot_be_cloned_is_told_and_leaves_nothing(clones: Clones, tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(SourceUnreadable, match=r"nowhere\.git cannot be cloned: repository .* does not exist"):
            clones.brought_up_to_date(str(tmp_path / "nowhere.git"))

    assert [path.suffix for path in (tmp_path / "home" / "repositories").iterdir()] == [".lock"]


def test_a_server_that_does_not_answer_is_told_without_its_password(clones: Clones) -> None:
    with pytest.raises(SourceUnreadable, match="cannot be cloned") as refused:
        clones.brought_up_to_date("https://user:secret@127.0.0.1:1/rules.git")

    assert "secret" not in str(refused.value)


def test_a_machine_without_git_is_told(clones: Clones, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(SourceUnreadable, match="git, which is not installed"):
        clones.brought_up_to_date(str(tmp_path / "rules.git"))


def test_a_place_where_no_clone_can_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(SourceUnreadable, match="cannot be cloned into"):
        Clones(tmp_path / "file").brought_up_to_date("/srv/rules.git")


def test_a_bare_repository_is_told_from_a_folder_and_a_work_tree(repository: Repository, tmp_path: Path) -> None:
    assert is_bare(repository.bare)
    assert not is_bare(repository.tree)
    assert not is_bare(tmp_path)
