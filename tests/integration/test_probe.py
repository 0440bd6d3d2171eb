"""Stores that can be a queue and stores that cannot, and whose queue a place is."""

import json
import uuid
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta

import pytest
from tests.careless_s3 import Flaw
from tests.careless_s3 import running as running_careless
from tests.seaweed import Seaweed

from blobforge.domain.errors import InvalidSettings, StoreUnavailable
from blobforge.objectstore import bucket_format
from blobforge.objectstore.answers import Retries
from blobforge.objectstore.bucket_format import require_format
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import Place
from blobforge.objectstore.probe import probe
from blobforge.ports.blob_store import S3Access
from blobforge.testing.races import at_once
from blobforge.version import __version__


@pytest.fixture
def place(seaweed: Seaweed) -> Place:
    return Place(seaweed.bucket, f"{uuid.uuid4().hex}/", seaweed.access)


@pytest.fixture
def store(place: Place) -> Iterator[ObjectStore]:
    with closing(ObjectStore(place)) as store:
        yield store


# What a store must be able to do


def test_a_store_that_keeps_its_promises_passes_and_is_left_as_it_was(store: ObjectStore) -> None:
    """R0-11."""
    probed = probe(store)

    assert probed.server.startswith("SeaweedFS")
    assert probed.conditional_delete
    assert not probed.is_skewed
    assert list(store.all("")) == []


@pytest.mark.parametrize(
    ("flaw", "told"),
    [
        (Flaw.IGNORES_CONDITIONS, "writes over an object in spite of If-None-Match"),
        (Flaw.IGNORES_CONDITIONS, "writes over a changed object in spite of If-Match"),
        (Flaw.IGNORES_CONDITIONS, "lets 4 of 4 writers win that race with If-Match"),
        (Flaw.CHECKS_TOO_EARLY, r"lets [234] of 4 writers win that race with If-"),
        (Flaw.CREATES_ON_IF_MATCH, "writes an object that is not there in spite of If-Match"),
        (Flaw.REFUSES_CONDITIONS, r"does not take the request \(.*501 NotImplemented"),
        (Flaw.LISTS_LATE, "lists a new object late"),
        (Flaw.KEEPS_LISTING, "shows an object after its deletion"),
        (Flaw.IGNORES_START_AFTER, "does not begin a listing where it is told to"),
        (Flaw.DROPS_METADATA, "does not give back an object's metadata"),
        (Flaw.TELLS_NO_TIME, "does not tell its time"),
    ],
)
def test_a_store_that_breaks_a_promise_is_refused_by_its_name(flaw: Flaw, told: str) -> None:
    """R0-11."""
    with running_careless(flaw) as careless, closing(ObjectStore(Place("b", "pdf/", careless.access))) as store:
        with pytest.raises(InvalidSettings, match=told) as refused:
            probe(store)

        assert str(refused.value).startswith(f"s3://b/pdf/ at {careless.access.endpoint_url} (CarelessS3/1.0")
        assert str(refused.value).endswith(": it cannot be a queue")
        assert careless.objects == {}


@pytest.mark.parametrize("flaw", [Flaw.NONE, Flaw.ALWAYS_DELETES])
def test_a_condition_on_deletion_is_noted_and_not_needed(flaw: Flaw) -> None:
    with running_careless(flaw) as careless, closing(ObjectStore(Place("b", "", careless.access))) as store:
        assert probe(store).conditional_delete == (flaw is Flaw.NONE)


def test_clocks_that_differ_are_noted_and_do_no_harm() -> None:
    with running_careless(Flaw.LATE_CLOCK) as careless, closing(ObjectStore(Place("b", "", careless.access))) as store:
        probed = probe(store)

    assert probed.is_skewed
    assert probed.ahead < timedelta(hours=-1)


def test_keys_without_rights_are_told_as_that_and_not_as_a_store_that_cannot_do_it() -> None:
    with (
        running_careless(Flaw.DENIES) as careless,
        closing(ObjectStore(Place("b", "", careless.access))) as store,
        pytest.raises(
            InvalidSettings, match="BLOBFORGE_S3_ACCESS_KEY_ID and BLOBFORGE_S3_SECRET_ACCESS_KEY"
        ) as refused,
    ):
        probe(store)

    assert "cannot be a queue" not in str(refused.value)


def test_a_bucket_that_is_not_there_is_told_as_that_and_not_made(seaweed: Seaweed) -> None:
    place = Place("misspelt", "pdf/", seaweed.access)

    with closing(ObjectStore(place)) as store:
        with pytest.raises(InvalidSettings, match="there is no such bucket"):
            probe(store)
        with pytest.raises(InvalidSettings, match="there is no such bucket"):
            require_format(store)

    assert "misspelt" not in [bucket["Name"] for bucket in seaweed.client().list_buckets()["Buckets"]]


def test_a_store_that_does_not_answer_is_told_as_that() -> None:
    place = Place("b", "", S3Access("http://127.0.0.1:1", "us-east-1", "key", "secret"))

    with closing(ObjectStore(place, retries=Retries(seconds=0.1))) as store, pytest.raises(StoreUnavailable):
        probe(store)


# Whose queue a place is


def test_a_new_place_is_probed_once_and_then_costs_one_request(store: ObjectStore) -> None:
    first = require_format(store)
    store.requests.clear()

    assert require_format(store) == first
    assert dict(store.requests) == {"get_object": 1}
    there = store.get("registry/format.json")
    assert there is not None
    written = json.loads(there.body)
    assert (written["format"], written["version"]) == ("blobforge-bucket", 1)
    assert written["written_by"] == f"blobforge {__version__}"
    assert written["probed"]["server"].startswith("SeaweedFS")
    assert [facts.name for facts in store.all("")] == ["registry/format.json"]


def test_two_that_come_first_agree(place: Place) -> None:
    with closing(ObjectStore(place)) as one, closing(ObjectStore(place)) as other:
        first, second = at_once(lambda: require_format(one), lambda: require_format(other))

    assert first == second


def test_a_store_that_cannot_be_a_queue_gets_no_format() -> None:
    with (
        running_careless(Flaw.IGNORES_CONDITIONS) as careless,
        closing(ObjectStore(Place("b", "", careless.access))) as store,
    ):
        with pytest.raises(InvalidSettings, match="cannot be a queue"):
            require_format(store)

        assert careless.objects == {}


@pytest.mark.parametrize("name", ["queue/todo/3_normal/ab12", "queue/processing/ab12", "registry/manifest.json"])
def test_a_queue_of_an_older_writer_is_left_alone_until_it_is_adopted(store: ObjectStore, name: str) -> None:
    store.put(name, b"{}")

    with pytest.raises(InvalidSettings, match="blobforge doctor --adopt") as refused:
        require_format(store)
    assert name in str(refused.value)
    assert [facts.name for facts in store.all("")] == [name]

    assert bucket_format.adopt(store).adopted
    assert require_format(store).adopted


def test_documents_alone_and_folders_of_other_tools_are_no_queue(store: ObjectStore) -> None:
    store.put("store/raw/ab12.pdf", b"%PDF")
    store.put("sources/ab12.pdf", b"%PDF")
    store.put("queue/", b"")

    assert not require_format(store).adopted


@pytest.mark.parametrize("body", [b"[]", b'{"format": "other", "version": 1}', b'{"format": "blobforge-bucket"}'])
def test_a_place_of_another_program_is_refused_also_to_who_would_adopt_it(store: ObjectStore, body: bytes) -> None:
    store.put("registry/format.json", body)

    with pytest.raises(InvalidSettings, match="belongs to another program"):
        require_format(store)
    with pytest.raises(InvalidSettings, match="belongs to another program"):
        bucket_format.adopt(store)


def test_a_place_of_a_newer_version_asks_for_an_upgrade(store: ObjectStore) -> None:
    newer = {"format": "blobforge-bucket", "version": 2, "written_by": "blobforge 9.9"}
    store.put("registry/format.json", json.dumps(newer).encode())

    with pytest.raises(InvalidSettings, match=r"format 2, written by blobforge 9\.9; .*upgrade"):
        require_format(store)
