"""From what a person names to libraries."""

import os
from pathlib import Path

import pytest
from tests.unit.ingest.ingest_harness import IngestHarness, book

from blobforge.domain.errors import InvalidValue, SourceMissing
from blobforge.ingest.libraries import Libraries
from blobforge.ingest.repositories import Clones


def libraries(*arguments: str | Path, source: str | None = None, skip: Path = Path("/nowhere")) -> Libraries:
    clones = Clones(Path("/nowhere/clones"))
    return Libraries([str(argument) for argument in arguments], clones=clones, source=source, skip=skip)


def seen(harness: IngestHarness) -> list[tuple[str, str]]:
    """Library and path, as the manifest has them."""
    return [(sighting.source, sighting.path) for sighting in harness.manifest.written]


def test_a_folder_gives_its_name_and_paths_below_it(harness: IngestHarness, docs: Path) -> None:
    """R0-28."""
    book(docs / "shelf" / "one.pdf")

    harness.ingest(docs)

    assert seen(harness) == [("docs", "shelf/one.pdf")]


def test_a_file_is_called_as_in_its_folder(harness: IngestHarness, docs: Path) -> None:
    harness.ingest(book(docs / "shelf" / "one.pdf"))

    assert seen(harness) == [("shelf", "one.pdf")]


def test_a_pattern_is_relative_to_the_folder_before_it(harness: IngestHarness, docs: Path) -> None:
    book(docs / "a" / "one.pdf")
    book(docs / "b" / "deep" / "two.pdf")
    book(docs / "b" / "other.bin")

    harness.ingest(docs / "**" / "*.pdf")

    assert seen(harness) == [("docs", "a/one.pdf"), ("docs", "b/deep/two.pdf")]


def test_a_folder_that_a_pattern_matches_is_walked_through(harness: IngestHarness, docs: Path) -> None:
    book(docs / "a1" / "deep" / "one.pdf")
    book(docs / "b1" / "two.pdf")

    harness.ingest(f"{docs}/a?")

    assert seen(harness) == [("docs", "a1/deep/one.pdf")]


def test_a_name_with_a_star_in_it_is_a_name_first(harness: IngestHarness, docs: Path) -> None:
    book(docs / "one*.pdf")
    book(docs / "one two.pdf")

    harness.ingest(docs / "one*.pdf")

    assert seen(harness) == [("docs", "one*.pdf")]


def test_the_source_can_be_given(harness: IngestHarness, docs: Path) -> None:
    book(docs / "one.pdf")

    harness.ingest(docs, source="the archive")

    assert seen(harness) == [("the archive", "one.pdf")]


def test_files_of_one_folder_are_one_library_however_many_are_named(docs: Path) -> None:
    paths = [book(docs / f"{number}.pdf") for number in range(50)]

    (library,) = libraries(*paths, paths[0]).open()

    assert (library.source, library.paths) == ("docs", tuple(paths))


def test_a_name_that_is_no_text_goes_to_the_manifest_as_far_as_text_goes(harness: IngestHarness, docs: Path) -> None:
    path = docs / os.fsdecode(b"caf\xe9.pdf")
    book(path, "content")

    harness.ingest(docs)

    assert seen(harness) == [("docs", "caf\\xe9.pdf")]


def test_our_own_folder_is_not_looked_into(docs: Path) -> None:
    book(docs / "one.pdf")
    book(docs / "home" / "blobs" / "two.pdf")

    files = libraries(docs, skip=docs / "home").files(lambda: False)

    assert [library.name_of(found) for library, found in files] == ["one.pdf"]  # type: ignore[arg-type]


def test_the_root_of_the_disk_has_a_name() -> None:
    (library,) = libraries("/").open()

    assert library.source == "/"


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("nowhere", "nowhere is not there"),
        ("ext::sh -c id", "is no address that can be cloned"),
        ("file:///srv/rules.git", "is no address that can be cloned"),
        ("--upload-pack=id", "is no address that can be cloned"),
        ("http://example.org/[*", "is no address that can be cloned"),
    ],
)
def test_what_is_not_there_and_no_address_is_refused_before_any_work(argument: str, said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        libraries(argument).check()


def test_what_is_there_and_what_may_be_an_address_pass(docs: Path) -> None:
    book(docs / "one.pdf")

    libraries(docs, docs / "one.pdf", docs / "*.pdf", "https://example.org/rules", "git@example.org:rules").check()


def test_only_what_is_on_this_machine_can_be_followed(docs: Path) -> None:
    libraries(docs, docs / "*.pdf").check_watchable()

    with pytest.raises(InvalidValue, match=r"https://me:\*\*\*@example\.org/rules: only files and folders"):
        libraries("https://me:secret@example.org/rules").check_watchable()


def test_what_vanished_since_it_was_named_is_missing(docs: Path) -> None:
    with pytest.raises(SourceMissing, match="gone is not there"):
        libraries(docs / "gone").open()
    with pytest.raises(SourceMissing, match="nothing matches"):
        libraries(docs / "*.pdf").open()
