"""The contract of every BlobStore.

A subclass gives one fixture: `store`, an empty BlobStore.
"""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from blobforge.domain.errors import InvalidValue, NotFound, OutputUnwritable, SourceChanged, SourceMissing
from blobforge.domain.ids import SourceHash
from blobforge.ports.blob_store import BlobKey, BlobStore, Leftover, source_key
from blobforge.testing.races import at_once

KEY = BlobKey("outputs/ab/result.zip")
NO_KEYS = ["", "/", "/etc/passwd", "a//b", "a/", ".", "..", "./a", "../a", "a/../b", "a/..", "a/./b", "a\0b"]

CALLS: dict[str, Callable[[BlobStore, BlobKey, Path], object]] = {
    "put": lambda store, key, path: store.put(key, path),
    "adopt": lambda store, key, path: store.adopt(key, path),
    "open": lambda store, key, path: store.open(key),
    "local_path": lambda store, key, path: store.local_path(key),
    "fetch": lambda store, key, path: store.fetch(key, path.with_name("fetched")),
    "stat": lambda store, key, path: store.stat(key),
    "address": lambda store, key, path: store.address(key),
    "stat_many": lambda store, key, path: store.stat_many([key]),
    "renew": lambda store, key, path: store.renew(key),
    "keep": lambda store, key, path: store.keep([key]),
    "delete": lambda store, key, path: store.delete(key),
}


class BlobStoreContract:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        path = tmp_path / "files" / "a file.zip"
        path.parent.mkdir()
        path.write_bytes(b"first")
        return path

    def test_every_blob_has_an_address_of_its_own_there_or_not(self, store: BlobStore, file: Path) -> None:
        store.put(KEY, file)
        other, source = BlobKey("outputs/ab/other.zip"), BlobKey(f"sources/{'a' * 64}.pdf")

        addresses = [store.address(key) for key in (KEY, other, source)]

        assert len(set(addresses)) == 3
        assert addresses[2].endswith(f"/{'a' * 64}.pdf")

    # Storing

    def test_what_is_put_can_be_read(self, store: BlobStore, file: Path) -> None:
        stat = store.put(KEY, file)

        assert (stat.key, stat.size) == (KEY, 5)
        assert read(store, KEY) == b"first"
        assert facts(store, KEY) == (KEY, 5)

    def test_putting_leaves_the_file_and_adopting_takes_it(self, store: BlobStore, file: Path) -> None:
        store.put(KEY, file)
        assert file.read_bytes() == b"first"

        stat = store.adopt(BlobKey("adopted"), file)

        assert (stat.key, stat.size) == ("adopted", 5)
        assert read(store, BlobKey("adopted")) == b"first"
        assert not file.exists()

    def test_adopting_a_link_takes_the_bytes(self, store: BlobStore, file: Path) -> None:
        link = file.with_name("link")
        link.symlink_to(file)

        store.adopt(KEY, link)
        file.unlink()

        assert read(store, KEY) == b"first"
        assert not link.is_symlink()

    @pytest.mark.parametrize("name", ["put", "adopt"])
    def test_storing_again_replaces(self, store: BlobStore, file: Path, name: str) -> None:
        store.put(KEY, file)
        file.write_bytes(b"the second")

        CALLS[name](store, KEY, file)

        assert facts(store, KEY) == (KEY, 10)
        assert read(store, KEY) == b"the second"
        assert [blob.size for blob in store.list("")] == [10]

    def test_changing_the_file_later_does_not_change_the_blob(self, store: BlobStore, file: Path) -> None:
        store.put(KEY, file)
        with file.open("r+b") as changing:
            changing.write(b"other")

        assert read(store, KEY) == b"first"

    def test_an_empty_file_is_a_blob(self, store: BlobStore, file: Path) -> None:
        file.write_bytes(b"")

        store.put(KEY, file)

        assert facts(store, KEY) == (KEY, 0)
        assert read(store, KEY) == b""

    @pytest.mark.parametrize("name", ["put", "adopt"])
    def test_a_blob_is_as_old_as_its_being_stored_whatever_the_age_of_the_file(
        self, store: BlobStore, file: Path, name: str
    ) -> None:
        os.utime(file, (1_000_000_000, 1_000_000_000))
        # The clock of a store may differ a little from ours, and its times may have no fraction.
        earliest = datetime.now(UTC) - timedelta(seconds=5)

        CALLS[name](store, KEY, file)

        (listed,) = store.list("")
        stat = store.stat(KEY)
        assert stat is not None
        assert earliest < stat.modified < datetime.now(UTC) + timedelta(seconds=5)
        assert abs(stat.modified - listed.modified) < timedelta(seconds=1)

    def test_a_large_file_arrives_whole(self, store: BlobStore, file: Path) -> None:
        content = bytes(range(256)) * 20_000
        file.write_bytes(content)

        store.put(KEY, file)

        assert read(store, KEY) == content

    @pytest.mark.parametrize("size", [6, 17 * 1024 * 1024], ids=["small", "large"])
    def test_bytes_of_another_hash_than_their_source_has_are_never_stored(
        self, store: BlobStore, file: Path, size: int
    ) -> None:
        source_hash = SourceHash(sha256(b"first").hexdigest())
        key = source_key(source_hash)
        store.put(key, file, source_hash=source_hash)
        file.write_bytes(b"x" * size)

        with pytest.raises(SourceChanged, match=r"\.zip was changed while it was stored"):
            store.put(key, file, source_hash=source_hash)

        assert read(store, key) == b"first"
        assert list(store.leftovers()) == []

    def test_bytes_of_the_right_hash_replace_half_a_copy(self, store: BlobStore, file: Path) -> None:
        source_hash = SourceHash(sha256(b"first").hexdigest())
        key = source_key(source_hash)
        store.put(key, file)
        file.with_name("half").write_bytes(b"fi")
        store.put(key, file.with_name("half"))

        store.put(key, file, source_hash=source_hash)

        assert read(store, key) == b"first"

    @pytest.mark.parametrize("key", ["a b/ü 漢.pdf", "100%25/x", "a.b/..c/...", "-a/'b\"", "a\\b", "new\nline"])
    def test_any_relative_path_is_a_key(self, store: BlobStore, file: Path, key: str) -> None:
        store.put(BlobKey(key), file)

        assert read(store, BlobKey(key)) == b"first"
        assert [blob.key for blob in store.list("")] == [key]

    @pytest.mark.parametrize("name", ["put", "adopt"])
    def test_a_file_that_is_not_there_is_missing_and_changes_nothing(
        self, store: BlobStore, file: Path, name: str
    ) -> None:
        store.put(KEY, file)

        with pytest.raises(SourceMissing, match="gone"):
            CALLS[name](store, KEY, file.with_name("gone"))
        with pytest.raises(SourceMissing):
            CALLS[name](store, KEY, file / "below a file")
        with pytest.raises(SourceMissing):
            CALLS[name](store, KEY, file.parent)

        assert read(store, KEY) == b"first"
        assert file.exists()

    def test_of_two_that_store_at_once_one_is_seen_whole(self, store: BlobStore, file: Path) -> None:
        other = file.with_name("other")
        file.write_bytes(b"a" * 1_000_000)
        other.write_bytes(b"b" * 2_000_000)

        at_once(lambda: store.put(KEY, file), lambda: store.put(KEY, other))

        assert read(store, KEY) in (file.read_bytes(), other.read_bytes())

    # Reading

    def test_a_reader_sees_one_blob_whole_while_it_is_replaced(self, store: BlobStore, file: Path) -> None:
        old, new = b"old" * 100_000, b"new!" * 100_000
        file.write_bytes(old)
        store.put(KEY, file)
        file.write_bytes(new)

        with store.open(KEY) as reader:
            beginning = reader.read(10)
            store.put(KEY, file)
            seen = beginning + reader.read()

        # Compared before they are asserted: where they differ, a test runner would look for minutes for how.
        is_old, is_new = seen == old, read(store, KEY) == new
        assert (is_old, is_new) == (True, True)

    def test_a_reader_reads_on_while_a_blob_is_deleted(self, store: BlobStore, file: Path) -> None:
        store.put(KEY, file)

        with store.open(KEY) as reader:
            store.delete(KEY)
            assert reader.read() == b"first"

        assert store.stat(KEY) is None

    def test_a_blob_is_fetched_into_a_file(self, store: BlobStore, file: Path) -> None:
        store.put(KEY, file)
        target = file.with_name("fetched")
        target.write_bytes(b"something longer than the blob")

        store.fetch(KEY, target)

        assert target.read_bytes() == b"first"

    def test_a_place_that_cannot_be_written_to_is_said_to_be_that(self, store: BlobStore, file: Path) -> None:
        store.put(KEY, file)

        with pytest.raises(OutputUnwritable):
            store.fetch(KEY, file / "below a file")
        with pytest.raises(OutputUnwritable):
            store.fetch(KEY, file.parent / "no folder" / "file")

    def test_a_local_path_holds_the_blob(self, store: BlobStore, file: Path) -> None:
        store.put(KEY, file)

        path = store.local_path(KEY)

        assert path is None or path.read_bytes() == b"first"

    def test_a_blob_that_is_not_there_is_absent_to_every_method(self, store: BlobStore, file: Path) -> None:
        with pytest.raises(NotFound, match="absent"):
            store.open(BlobKey("absent"))
        with pytest.raises(NotFound, match="absent"):
            store.fetch(BlobKey("absent"), file)
        assert store.stat(BlobKey("absent")) is None
        assert store.local_path(BlobKey("absent")) is None
        store.delete(BlobKey("absent"))
        assert file.read_bytes() == b"first"

    @pytest.mark.parametrize("other", ["outputs", "outputs/ab", "outputs/ab/result", "outputs/ab/result.zip/x"])
    def test_the_beginning_of_a_key_and_what_lies_below_it_are_no_blobs(
        self, store: BlobStore, file: Path, other: str
    ) -> None:
        store.put(KEY, file)

        assert store.stat(BlobKey(other)) is None
        assert store.local_path(BlobKey(other)) is None
        with pytest.raises(NotFound):
            store.open(BlobKey(other))
        with pytest.raises(NotFound):
            store.fetch(BlobKey(other), file.with_name("fetched"))
        store.delete(BlobKey(other))
        assert read(store, KEY) == b"first"

    @pytest.mark.parametrize("key", NO_KEYS)
    @pytest.mark.parametrize("name", CALLS)
    def test_what_is_no_key_is_refused_by_every_method(self, store: BlobStore, file: Path, name: str, key: str) -> None:
        with pytest.raises(InvalidValue, match="is no key"):
            CALLS[name](store, BlobKey(key), file)

        assert file.exists()
        assert list(store.list("")) == []

    @pytest.mark.parametrize("count", [3, 60])
    def test_of_many_keys_those_that_exist_are_returned(self, store: BlobStore, file: Path, count: int) -> None:
        wanted = [BlobKey(f"sources/{number:02} a%b.pdf") for number in range(count)]
        for key in (*wanted[::2], BlobKey("sources/other.pdf"), BlobKey("elsewhere.pdf")):
            store.put(key, file)

        found = store.stat_many(wanted)

        assert {key: stat.size for key, stat in found.items()} == dict.fromkeys(wanted[::2], 5)
        assert all(stat.key == key for key, stat in found.items())
        assert store.stat_many([]) == {}

    # Deleting and listing

    def test_a_deleted_blob_is_gone_and_its_neighbours_are_not(self, store: BlobStore, file: Path) -> None:
        store.put(KEY, file)
        store.put(BlobKey("outputs/ab/other.zip"), file)

        store.delete(KEY)
        store.delete(KEY)

        assert store.stat(KEY) is None
        assert [blob.key for blob in store.list("")] == ["outputs/ab/other.zip"]

    def test_a_blob_has_the_same_version_in_listings_and_by_itself(self, store: BlobStore, file: Path) -> None:
        store.put(KEY, file)

        (listed,), there = store.list(""), store.stat(KEY)

        assert there is not None
        assert there.version == listed.version != ""

    def test_a_blob_is_deleted_as_it_was_seen(self, store: BlobStore, file: Path) -> None:
        store.put(KEY, file)
        (seen,) = store.list("")

        with store.clearing([KEY]) as delete:
            assert delete(seen) is True
            assert delete(seen) is False

        assert store.stat(KEY) is None
        assert list(store.list("")) == []
        assert list(store.leftovers()) == []

    def test_a_blob_of_another_version_than_was_seen_is_not_deleted(self, store: BlobStore, file: Path) -> None:
        store.put(KEY, file)
        (seen,) = store.list("")
        file.write_bytes(b"other bytes")
        store.put(KEY, file)

        with store.clearing([KEY]) as delete:
            assert delete(seen) is False

        assert read(store, KEY) == b"other bytes"

    def test_a_renewed_blob_is_what_it_was(self, store: BlobStore, file: Path) -> None:
        store.put(KEY, file, labels={"original-name": "Größe.pdf"})

        renewed = store.renew(KEY)

        assert renewed is not None
        assert (renewed.key, renewed.size) == (KEY, 5)
        assert read(store, KEY) == b"first"
        assert [(blob.key, blob.version) for blob in store.list("")] == [(KEY, renewed.version)]

    def test_what_is_not_there_is_not_renewed(self, store: BlobStore) -> None:
        assert store.renew(KEY) is None
        assert list(store.list("")) == []

    def test_what_nobody_deletes_is_kept_without_ado(self, store: BlobStore, file: Path) -> None:
        store.put(KEY, file)

        assert store.keep([KEY]) == set()
        assert store.keep([]) == set()
        assert read(store, KEY) == b"first"

    @pytest.mark.parametrize("count", [3, 60])
    def test_of_what_is_to_be_kept_all_that_has_gone_is_told(self, store: BlobStore, file: Path, count: int) -> None:
        """Whoever took it, and however long ago: those who come to need it have seen it before."""
        wanted = [source_key(SourceHash(sha256(f"{number}".encode()).hexdigest())) for number in range(count)]
        for key in wanted[::2]:
            store.put(key, file)

        assert store.keep(wanted) == set(wanted[1::2])

    def test_blobs_are_listed_by_the_beginning_of_their_key(self, store: BlobStore, file: Path) -> None:
        for key in ("outputs/ab/1", "outputs/ab/2", "outputs/ac/3", "outputs-old/4", "sources/5"):
            store.put(BlobKey(key), file)

        assert listed(store, "outputs/ab/") == ["outputs/ab/1", "outputs/ab/2"]
        assert listed(store, "outputs/a") == ["outputs/ab/1", "outputs/ab/2", "outputs/ac/3"]
        assert listed(store, "outputs") == ["outputs-old/4", "outputs/ab/1", "outputs/ab/2", "outputs/ac/3"]
        assert len(listed(store, "")) == 5
        assert listed(store, "nothing") == listed(store, "../") == []

    def test_an_empty_store_lists_nothing(self, store: BlobStore) -> None:
        assert list(store.list("")) == []

    def test_what_became_a_blob_leaves_nothing_behind(self, store: BlobStore, file: Path) -> None:
        store.put(KEY, file)
        store.adopt(BlobKey("adopted"), file)

        assert list(store.leftovers()) == []

    def test_clearing_what_is_gone_is_no_error(self, store: BlobStore) -> None:
        store.clear(Leftover("0123456789abcdef gone", 1, datetime.now(UTC)))


def read(store: BlobStore, key: BlobKey) -> bytes:
    with store.open(key) as reader:
        return reader.read()


def facts(store: BlobStore, key: BlobKey) -> tuple[str, int] | None:
    stat = store.stat(key)
    return None if stat is None else (stat.key, stat.size)


def listed(store: BlobStore, prefix: str) -> list[str]:
    return sorted(blob.key for blob in store.list(prefix))
