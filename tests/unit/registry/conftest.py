"""A manifest in memory."""

from collections.abc import Callable

import pytest
from tests.unit.registry.memory_cells import MemoryCells

from blobforge.registry.manifest import Backoff, CellManifest
from blobforge.testing.clock import FakeClock

OpenAnother = Callable[[], CellManifest]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def shards(clock: FakeClock) -> MemoryCells:
    return MemoryCells(clock)


@pytest.fixture
def waits() -> list[float]:
    """How long it was waited, without anyone waiting."""
    return []


@pytest.fixture
def open_manifest(shards: MemoryCells, clock: FakeClock, waits: list[float]) -> OpenAnother:
    return lambda: CellManifest(shards, clock=clock, backoff=Backoff(sleep=waits.append, roll=lambda: 0.5))
