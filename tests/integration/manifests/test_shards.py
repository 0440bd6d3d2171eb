"""Shards of both kinds, in a folder and on a real S3 server: conditions, listings, and races for one shard."""

import threading
import uuid
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.seaweed import Seaweed

from blobforge.clock import SystemClock
from blobforge.manifests.bucket import BucketShards
from blobforge.manifests.folder import FolderShards
from blobforge.manifests.manifest import ShardedManifest
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import Place
from blobforge.ports.shards import MANIFEST, PENDING, Shard, Shards
from blobforge.testing.builders import hash_of
from blobforge.testing.manifest_contract import seen
from blobforge.testing.races import at_once, meet


@pytest.fixture(params=["folder", "bucket"])
def shards(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shards]:
    if request.param == "folder":
        yield FolderShards(tmp_path / "store")
        return
    seaweed: Seaweed = request.getfixturevalue("seaweed")
    with closing(ObjectStore(Place(seaweed.bucket, f"{uuid.uuid4().hex}/", seaweed.access))) as objects:
        yield BucketShards(objects)


def test_a_new_shard_is_written_once(shards: Shards) -> None:
    assert shards.put(MANIFEST, b"first", seen=None)
    assert not shards.put(MANIFEST, b"second", seen=None)

    found = shards.get(MANIFEST)
    assert found is not None
    assert found.body == b"first"


def test_a_shard_is_replaced_only_in_the_version_that_was_seen(shards: Shards) -> None:
    """R0-24."""
    shards.put(MANIFEST, b"first", seen=None)
    first = shards.get(MANIFEST)
    assert first is not None

    assert shards.put(MANIFEST, b"second", seen=first.version)
    assert not shards.put(MANIFEST, b"third", seen=first.version)

    second = shards.get(MANIFEST)
    assert second is not None
    assert (second.body, second.version == first.version) == (b"second", False)


def test_a_shard_that_is_gone_is_not_replaced(shards: Shards) -> None:
    shards.put(MANIFEST, b"first", seen=None)
    first = shards.get(MANIFEST)
    assert first is not None
    shards.delete([MANIFEST, MANIFEST, f"{PENDING}absent.json"])

    assert not shards.put(MANIFEST, b"second", seen=first.version)
    assert shards.get(MANIFEST) is None


def test_of_two_that_replace_a_shard_at_once_one_does(shards: Shards) -> None:
    """R0-24."""
    shards.put(MANIFEST, b"first", seen=None)
    both_have_read = threading.Barrier(2)

    def replace(body: bytes) -> bool:
        shard = shards.get(MANIFEST)
        assert shard is not None
        meet(both_have_read)
        return shards.put(MANIFEST, body, seen=shard.version)

    assert sorted(at_once(lambda: replace(b"ours"), lambda: replace(b"theirs"))) == [False, True]


def test_the_manifest_and_what_is_pending_are_listed(shards: Shards) -> None:
    assert shards.facts() == {}

    for name in (MANIFEST, f"{PENDING}0-a.json", f"{PENDING}1-b.json", f"{MANIFEST}.damaged-1"):
        shards.put(name, name.encode(), seen=None)
    facts = shards.facts()

    expected = (MANIFEST, f"{PENDING}0-a.json", f"{PENDING}1-b.json")
    assert {name: fact.size for name, fact in facts.items()} == {name: len(name) for name in expected}
    assert all(abs(datetime.now(UTC) - fact.modified) < timedelta(minutes=2) for fact in facts.values())


def test_an_address_is_what_people_know(shards: Shards) -> None:
    assert shards.address(MANIFEST).endswith("/registry/manifest.json")
    assert shards.address(MANIFEST).startswith(("s3://tests/", "/"))


class MeetingShards:
    """Real shards, whose writers of the manifest wait for each other before they write."""

    def __init__(self, shards: Shards, both_have_read: threading.Barrier) -> None:
        self._shards = shards
        self._both_have_read = both_have_read
        self.address, self.get, self.facts, self.delete = shards.address, shards.get, shards.facts, shards.delete

    def put(self, name: str, body: bytes, *, seen: str | None) -> bool:
        if name == MANIFEST:
            meet(self._both_have_read)
        return self._shards.put(name, body, seen=seen)


def test_two_that_fold_at_once_lose_nothing(shards: Shards) -> None:
    """R0-24."""
    both_have_read = threading.Barrier(2)

    def write(name: str) -> None:
        manifest = ShardedManifest(MeetingShards(shards, both_have_read), clock=SystemClock())
        manifest.record([seen(name)])
        manifest.flush()

    at_once(lambda: write("a"), lambda: write("b"))

    assert list(shards.facts()) == [MANIFEST]
    assert set(ShardedManifest(shards, clock=SystemClock()).entries()) == {hash_of("a"), hash_of("b")}
    assert isinstance(shards.get(MANIFEST), Shard)
