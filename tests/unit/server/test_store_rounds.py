"""Uploads that nobody told of, and uploads that nobody finished: over a folder and over a bucket."""

import hashlib
import logging
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.seaweed import Seaweed
from tests.server_parts import bucket_of, store_in
from tests.server_scene import Scene, document, hash_of, scene_in

from blobforge.blobs.bucket import BucketBlobStore
from blobforge.domain.account import Role
from blobforge.domain.ids import JobId
from blobforge.domain.lifecycle import lacks_source
from blobforge.domain.uploads import PART_SIZE
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import Place
from blobforge.ports.blob_store import BlobKey, BlobStore
from blobforge.server import store_rounds

CONTENT = document("a")
DAY = 24 * 3600
LARGE = b"x" * (PART_SIZE + 1)


@pytest.fixture(params=["folder", "bucket"])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    with ExitStack() as stack:
        if request.param == "folder":
            store = store_in(tmp_path)
        else:
            seaweed: Seaweed = request.getfixturevalue("seaweed")
            place = Place(seaweed.bucket, f"{uuid.uuid4().hex}/", seaweed.access)
            store = bucket_of(stack.enter_context(closing(ObjectStore(place))))
        yield stack.enter_context(scene_in(tmp_path, store=store))


def announced(people: httpx2.Client, name: str = "a") -> tuple[JobId, str]:
    message = {"source_hash": hash_of(name), "source_size": len(document(name))}
    created = people.post("/api/jobs", json=message).json()
    return JobId(created["job_id"]), created["upload_url"]


def uploaded(scene: Scene, url: str, content: bytes) -> None:
    """As a client does it that is gone then; the server was killed before it looked."""
    if "/blobs/incoming/" in url:
        key = BlobKey(url.partition("/blobs/")[2].partition("?")[0])
        path = scene.folder / "upload"
        path.write_bytes(content)
        scene.parts.files.blobs.adopt(key, path)
    else:
        assert scene.client().put(url, content=content).is_success


def test_a_source_that_nobody_told_of_is_found(scene: Scene) -> None:
    job_id, url = announced(scene.having(Role.OPERATOR))
    uploaded(scene, url, CONTENT)
    scene.clock.advance(seconds=9)
    scene.tick()
    assert lacks_source(scene.queue.get(job_id))

    scene.clock.advance(seconds=1)
    scene.tick()

    assert not lacks_source(scene.queue.get(job_id))
    assert scene.worker().get("/api/jobs/claim").json()["job"]["id"] == job_id
    assert list(scene.parts.files.blobs.list("incoming/")) == []


def test_a_server_that_was_started_again_finds_it_as_well(scene: Scene) -> None:
    """Each `tick` of a scene is a new one, which remembers nothing."""
    job_id, url = announced(scene.having(Role.OPERATOR))
    scene.clock.advance(hours=5)
    scene.tick()
    uploaded(scene, url, CONTENT)

    scene.tick()

    assert not lacks_source(scene.queue.get(job_id))


def test_other_bytes_are_thrown_away_and_the_job_waits_on(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    job_id, url = announced(scene.having(Role.OPERATOR))
    uploaded(scene, url, CONTENT[::-1])
    scene.clock.advance(seconds=10)

    with caplog.at_level(logging.WARNING):
        scene.tick()

    assert lacks_source(scene.queue.get(job_id))
    assert list(scene.parts.files.blobs.list("")) == []
    assert "not the announced document" in caplog.text


class Counting:
    """Counts the listings of a store."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs
        self.listings = 0

    def __getattr__(self, name: str) -> Any:
        self.listings += name == "list"
        return getattr(self._blobs, name)


def listings_in_a_day(scene: Scene, rounds: store_rounds.StoreRounds) -> int:
    counting = Counting(scene.parts.files.blobs)
    object.__setattr__(scene.parts.files, "blobs", counting)
    # Every ten seconds, as the tick comes; where the next look is far away, every ten minutes do.
    for seconds in [10] * 60 + [600] * (DAY // 600):
        scene.clock.advance(seconds=seconds)
        rounds._find_uploads()
    return counting.listings


def test_it_is_looked_ever_more_seldom_and_no_more_in_the_end(scene: Scene) -> None:
    people = scene.having(Role.OPERATOR)
    for name in "abc":
        announced(people, name)
    rounds = store_rounds.StoreRounds(scene.parts)

    first, second = (listings_in_a_day(scene, rounds) for _ in range(2))

    assert (first, second) == (14, 0)


def test_where_nobody_announced_anything_nothing_is_asked_of_the_store(scene: Scene) -> None:
    scene.job("a")

    assert listings_in_a_day(scene, store_rounds.StoreRounds(scene.parts)) == 0


def test_of_many_that_came_at_once_some_are_read_in_each_round(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_rounds, "MOST_PLACED", 2)
    people = scene.having(Role.OPERATOR)
    for name in "abc":
        uploaded(scene, announced(people, name)[1], document(name))
    scene.clock.advance(seconds=10)
    rounds = store_rounds.StoreRounds(scene.parts)

    assert [rounds._find_uploads() for _ in range(3)] == [2, 1, 0]


def begun_in_parts(scene: Scene) -> None:
    message = {"source_hash": hashlib.sha256(LARGE).hexdigest(), "size": len(LARGE)}
    given = scene.having(Role.OPERATOR).post("/api/queue/source-parts", json=message).json()
    to = given["parts"][0]["to"]
    assert scene.client().put(to["url"], content=LARGE[:PART_SIZE], headers=to["headers"]).is_success


def on_its_way(scene: Scene) -> tuple[int, int]:
    """How many uploads in parts, and how many that are whole and have no place."""
    far = scene.clock.now() + timedelta(days=100_000)
    blobs: BlobStore = scene.parts.files.blobs
    whole = [*blobs.list("incoming/"), *blobs.list("outputs/.attempts/")]
    return len(list(scene.parts.files.multipart._multipart.abandoned("", before=far))), len(whole)


def test_what_nobody_goes_on_with_is_cleared_away_after_two_days(scene: Scene) -> None:
    begun_in_parts(scene)
    path = scene.folder / "upload"
    path.write_bytes(b"left by somebody")
    blobs = scene.parts.files.blobs
    blobs.adopt(BlobKey("outputs/.attempts/1-1-0123456789abcdef-0123456789abcdef.zip"), path)
    received = scene.parts.files.workspace / "upload-by-a-server-that-was-killed"
    received.write_bytes(b"half of something")
    source = scene.store("a")
    # Files and objects have the time of the machine.
    stored = blobs.stat(source)
    assert stored is not None
    scene.clock.advance(seconds=(stored.modified - scene.clock.now()).total_seconds() + 2 * DAY - 3600)
    scene.tick()
    assert on_its_way(scene) == (1, 1)
    assert received.exists()

    scene.clock.advance(hours=2)
    scene.tick()

    assert on_its_way(scene) == (0, 0)
    assert not received.exists()
    assert blobs.stat(source) is not None


@pytest.mark.parametrize("scene", ["bucket"], indirect=True)
def test_an_upload_of_somebody_who_has_the_keys_of_the_bucket_is_left_alone(scene: Scene) -> None:
    blobs = scene.parts.files.blobs
    assert isinstance(blobs, BucketBlobStore)
    blobs._objects.transfer("create_multipart_upload", "sources/x.pdf")
    scene.clock.advance(days=100_000)

    scene.tick()

    assert [name for name, _, _ in blobs._objects.uploads()] == ["sources/x.pdf"]
