"""The contract of every Manifest.

A subclass gives one fixture: `open_manifest`, a function that opens another handle on the same manifest at each call.
"""

from collections.abc import Callable
from datetime import timedelta

import pytest

from blobforge.domain.ids import SourceHash
from blobforge.ports.manifest import Manifest, ManifestEntry, Sighting
from blobforge.testing.builders import hash_of
from blobforge.testing.clock import START
from blobforge.testing.races import at_once

OpenManifest = Callable[[], Manifest]

HANDBOOK = hash_of("handbook")
ODD_NAMES = ["café.pdf", "漢字/本.pdf", 'it\'s 100% \\ "quoted".pdf', "two\nlines.pdf", "caf\udce9.pdf"]


def seen(name: str = "handbook", path: str | None = None, *tags: str, later: int = 0) -> Sighting:
    at = START + timedelta(seconds=later)
    return Sighting(hash_of(name), path or f"books/{name}.pdf", 1_000, tags, "library", at)


class ManifestContract:
    @pytest.fixture
    def manifest(self, open_manifest: OpenManifest) -> Manifest:
        return open_manifest()

    def test_a_new_manifest_is_empty(self, manifest: Manifest) -> None:
        assert dict(manifest.entries()) == {}
        assert manifest.contents().updated_at is None

    def test_what_was_flushed_another_process_reads(self, open_manifest: OpenManifest) -> None:
        """R0-22."""
        early, writer = open_manifest(), open_manifest()

        writer.record([seen("handbook", "DnD/PHB.pdf", "DnD", "5e")])
        writer.flush()

        entry = ManifestEntry(("DnD/PHB.pdf",), 1_000, ("DnD", "5e"), START, "library")
        assert dict(early.entries()) == dict(open_manifest().entries()) == {HANDBOOK: entry}

    def test_buffered_sightings_are_seen_by_the_process_that_recorded_them(self, open_manifest: OpenManifest) -> None:
        manifest = open_manifest()

        manifest.record([seen("handbook")])

        assert set(manifest.entries()) == {HANDBOOK}

    def test_a_second_path_is_merged_into_the_entry(self, open_manifest: OpenManifest) -> None:
        """R0-23."""
        for sighting in (seen("handbook", "a.pdf", "x"), seen("handbook", "b.pdf", "y", "x", later=9)):
            manifest = open_manifest()
            manifest.record([sighting])
            manifest.flush()

        entry = ManifestEntry(("a.pdf", "b.pdf"), 1_000, ("x", "y"), START, "library")
        assert dict(open_manifest().entries()) == {HANDBOOK: entry}

    def test_seeing_the_same_again_changes_nothing(self, open_manifest: OpenManifest) -> None:
        for _ in range(3):
            manifest = open_manifest()
            manifest.record([seen("handbook"), seen("handbook", later=5)])
            manifest.flush()

        assert [entry.paths for entry in open_manifest().entries().values()] == [("books/handbook.pdf",)]

    def test_a_flush_of_nothing_changes_nothing(self, open_manifest: OpenManifest) -> None:
        manifest = open_manifest()
        manifest.flush()
        manifest.finish()

        assert open_manifest().contents().updated_at is None

    @pytest.mark.parametrize("path", ODD_NAMES)
    def test_a_name_need_not_be_plain(self, open_manifest: OpenManifest, path: str) -> None:
        manifest = open_manifest()
        manifest.record([seen("handbook", path, "naïve tag")])
        manifest.flush()

        assert open_manifest().entries()[HANDBOOK].paths == (path,)

    def test_a_long_run_loses_nothing(self, open_manifest: OpenManifest) -> None:
        manifest = open_manifest()
        for start in range(0, 1_200, 40):
            manifest.record([seen(f"book {number}") for number in range(start, start + 40)])
            manifest.flush()
        manifest.finish()

        assert set(open_manifest().entries()) == {hash_of(f"book {number}") for number in range(1_200)}

    def test_many_sightings_are_flushed_by_themselves(self, open_manifest: OpenManifest) -> None:
        """Whoever is killed between two flushes has lost little."""
        manifest = open_manifest()
        manifest.record([seen(f"book {number}") for number in range(1_100)])

        assert len(open_manifest().entries()) >= 600

    def test_concurrent_writes_are_both_kept(self, open_manifest: OpenManifest) -> None:
        """R0-24, R0-83."""

        def write(manifest: Manifest, who: str) -> None:
            for number in range(15):
                manifest.record([seen(f"{who} {number}"), seen("shared", f"{who}/{number}.pdf")])
                manifest.flush()

        first, second = open_manifest(), open_manifest()
        at_once(lambda: write(first, "a"), lambda: write(second, "b"))

        entries = open_manifest().entries()
        assert set(entries) == {hash_of(f"{who} {number}") for who in "ab" for number in range(15)} | {
            hash_of("shared")
        }
        assert len(entries[hash_of("shared")].paths) == 30

    def test_a_concurrent_reader_misses_nothing_that_was_flushed(self, open_manifest: OpenManifest) -> None:
        writer, reader = open_manifest(), open_manifest()
        flushed: list[SourceHash] = []
        missed: list[set[SourceHash]] = []

        def write() -> None:
            for number in range(30):
                writer.record([seen(f"book {number}")])
                writer.flush()
                flushed.append(hash_of(f"book {number}"))

        def read() -> None:
            while len(flushed) < 30:
                before = set(flushed)
                missed.append(before - set(reader.entries()))

        at_once(write, read)

        assert not any(missed)

    def test_a_rebuild_adds_what_was_found_and_keeps_what_was_known(self, open_manifest: OpenManifest) -> None:
        manifest = open_manifest()
        manifest.record([seen("handbook", "a.pdf", "x"), seen("only known")])
        manifest.flush()
        found = ManifestEntry(("z.pdf",), 2_000, ("y",), START - timedelta(days=1), "")

        done = open_manifest().rebuild({HANDBOOK: found, hash_of("new"): found})

        entries = open_manifest().entries()
        assert (done.added, done.sourceless) == (1, 1)
        assert entries[HANDBOOK] == ManifestEntry(("a.pdf", "z.pdf"), 2_000, ("x", "y"), START, "library")
        assert entries[hash_of("new")] == found
        assert set(entries) == set(done.contents.entries) == {HANDBOOK, hash_of("only known"), hash_of("new")}

    def test_a_rebuild_that_finds_nothing_new_says_so(self, open_manifest: OpenManifest) -> None:
        found = {HANDBOOK: ManifestEntry(("z.pdf",), 2_000, (), START, "")}
        open_manifest().rebuild(found)
        before = open_manifest().contents()

        assert open_manifest().rebuild(found).added == 0
        assert open_manifest().contents() == before

    def test_nothing_is_set_aside_where_nothing_is_damaged(self, open_manifest: OpenManifest) -> None:
        manifest = open_manifest()
        manifest.record([seen("handbook")])
        manifest.flush()

        assert manifest.set_aside() == open_manifest().set_aside() == []
        assert set(open_manifest().entries()) == {HANDBOOK}
