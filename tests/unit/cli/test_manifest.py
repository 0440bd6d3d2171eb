"""The commands search, lookup and manifest, as people see them."""

from pathlib import Path

import pytest
from tests.unit.cli.conftest import Call
from tests.unit.cli.queues import queue_at

from blobforge.clock import SystemClock
from blobforge.manifests.folder import FolderShards
from blobforge.manifests.manifest import ShardedManifest
from blobforge.testing.builders import hash_of, new_job
from blobforge.testing.manifest_contract import seen


@pytest.fixture
def library(tmp_path: Path) -> ShardedManifest:
    """The default library of someone whose home this is."""
    cells = FolderShards(tmp_path / ".local" / "share" / "blobforge" / "blobs", durable=False)
    return ShardedManifest(cells, clock=SystemClock())


@pytest.fixture
def books(library: ShardedManifest) -> ShardedManifest:
    library.record([seen("a", "DnD/a.pdf", "DnD", "5e"), seen("a", "copy/a.pdf"), seen("b", "DnD/b.pdf", "DnD")])
    library.flush()
    return library


def test_what_is_found_is_a_table_with_the_states_of_jobs(call: Call, books: ShardedManifest, tmp_path: Path) -> None:
    with queue_at(tmp_path) as queue:
        queue.submit([new_job("b")])

    done = call("search", "dnd")

    assert [line.split() for line in done.stdout.splitlines()] == [
        ["HASH", "STATE", "SIZE", "TAGS", "PATH"],
        [hash_of("a")[:12], "-", "1.0", "kB", "DnD,", "5e", "DnD/a.pdf", "(and", "1", "more)"],
        [hash_of("b")[:12], "pending", "1.0", "kB", "DnD", "DnD/b.pdf"],
    ]
    assert done.stderr == ""


def test_a_search_that_finds_more_than_it_shows_says_so(call: Call, books: ShardedManifest) -> None:
    done = call("search", "dnd", "--limit", "1")

    assert len(done.stdout.splitlines()) == 2
    assert done.stderr == "1 more: --limit 2, or another word\n"


def test_a_search_that_finds_nothing_says_so(call: Call, books: ShardedManifest) -> None:
    done = call("search", "no such", "book")

    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "no document has 'no such book' in its paths or tags\n"


def test_documents_are_found_without_their_queue(
    call: Call, books: ShardedManifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("BLOBFORGE_QUEUE", f"sqlite:///{tmp_path}/file/queue.db")

    done = call("search", "a.pdf")

    assert done.exit_code == 0
    assert "DnD/a.pdf" in done.stdout
    assert "how the jobs are doing is not known" in done.stderr


def test_a_document_is_shown_with_all_its_paths(call: Call, books: ShardedManifest) -> None:
    lines = call("lookup", "--path", "copy/a.pdf").stdout.splitlines()

    assert [line.split(maxsplit=1) for line in lines] == [
        ["FACT", "VALUE"],
        ["hash", hash_of("a")],
        ["path", "DnD/a.pdf"],
        ["path", "copy/a.pdf"],
        ["size", "1.0 kB (1,000 bytes)"],
        ["tags", "DnD, 5e"],
        ["source", "library"],
        ["ingested", "2026-01-01 12:00:00 UTC"],
        ["state", "-"],
    ]


def test_a_path_of_two_contents_shows_both(call: Call, books: ShardedManifest) -> None:
    books.record([seen("a, revised", "DnD/a.pdf", later=60)])
    books.flush()

    shown = call("lookup", "--path", "DnD/a.pdf").stdout

    assert shown.index(hash_of("a, revised")) < shown.index(hash_of("a"))


@pytest.mark.parametrize("name", [hash_of("a")[:6].upper(), hash_of("a"), "copy/a.pdf", "DnD/a.pdf"])
def test_a_document_is_looked_up_by_what_other_commands_take(call: Call, books: ShardedManifest, name: str) -> None:
    assert hash_of("a") in call("lookup", name).stdout


def test_a_path_that_could_be_a_hash_is_found_where_no_hash_begins_so(call: Call, books: ShardedManifest) -> None:
    books.record([seen("c", "archive/beef")])
    books.flush()

    assert hash_of("c") in call("lookup", "beef").stdout


@pytest.mark.parametrize(
    "args", [("abcd", "--path", "a.pdf"), (), ("--hash", "abcd", "--path", "a.pdf"), ("--hash", "xyz"), ("--path", "")]
)
def test_a_document_is_named_in_one_way(call: Call, books: ShardedManifest, args: tuple[str, ...]) -> None:
    assert call("lookup", *args).exit_code == 2


def test_the_library_is_told_in_a_few_lines(call: Call, books: ShardedManifest) -> None:
    lines = call("manifest").stdout.splitlines()

    assert [line.split(maxsplit=1) for line in lines[:-1]] == [
        ["FACT", "VALUE"],
        ["documents", "2"],
        ["size", "2.0 kB"],
        ["paths", "3"],
        ["tags", "2"],
        ["sources", "library (2)"],
    ]
    assert lines[-1].startswith("updated ")


def test_the_most_frequent_tags_are_told_to_who_asks(call: Call, books: ShardedManifest) -> None:
    """R0-77."""
    few = call("manifest", "--verbose")
    books.record([seen("c", None, *(f"tag {number}" for number in range(30)))])
    books.flush()
    many = call("manifest", "--verbose")

    assert [line.split() for line in few.stdout.splitlines()[-3:]] == [["TAG", "DOCUMENTS"], ["DnD", "2"], ["5e", "1"]]
    assert many.stderr == "12 more tags: --json has them all\n"


def test_a_library_without_tags_has_no_table_of_them(call: Call, library: ShardedManifest) -> None:
    library.record([seen("a")])
    library.flush()

    assert "TAG " not in call("manifest", "--verbose").stdout


def test_an_empty_library_says_so(call: Call) -> None:
    done = call("manifest")

    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "the manifest has no documents yet\n")


def test_a_rebuild_tells_what_it_found(call: Call, books: ShardedManifest, tmp_path: Path) -> None:
    done = call("manifest", "rebuild")

    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.splitlines() == [
        "2 documents in the manifest, 0 of them added now",
        "2 are not in the store any more, or never were; what is known of them is kept",
    ]


def test_a_rebuild_by_force_tells_where_the_damaged_one_is(call: Call, books: ShardedManifest, tmp_path: Path) -> None:
    registry = tmp_path / ".local" / "share" / "blobforge" / "blobs" / "registry"
    (registry / "manifest.json").write_text("{")

    refused, done = call("manifest", "rebuild"), call("manifest", "rebuild", "--force")

    assert refused.exit_code == 1
    assert "blobforge manifest rebuild --force" in refused.stderr
    assert done.stderr.startswith(
        f"warning: it was damaged; the damaged one is kept as {registry}/manifest.json.damaged-"
    )


def test_options_stand_behind_the_command_that_they_are_for(call: Call) -> None:
    assert "write options behind 'rebuild'" in call("manifest", "--json", "rebuild").stdout
    assert call("manifest", "--verbose", "rebuild").exit_code == 2


def test_a_store_of_a_kind_that_is_not_installed_is_told(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOBFORGE_STORE", "ftp://somewhere/else")

    done = call("manifest")

    assert done.exit_code == 2
    assert "no store backend 'ftp' is installed: there are file, s3" in done.stderr
