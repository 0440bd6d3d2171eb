"""The wrapper of the S3 SDK on a real server: conditions, listings, transfers, lost answers, and what errors mean."""

import os
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ConnectionClosedError, ReadTimeoutError
from tests.careless_s3 import Flaw
from tests.careless_s3 import running as running_careless
from tests.seaweed import Seaweed

from blobforge.blobs.bucket import BucketBlobStore
from blobforge.domain.errors import InvalidSettings, NotFound, SourceTooLarge, StoreUnavailable
from blobforge.objectstore import transfers
from blobforge.objectstore.answers import Absent, Retries
from blobforge.objectstore.client import Folder, ObjectStore, Only
from blobforge.objectstore.connection import contact_with
from blobforge.objectstore.place import Place
from blobforge.ports.blob_store import BlobKey, S3Access
from blobforge.testing.races import at_once


@pytest.fixture
def place(seaweed: Seaweed) -> Place:
    return Place(seaweed.bucket, f"{uuid.uuid4().hex}/", seaweed.access)


@pytest.fixture
def store(place: Place) -> Iterator[ObjectStore]:
    with closing(ObjectStore(place, retries=Retries(seconds=5))) as store:
        yield store


class Losing:
    """Lets the next answers of an operation get lost, after it happened or before."""

    def __init__(self, store: ObjectStore, operation: str, *, happens: bool, times: int = 1) -> None:
        self._call: Callable[..., Any] = getattr(store._client, operation)
        self._happens = happens
        self._left = times
        setattr(store._client, operation, self)

    def __call__(self, **facts: Any) -> Any:
        if not self._left:
            return self._call(**facts)
        self._left -= 1
        if self._happens:
            self._call(**facts)
            raise ReadTimeoutError(endpoint_url="the store")
        raise ConnectionClosedError(endpoint_url="the store")


# Conditions


def test_a_new_object_is_written_once(store: ObjectStore) -> None:
    """R0-11, R2-11."""
    etag = store.put("cell", b"first", only=Only(if_new=True))

    assert etag is not None
    assert store.put("cell", b"second", only=Only(if_new=True)) is None
    there = store.get("cell")
    assert there is not None
    assert (there.body, there.etag) == (b"first", etag)


def test_an_object_is_replaced_only_as_it_was_seen(store: ObjectStore) -> None:
    first = store.put("cell", b"first")
    second = store.put("cell", b"second", only=Only(if_etag=first))

    assert second not in (None, first)
    assert store.put("cell", b"third", only=Only(if_etag=first)) is None
    assert store.put("absent", b"third", only=Only(if_etag=first)) is None
    assert store.get("absent") is None


def test_an_object_is_deleted_only_as_it_was_seen(store: ObjectStore) -> None:
    first = store.put("cell", b"first")
    second = store.put("cell", b"second")

    assert not store.delete("cell", only=Only(if_etag=first))
    assert store.delete("cell", only=Only(if_etag=second))
    assert store.get("cell") is None
    assert store.delete("cell")


@pytest.mark.parametrize("round_", range(5))
def test_of_two_that_write_at_once_one_wins(place: Place, round_: int) -> None:
    with closing(ObjectStore(place)) as one, closing(ObjectStore(place)) as other:
        seen = one.put("cell", b"seen")

        new = at_once(
            lambda: one.put("new", b"one", only=Only(if_new=True)),
            lambda: other.put("new", b"other", only=Only(if_new=True)),
        )
        changed = at_once(
            lambda: one.put("cell", b"one", only=Only(if_etag=seen)),
            lambda: other.put("cell", b"other", only=Only(if_etag=seen)),
        )

        for outcomes, name in ((new, "new"), (changed, "cell")):
            assert sorted(outcome is None for outcome in outcomes) == [False, True]
            there = one.get(name)
            assert there is not None
            assert there.etag in outcomes


# Lost answers


@pytest.mark.parametrize("happens", [True, False])
def test_a_write_whose_answer_was_lost_is_known_by_its_bytes(store: ObjectStore, happens: bool) -> None:
    Losing(store, "put_object", happens=happens)

    etag = store.put("cell", b"nonce 1", only=Only(if_new=True))

    there = store.get("cell")
    assert there is not None
    assert there.etag == etag


def test_a_write_that_another_one_beat_while_its_answer_was_lost_is_lost(store: ObjectStore) -> None:
    store.put("cell", b"of another", only=Only(if_new=True))
    Losing(store, "put_object", happens=False)

    assert store.put("cell", b"ours", only=Only(if_new=True)) is None


def test_a_delete_whose_answer_was_lost_is_known_by_the_absence(store: ObjectStore) -> None:
    etag = store.put("cell", b"x")
    Losing(store, "delete_object", happens=True)

    assert store.delete("cell", only=Only(if_etag=etag))


def test_a_store_that_says_absent_to_the_second_deletion_has_done_the_first() -> None:
    with running_careless(Flaw.NONE) as careless, closing(ObjectStore(Place("b", "", careless.access))) as store:
        etag = store.put("cell", b"x")
        Losing(store, "delete_object", happens=True)

        assert store.delete("cell", only=Only(if_etag=etag))
        assert not store.delete("cell", only=Only(if_etag=etag))


# Waiting


def test_a_store_that_stays_away_is_told_within_the_deadline() -> None:
    place = Place("bucket", "", S3Access("http://127.0.0.1:1", "us-east-1", "key", "secret"))
    waits: list[float] = []
    now = iter(range(1_000))
    retries = Retries(seconds=20, clock=lambda: float(next(now)), sleep=waits.append, roll=lambda: 1.0)

    with closing(ObjectStore(place, retries=retries)) as store:
        contact_with(place).made = True
        with pytest.raises(StoreUnavailable, match="bucket"):
            store.get("x")

    assert waits[:4] == [0.1, 0.2, 0.4, 0.8]
    assert max(waits) <= 5
    assert store.requests["get_object"] == len(waits) + 1


def test_a_store_that_has_never_answered_is_given_less_time() -> None:
    place = Place("never", "", S3Access("http://127.0.0.1:1", "us-east-1", "key", "secret"))
    waits: list[float] = []
    now = iter(range(1_000))
    retries = Retries(seconds=20, clock=lambda: float(next(now)), sleep=waits.append, roll=lambda: 1.0)

    with closing(ObjectStore(place, retries=retries)) as store, pytest.raises(StoreUnavailable, match="never"):
        store.get("x")

    assert waits == [0.1]


def test_wrong_keys_and_a_missing_bucket_are_told_at_once(seaweed: Seaweed) -> None:
    wrong = seaweed.access._replace(secret_access_key="wrong")
    with closing(ObjectStore(Place(seaweed.bucket, "", wrong))) as store, pytest.raises(InvalidSettings) as told:
        store.get("x")
    assert "wrong" not in str(told.value)

    elsewhere = ObjectStore(Place("no-such-bucket", "", seaweed.access))
    with closing(elsewhere), pytest.raises(InvalidSettings, match="no such bucket"):
        elsewhere.page("")


# Listing and deleting many


def test_objects_are_listed_page_by_page_below_the_prefix_alone(seaweed: Seaweed, store: ObjectStore) -> None:
    for number in range(7):
        store.put(f"queue/todo/{number}", b"x" * number)
    store.put("other", b"")

    first = store.page("queue/", limit=3)
    rest = store.page("queue/", after=first[-1].name)

    assert [facts.name for facts in first + rest] == [f"queue/todo/{number}" for number in range(7)]
    assert [facts.size for facts in first] == [0, 1, 2]
    assert len(list(store.all(""))) == 8


def test_more_objects_than_a_page_holds_are_all_listed_and_deleted(
    store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blobforge.objectstore.client.PAGE", 4)
    names = [f"many/{number:02}" for number in range(10)]
    for name in names:
        store.put(name, b"")

    assert sorted(facts.name for facts in store.all("many/")) == names
    store.delete_many([*names[:9], "absent"])
    assert [facts.name for facts in store.all("many/")] == names[9:]


# Transfers


def test_a_large_file_goes_in_parts_and_comes_back_whole(
    store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfers, "PART_SIZE", 5 * 1024 * 1024)
    content = os.urandom(12 * 1024 * 1024)
    (tmp_path / "large").write_bytes(content)
    Losing(store, "upload_part", happens=False)
    Losing(store, "complete_multipart_upload", happens=True)

    assert transfers.upload(store, "large", tmp_path / "large") == len(content)

    Losing(store, "get_object", happens=False)
    target = BytesIO(b"longer than nothing")
    store.fetch("large", target)
    assert target.getvalue() == content
    assert store.requests["upload_part"] == 4


def test_an_upload_that_fails_leaves_nothing_behind(
    seaweed: Seaweed, store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfers, "PART_SIZE", 5 * 1024 * 1024)
    (tmp_path / "large").write_bytes(b"x" * 6 * 1024 * 1024)
    Losing(store, "upload_part", happens=False, times=1_000)
    store._retries = Retries(seconds=0.1)

    with pytest.raises(StoreUnavailable):
        transfers.upload(store, "large", tmp_path / "large")

    assert store.head("large") is None
    unfinished = seaweed.client().list_multipart_uploads(Bucket=store.place.bucket).get("Uploads", [])
    assert [upload["Key"] for upload in unfinished if upload["Key"].startswith(store.place.prefix)] == []


def test_an_upload_that_nobody_finished_is_found_and_abandoned(store: ObjectStore) -> None:
    begun = store.transfer("create_multipart_upload", "half")["UploadId"]
    store.transfer("upload_part", "half", UploadId=begun, PartNumber=1, Body=b"a" * 1000)

    (found,) = transfers.unfinished(store)
    transfers.abandon(store, found.name, found.id)

    assert (found.name, found.size) == ("half", 1000)
    assert abs(found.began_at - store.now()) < timedelta(minutes=1)
    assert list(transfers.unfinished(store)) == []
    transfers.abandon(store, found.name, found.id)


def test_an_absent_object_is_absent_to_a_fetch_and_the_target_stays_as_it_was(store: ObjectStore) -> None:
    target = BytesIO(b"kept")

    with pytest.raises(Absent):
        store.fetch("absent", target)

    assert target.getvalue() == b"kept"


def test_a_fetch_is_one_request_and_brings_the_metadata(store: ObjectStore) -> None:
    """R0-38."""
    store.put("object", b"bytes", metadata={"original-name": "Über uns.pdf"})
    store.requests.clear()
    target = BytesIO(b"longer than the object")

    assert store.fetch("object", target) == {"original-name": "Über uns.pdf"}
    assert target.getvalue() == b"bytes"
    assert dict(store.requests) == {"get_object": 1}


def test_an_empty_object_is_fetched(store: ObjectStore) -> None:
    store.put("empty", b"")
    target = BytesIO(b"x")

    store.fetch("empty", target)

    assert target.getvalue() == b""


def test_a_file_goes_in_one_request_under_a_condition(store: ObjectStore, tmp_path: Path) -> None:
    """R0-38."""
    (tmp_path / "file").write_bytes(b"x" * 20_000_000)
    metadata = {"original-name": "本.pdf", "tags": "a, b", "nonce": "1"}

    etag = store.put_file("file", tmp_path / "file", only=Only(if_new=True), metadata=metadata)
    second = store.put_file("file", tmp_path / "file", only=Only(if_new=True), metadata=metadata)
    changed = store.put_file("file", tmp_path / "file", only=Only(if_etag=etag), metadata={})
    absent = store.put_file("absent", tmp_path / "file", only=Only(if_etag=etag), metadata={})

    assert etag is not None
    assert second is None
    assert changed is not None
    assert absent is None
    assert store.requests["put_object"] == 4
    head = store.head("file")
    assert head is not None
    assert (head.size, head.metadata) == (20_000_000, {})


def test_a_file_that_no_request_can_carry_is_refused(
    store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blobforge.objectstore.client.LARGEST_PUT", 10)
    (tmp_path / "file").write_bytes(b"x" * 11)

    with pytest.raises(SourceTooLarge, match="larger than 5 GB"):
        store.put_file("file", tmp_path / "file")


def test_a_blob_is_opened_or_fetched_by_one_request(store: ObjectStore, tmp_path: Path) -> None:
    blobs = BucketBlobStore(store)
    (tmp_path / "file").write_bytes(b"bytes")
    blobs.put(BlobKey("outputs/a"), tmp_path / "file")
    store.requests.clear()

    blobs.fetch(BlobKey("outputs/a"), tmp_path / "fetched")
    with blobs.open(BlobKey("outputs/a")) as opened:
        assert opened.read() == b"bytes"

    assert (tmp_path / "fetched").read_bytes() == b"bytes"
    assert dict(store.requests) == {"get_object": 2}
    with pytest.raises(NotFound):
        blobs.fetch(BlobKey("outputs/b"), tmp_path / "absent")
    assert not (tmp_path / "absent").exists()


# Looking around


def test_a_folder_is_what_stands_directly_below(store: ObjectStore) -> None:
    for name in ("a/1", "a/b/2", "c", "a/3"):
        store.put(name, b"")

    assert store.folder() == Folder(objects=("c",), folders=("a/",))
    assert sorted(store.folder("a/").objects) == ["a/1", "a/3"]
    assert store.folder("a/").folders == ("a/b/",)


def test_a_question_about_the_bucket_that_has_no_answer_is_no_error(store: ObjectStore) -> None:
    assert store.about_bucket("get_bucket_versioning") is not None
    assert store.about_bucket("get_bucket_lifecycle_configuration") is None


# Time, links and places


def test_the_time_is_that_of_the_store(store: ObjectStore) -> None:
    assert store.get("absent") is None

    assert store.tells_time
    assert abs(store.now() - datetime.now(UTC)) < timedelta(seconds=5)
    assert store.server.startswith("SeaweedFS")


def test_a_signed_url_needs_no_keys(store: ObjectStore) -> None:
    store.put("x", b"signed")
    url = store.presigned("x", method="GET", valid_for=timedelta(minutes=1))

    with urllib.request.urlopen(url) as answer:
        assert answer.read() == b"signed"
