"""A manifest in memory."""

from collections.abc import Callable

import pytest
from tests.unit.manifests.memory_shards import MemoryShards

from blobforge.manifests.manifest import Backoff, ShardedManifest
from blobforge.testing.clock import FakeClock

OpenAnother = Callable[[], ShardedManifest]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def shards(clock: FakeClock) -> MemoryShards:
    return MemoryShards(clock)


@pytest.fixture
def waits() -> list[float]:
    """How long it was waited, without anyone waiting."""
    return []


@pytest.fixture
def open_manifest(shards: MemoryShards, clock: FakeClock, waits: list[float]) -> OpenAnother:
    return lambda: ShardedManifest(shards, clock=clock, backoff=Backoff(sleep=waits.append, roll=lambda: 0.5))
