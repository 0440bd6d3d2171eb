"""The bucket in memory answers as a real one: the same calls of the real client give the same on both."""

import random
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from tests.seaweed import Seaweed

from blobforge.objectstore import transfers
from blobforge.objectstore.client import ObjectStore, Only
from blobforge.objectstore.place import Place
from blobforge.testing.clock import START
from blobforge.testing.simulated_bucket import SimulatedBucket

NAMES = ("a/1", "a/1.g2", "a/10", "a/2", "a/ä", "b/1", "b/x/1", "b/x/2", "c")
"""SeaweedFS lists folders, not bytes; among these names the two orders are one."""
BODIES = (b"", b"one", b"two", b"three")

Call = Callable[[ObjectStore], object]


@pytest.fixture
def real(seaweed: Seaweed) -> Iterator[ObjectStore]:
    with closing(ObjectStore(Place(seaweed.bucket, f"{uuid.uuid4().hex}/", seaweed.access))) as store:
        yield store


@pytest.mark.parametrize("seed", range(4))
def test_the_same_calls_give_the_same_on_a_real_server(real: ObjectStore, seed: int) -> None:
    simulated = SimulatedBucket().objects()
    chance = random.Random(seed)
    calls = [_drawn(chance) for _ in range(150)]

    answers = [(call(simulated), call(real)) for call in calls]

    assert [(number, *pair) for number, pair in enumerate(answers) if pair[0] != pair[1]] == []


def test_a_file_in_parts_is_the_same_on_a_real_server(
    real: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfers, "PART_SIZE", 5 * 1024 * 1024)
    source = tmp_path / "large"
    source.write_bytes(bytes(range(256)) * 4096 * 11)
    simulated = SimulatedBucket().objects()

    for store in (simulated, real):
        transfers.upload(store, "large", source)

    here, there = simulated.head("large"), real.head("large")
    assert here is not None
    assert there is not None
    assert (here.size, here.etag) == (there.size, there.etag)


def test_time_is_that_of_the_bucket_once_it_has_answered() -> None:
    bucket = SimulatedBucket(latency=timedelta(seconds=1))
    objects = bucket.objects()

    objects.put("a", b"one")
    objects.put("a", b"two")

    assert objects.now() == START + timedelta(seconds=2)


def _drawn(chance: random.Random) -> Call:
    name, body = chance.choice(NAMES), chance.choice(BODIES)
    kind = chance.choice(["put", "put", "new", "over", "over", "get", "head", "delete", "many", "page", "page", "all"])
    after, limit, other = chance.choice([None, *NAMES]), chance.choice([1, 2, 1000]), chance.choice(NAMES)
    guess = chance.choice(BODIES)
    calls: dict[str, Call] = {
        "put": lambda store: store.put(name, body),
        "new": lambda store: store.put(name, body, only=Only(if_new=True)),
        "over": lambda store: store.put(name, body, only=Only(if_etag=_etag(store, name, guess))),
        "get": lambda store: (stored := store.get(name)) and stored._replace(modified=START),
        "head": lambda store: (facts := store.head(name)) and facts._replace(modified=START),
        "delete": lambda store: store.delete(name),
        "many": lambda store: store.delete_many([name, other]),
        "page": lambda store: [facts.name for facts in store.page(name[:1], after=after, limit=limit)],
        "all": lambda store: [facts._replace(modified=START) for facts in store.all("")],
    }
    return calls[kind]


def _etag(store: ObjectStore, name: str, guess: bytes) -> str:
    """Of what is there when it is the guessed one, and else one that is not there."""
    there = store.get(name)
    return there.etag if there is not None and there.body == guess else '"00000000000000000000000000000000"'
