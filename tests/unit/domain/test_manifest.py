"""How what several have seen of a library becomes one."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from blobforge.domain.ids import SourceHash
from blobforge.domain.manifest import (
    Entries,
    ManifestContents,
    ManifestEntry,
    Sighting,
    entry_of,
    merged,
    merged_entry,
    news,
    rebuilt,
)
from blobforge.testing.builders import hash_of
from blobforge.testing.clock import START

A, B = hash_of("a"), hash_of("b")
ENTRY = ManifestEntry(("a.pdf",), 1_000, ("x",), START, "library")
SEEN = Sighting(A, "a.pdf", 1_000, ("x",), "library", START)

some_entries = st.builds(
    ManifestEntry,
    paths=st.lists(st.sampled_from("abc"), unique=True).map(tuple),
    size=st.just(7),
    tags=st.lists(st.sampled_from("xyz"), unique=True).map(tuple),
    ingested_at=st.integers(0, 3).map(lambda hours: START + timedelta(hours=hours)),
    source=st.sampled_from(["one", "two"]),
    extras=st.dictionaries(st.sampled_from("pq"), st.integers(0, 1)),
)
some_contents = st.builds(
    ManifestContents,
    entries=st.dictionaries(st.sampled_from([A, B]), some_entries),
    updated_at=st.none() | st.integers(0, 3).map(lambda hours: START + timedelta(hours=hours)),
    extras=st.dictionaries(st.sampled_from("pq"), st.integers(0, 1)),
)


def test_a_sighting_is_an_entry_with_one_path() -> None:
    """R0-22."""
    at = datetime(2026, 1, 1, 14, 0, 0, 999_999, tzinfo=timezone(timedelta(hours=2)))

    assert entry_of(SEEN._replace(at=at, tags=("x", "y", "x"))) == ENTRY._replace(tags=("x", "y"))
    assert entry_of(SEEN._replace(at=at)).ingested_at.tzinfo is UTC


def test_a_second_path_and_tag_are_appended() -> None:
    """R0-23."""
    second = ENTRY._replace(paths=("b.pdf", "a.pdf"), tags=("y", "x"))

    assert merged_entry(ENTRY, second) == ENTRY._replace(paths=("a.pdf", "b.pdf"), tags=("x", "y"))


def test_the_first_sighting_gives_time_and_source() -> None:
    later = ENTRY._replace(ingested_at=START + timedelta(days=1), source="another")

    assert merged_entry(ENTRY, later) == merged_entry(later, ENTRY) == ENTRY


def test_fields_of_others_are_kept() -> None:
    first, second = ENTRY._replace(extras={"rating": 5}), ENTRY._replace(extras={"rating": 1, "shelf": "top"})

    assert merged_entry(first, second).extras == {"rating": 5, "shelf": "top"}


@given(some_contents, some_contents)
def test_merging_a_part_twice_changes_nothing(first: ManifestContents, second: ManifestContents) -> None:
    once = merged([first, second])

    assert merged([once, second]) == merged([once, first]) == once


@given(some_contents, some_contents, some_contents)
def test_parts_may_be_merged_in_steps(a: ManifestContents, b: ManifestContents, c: ManifestContents) -> None:
    assert merged([merged([a, b]), c]) == merged([a, merged([b, c])]) == merged([a, b, c])


@given(some_contents, some_contents)
def test_nothing_is_lost_by_merging(first: ManifestContents, second: ManifestContents) -> None:
    whole = merged([first, second])

    for part in (first, second):
        for source_hash, entry in part.entries.items():
            assert set(entry.paths) <= set(whole.entries[source_hash].paths)
            assert set(entry.tags) <= set(whole.entries[source_hash].tags)


def test_the_last_change_of_any_part_is_that_of_all() -> None:
    late = START + timedelta(days=1)

    assert merged([ManifestContents(updated_at=late), ManifestContents(), ManifestContents(updated_at=START)]) == (
        ManifestContents(updated_at=late)
    )
    assert merged([]) == ManifestContents()


def test_only_new_facts_are_written() -> None:
    known: Entries = {A: ENTRY}
    again = SEEN._replace(at=START + timedelta(days=1))
    moved = SEEN._replace(path="b.pdf")

    assert news(known, [SEEN, again]) == {}
    assert news(known, [again, moved, moved]) == {A: ENTRY._replace(paths=("b.pdf",))}
    assert news({}, [SEEN, moved, SEEN._replace(source_hash=B)]) == {
        A: ENTRY._replace(paths=("a.pdf", "b.pdf")),
        B: ENTRY,
    }


def test_what_was_found_fills_gaps_and_corrects_sizes() -> None:
    found: dict[SourceHash, ManifestEntry] = {
        A: ManifestEntry(("job.pdf",), 1_234, ("y",), START - timedelta(days=9), ""),
        B: ManifestEntry((), 5, (), START, ""),
    }

    assert rebuilt({A: ENTRY, hash_of("c"): ENTRY}, found) == {
        A: ENTRY._replace(size=1_234, paths=("a.pdf", "job.pdf"), tags=("x", "y")),
        hash_of("c"): ENTRY,
        B: found[B],
    }
