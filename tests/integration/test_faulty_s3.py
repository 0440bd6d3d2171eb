"""A client of a bucket whose answers come late, get lost, or are not what they seem."""

import os
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, ResponseStreamingError
from tests.faulty_s3 import Fault, FaultyS3
from tests.seaweed import Seaweed

from blobforge.domain.errors import StoreUnavailable
from blobforge.objectstore import connection
from blobforge.objectstore.answers import Retries
from blobforge.objectstore.client import ObjectStore, Only
from blobforge.objectstore.place import Place

NEW = Only(if_new=True)


@pytest.fixture
def faulty(faulty_s3: FaultyS3) -> FaultyS3:
    faulty_s3.seen.clear()
    return faulty_s3


@pytest.fixture
def place(seaweed: Seaweed, faulty: FaultyS3) -> Place:
    return Place(seaweed.bucket, f"{uuid.uuid4().hex}/", faulty.access)


@pytest.fixture
def store(place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    monkeypatch.setattr(connection, "READ_SECONDS", 1)
    with closing(ObjectStore(place, retries=Retries(seconds=20))) as store:
        yield store


def content(store: ObjectStore, name: str) -> bytes | None:
    there = store.get(name)
    return there.body if there is not None else None


# The proxy itself


def test_without_a_fault_signed_requests_of_all_kinds_pass(
    store: ObjectStore, faulty: FaultyS3, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"x" * 100_000)

    etag = store.put("small", b"small", metadata={"note": "kept"})
    store.put_file("file", tmp_path / "file")

    head = store.head("small")
    assert head is not None
    assert (head.size, head.etag, head.metadata) == (5, etag, {"note": "kept"})
    assert content(store, "file") == b"x" * 100_000
    assert [facts.name for facts in store.page("")] == ["file", "small"]
    store.delete_many(["small", "file"])
    assert store.page("") == []
    assert all(200 <= seen.status < 300 for seen in faulty.seen)


def test_a_fault_ends_when_it_is_lifted_and_strikes_only_what_it_is_for(store: ObjectStore, faulty: FaultyS3) -> None:
    store.put("a", b"")
    call = store._client.head_object

    with faulty.fault(Fault.BUSY, method="HEAD", path="/a"):
        with pytest.raises(ClientError):
            call(Bucket=store.place.bucket, Key=store.place.key("a"))
        assert content(store, "a") == b""
    assert store.head("a") is not None


def test_a_lost_reply_reached_the_store_and_a_refused_request_did_not(
    seaweed: Seaweed, store: ObjectStore, faulty: FaultyS3
) -> None:
    direct = ObjectStore(store.place._replace(access=seaweed.access))

    for fault, name in ((Fault.LOST_REPLY, "lost"), (Fault.REFUSED, "refused")):
        with faulty.fault(fault), pytest.raises(ConnectionClosedError):
            store._client.put_object(Bucket=store.place.bucket, Key=store.place.key(name), Body=b"x")

    with closing(direct):
        assert [facts.name for facts in direct.page("")] == ["lost"]


def test_a_cut_reply_breaks_in_the_middle(store: ObjectStore, faulty: FaultyS3) -> None:
    store.put("a", b"x" * 1000)

    with faulty.fault(Fault.CUT_REPLY, method="GET"):
        answer = store._client.get_object(Bucket=store.place.bucket, Key=store.place.key("a"))
        with pytest.raises(ResponseStreamingError):
            answer["Body"].read()


# The client under each fault


@pytest.mark.parametrize("fault", [Fault.BUSY, Fault.REFUSED, Fault.LOST_REPLY])
def test_half_of_all_requests_may_fail_and_every_write_counts_once(
    store: ObjectStore, faulty: FaultyS3, fault: Fault
) -> None:
    names = [f"cell-{number}" for number in range(8)]

    with faulty.fault(fault, share=0.5):
        etags = {name: store.put(name, name.encode(), only=NEW) for name in names}
        second = [store.put(name, b"another", only=NEW) for name in names]

    assert None not in etags.values()
    assert second == [None] * len(names)
    assert {facts.name: facts.etag for facts in store.page("")} == etags


def test_a_slow_store_is_waited_for(store: ObjectStore, faulty: FaultyS3) -> None:
    with faulty.fault(Fault.SLOW, seconds=0.3):
        assert store.put("a", b"x", only=NEW) is not None

    assert store.requests["put_object"] == 1


def test_an_answer_that_never_comes_is_asked_for_again(store: ObjectStore, faulty: FaultyS3) -> None:
    """Trace of a request that hangs: it ends by its own limit, well within the patience for all tries."""
    with faulty.fault(Fault.SILENT, method="PUT", times=1):
        began = time.monotonic()
        assert store.put("a", b"x", only=NEW) is not None

    assert store.requests["put_object"] == 2
    assert time.monotonic() - began < 10


def test_a_store_that_stays_silent_is_told_within_the_deadline(place: Place, faulty: FaultyS3) -> None:
    assert Retries().seconds > connection.READ_SECONDS * 2

    with (
        closing(ObjectStore(place, retries=Retries(seconds=1))) as store,
        faulty.fault(Fault.REFUSED),
        pytest.raises(StoreUnavailable, match="does not answer"),
    ):
        store.get("a")


def test_a_store_that_comes_back_is_used_again(store: ObjectStore, faulty: FaultyS3) -> None:
    outcome: list[str | None] = []
    with faulty.fault(Fault.BUSY, path=store.place.prefix):
        writer = threading.Thread(target=lambda: outcome.append(store.put("a", b"x", only=NEW)), name="writer")
        writer.start()
        while store.requests["put_object"] < 2:
            time.sleep(0.01)
    writer.join()

    assert outcome == [store.head("a").etag]  # type: ignore[union-attr]


def test_a_changed_object_whose_reply_was_lost_is_known_and_a_lost_race_is_not_taken_for_it(
    store: ObjectStore, faulty: FaultyS3
) -> None:
    seen = store.put("cell", b"seen")

    with faulty.fault(Fault.LOST_REPLY, method="PUT", times=1):
        changed = store.put("cell", b"nonce 1", only=Only(if_etag=seen))
    with faulty.fault(Fault.REFUSED, method="PUT", times=1):
        late = store.put("cell", b"nonce 2", only=Only(if_etag=seen))

    assert changed is not None
    assert late is None
    assert content(store, "cell") == b"nonce 1"


def test_a_refusal_at_the_first_try_is_told_as_one_although_the_object_is_ours(
    store: ObjectStore, faulty: FaultyS3
) -> None:
    """Some proxies repeat a request by themselves. Nobody can tell it from a lost race but by looking at the object,
    which whoever was refused does next in any case."""
    with faulty.fault(Fault.SENT_TWICE, method="PUT", times=1):
        assert store.put("cell", b"nonce 1", only=NEW) is None

    assert content(store, "cell") == b"nonce 1"


def test_a_delete_whose_reply_was_lost_happened(store: ObjectStore, faulty: FaultyS3) -> None:
    etag = store.put("cell", b"x")

    with faulty.fault(Fault.LOST_REPLY, method="DELETE", times=1):
        assert store.delete("cell", only=Only(if_etag=etag))

    assert store.head("cell") is None


# Files


def test_a_file_whose_reply_was_lost_is_known_by_its_metadata(
    store: ObjectStore, faulty: FaultyS3, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(os.urandom(300_000))

    with faulty.fault(Fault.LOST_REPLY, method="PUT", times=1):
        etag = store.put_file("file", tmp_path / "file", only=NEW, metadata={"nonce": "1", "name": "Größe 本"})

    head = store.head("file")
    assert head is not None
    assert (head.etag, head.metadata) == (etag, {"nonce": "1", "name": "Größe 本"})
    assert content(store, "file") == (tmp_path / "file").read_bytes()


def test_the_same_file_of_another_one_is_not_taken_for_ours(
    store: ObjectStore, faulty: FaultyS3, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"the same bytes")
    store.put_file("file", tmp_path / "file", only=NEW, metadata={"nonce": "theirs"})

    with faulty.fault(Fault.LOST_REPLY, method="PUT", times=1):
        assert store.put_file("file", tmp_path / "file", only=NEW, metadata={"nonce": "ours"}) is None

    assert store.head("file").metadata == {"nonce": "theirs"}  # type: ignore[union-attr]


def test_a_file_is_sent_from_its_beginning_at_every_try(store: ObjectStore, faulty: FaultyS3, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(os.urandom(300_000))

    with faulty.fault(Fault.BUSY, method="PUT", times=2):
        assert store.put_file("file", tmp_path / "file") is not None

    assert content(store, "file") == (tmp_path / "file").read_bytes()
    assert store.requests["put_object"] == 3


def test_a_download_goes_on_where_it_broke(store: ObjectStore, faulty: FaultyS3) -> None:
    body = os.urandom(3_000_000)
    store.put("large", body, metadata={"name": "x"})
    target = BytesIO(b"z" * 4_000_000)
    before = len(faulty.seen)

    with faulty.fault(Fault.CUT_REPLY, method="GET", times=3):
        metadata = store.fetch("large", target)

    assert (target.getvalue() == body, metadata) == (True, {"name": "x"})
    assert [seen.method for seen in faulty.seen[before:]].count("GET") == 4


def test_an_object_that_is_replaced_while_it_is_read_is_read_anew(store: ObjectStore, faulty: FaultyS3) -> None:
    store.put("object", b"a" * 1_000_000)
    replaced = threading.Event()

    class Target(BytesIO):
        def write(self, piece: object) -> int:
            if not replaced.is_set():
                replaced.set()
                store.put("object", b"b" * 500_000)
            return super().write(piece)  # type: ignore[arg-type]

    target = Target()
    with faulty.fault(Fault.CUT_REPLY, method="GET", times=1):
        store.fetch("object", target)

    assert target.getvalue() == b"b" * 500_000
