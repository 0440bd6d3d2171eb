"""Finding documents by what people remember of them."""

from datetime import timedelta

import pytest

from blobforge.domain.errors import InvalidValue, NotFound
from blobforge.domain.ids import SourceHash
from blobforge.domain.manifest import Entries, ManifestEntry
from blobforge.domain.manifest_search import by_hash, by_path, search, telling_path
from blobforge.testing.clock import START

PHB, DMG, CAFE, CHANGED = (SourceHash(prefix + "0" * 58) for prefix in ("abcd12", "abcd99", "0c0ffe", "ffffff"))


def entry(*paths: str, tags: tuple[str, ...] = (), later: int = 0) -> ManifestEntry:
    return ManifestEntry(paths, 1, tags, START + timedelta(seconds=later), "library")


LIBRARY: Entries = {
    PHB: entry("DnD/Player's Handbook.pdf", "backup/PHB.pdf", tags=("DnD", "5e")),
    DMG: entry("DnD/Dungeon Master's Guide.pdf", tags=("DnD", "5e", "GM")),
    CAFE: entry("Menus/Cafe\u0301 Straße.pdf", "old/PHB.pdf"),
    CHANGED: entry("DnD/Player's Handbook.pdf", later=5),
}


def found(query: str) -> list[SourceHash]:
    return [source_hash for source_hash, _ in search(LIBRARY, query)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("handbook", [PHB, CHANGED]),
        ("PLAYER dnd 5E", [PHB]),
        ("5e guide", [DMG]),
        ("gm", [DMG]),
        ("café", [CAFE]),
        ("CAFÉ STRASSE", [CAFE]),
        ("phb", [PHB, CAFE]),
        ("abcd12", [PHB]),
        ("abcd", []),
        ("handbook shadowrun", []),
        ("/", [DMG, PHB, CHANGED, CAFE]),
    ],
)
def test_words_are_found_in_paths_and_tags_in_any_order_and_case(query: str, expected: list[SourceHash]) -> None:
    """R0-27."""
    assert found(query) == expected


@pytest.mark.parametrize("query", ["", "  "])
def test_nothing_is_not_searched_for(query: str) -> None:
    with pytest.raises(InvalidValue, match="nothing to search for"):
        search(LIBRARY, query)


@pytest.mark.parametrize("prefix", ["abcd1", " ABCD12 ", PHB])
def test_a_hash_is_found_by_its_beginning(prefix: str) -> None:
    """R0-75."""
    assert by_hash(LIBRARY, prefix) == (PHB, LIBRARY[PHB])


@pytest.mark.parametrize("prefix", ["", "abc", "xyz1", "a" * 65])
def test_what_is_no_hash_is_refused(prefix: str) -> None:
    with pytest.raises(InvalidValue, match="is no hash"):
        by_hash(LIBRARY, prefix)


def test_a_hash_that_nobody_has_is_not_found() -> None:
    with pytest.raises(NotFound, match="begins with 1234"):
        by_hash(LIBRARY, "1234")


def test_a_beginning_of_several_hashes_names_them() -> None:
    with pytest.raises(InvalidValue, match=f"begins 2 hashes: {PHB}, {DMG}; write more digits"):
        by_hash(LIBRARY, "abcd")


@pytest.mark.parametrize(
    "path", ["backup/PHB.pdf", "./backup/PHB.pdf", "backup/PHB.pdf/"], ids=["exact", "from here", "with a slash"]
)
def test_a_document_is_found_by_its_path(path: str) -> None:
    """R0-76."""
    assert by_path(LIBRARY, path) == [(PHB, LIBRARY[PHB])]


@pytest.mark.parametrize("path", ["Dungeon Master's Guide.pdf", "/Dungeon Master's Guide.pdf"])
def test_a_document_is_found_by_the_end_of_its_path(path: str) -> None:
    """R0-76."""
    assert by_path(LIBRARY, path) == [(DMG, LIBRARY[DMG])]


def test_a_path_is_the_same_however_its_letters_are_written() -> None:
    assert by_path(LIBRARY, "Menus/Caf\u00e9 Straße.pdf") == [(CAFE, LIBRARY[CAFE])]


def test_a_file_that_was_changed_leads_to_all_its_contents_the_newest_first() -> None:
    assert [source_hash for source_hash, _ in by_path(LIBRARY, "Player's Handbook.pdf")] == [CHANGED, PHB]


def test_an_end_of_several_paths_names_them() -> None:
    with pytest.raises(InvalidValue, match=r"2 paths end with 'PHB\.pdf': backup/PHB\.pdf, old/PHB\.pdf; write more"):
        by_path(LIBRARY, "PHB.pdf")


def test_of_very_many_some_are_named() -> None:
    copies: Entries = {PHB: entry(*(f"{number}/a.pdf" for number in range(9)))}

    with pytest.raises(InvalidValue, match=r"9 paths .* 4/a\.pdf, …; write more"):
        by_path(copies, "a.pdf")


@pytest.mark.parametrize("path", ["HB.pdf", "phb.pdf", "nowhere.pdf"])
def test_a_path_that_nobody_saw_is_not_found(path: str) -> None:
    with pytest.raises(NotFound, match="blobforge search"):
        by_path(LIBRARY, path)


def test_an_empty_path_names_nothing() -> None:
    with pytest.raises(InvalidValue, match="empty path"):
        by_path(LIBRARY, "./")


def test_a_document_may_have_no_path() -> None:
    nameless: Entries = {PHB: entry()}

    assert telling_path(nameless[PHB], "a") == ""
    assert search(nameless, "abcd12") == [(PHB, nameless[PHB])]


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("", "DnD/Player's Handbook.pdf"),
        ("5e", "DnD/Player's Handbook.pdf"),
        ("phb", "backup/PHB.pdf"),
        ("BACKUP dnd phb", "backup/PHB.pdf"),
    ],
)
def test_of_several_paths_the_one_that_was_searched_for_is_shown(query: str, path: str) -> None:
    assert telling_path(LIBRARY[PHB], query) == path
