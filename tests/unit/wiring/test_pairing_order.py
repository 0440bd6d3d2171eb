"""A queue and a store are paired by two writes: whoever looks between them must not take them for strangers."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from blobforge import wiring
from blobforge.config.settings import Settings
from blobforge.domain.pairing import QueueIdentity
from blobforge.wiring.pairing import check_pair, require_pair
from blobforge.wiring.queues import OpenedCoordinator


class Watched:
    """A coordinator that lets another process look in the very moment in which its queue got an identity."""

    def __init__(self, watched: Any, look: Callable[[], None]) -> None:
        self._watched = watched
        self._look = look

    def __getattr__(self, name: str) -> Any:
        return getattr(self._watched, name)

    def identity(
        self, proposed: QueueIdentity | None = None, *, instead_of: QueueIdentity | None = None
    ) -> QueueIdentity | None:
        kept: QueueIdentity | None = self._watched.identity(proposed, instead_of=instead_of)
        if proposed is not None:
            self._look()
        return kept


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Both on a disk that others reach too: at home a new store is taken as it is."""
    disk = tmp_path / "disk"
    disk.mkdir()
    return Settings(home=tmp_path / "home", queue=f"sqlite:///{disk}/queue.db", store=(disk / "store").as_uri())


@pytest.fixture
def opened(settings: Settings) -> Iterator[OpenedCoordinator]:
    opened = wiring.open_coordinator(settings)
    yield opened
    opened.close()


def test_who_finds_the_identity_of_a_queue_finds_it_in_the_store_too(
    settings: Settings, opened: OpenedCoordinator
) -> None:
    """The store is marked first. Otherwise a machine that starts in between is told to set another store."""
    looks: list[QueueIdentity | None] = []

    def look() -> None:
        looks.append(opened.coordinator.identity())
        check_pair(settings, opened)

    watched: Any = Watched(opened.coordinator, look)
    require_pair(settings, replace(opened, coordinator=watched))

    assert looks == [opened.coordinator.identity()]
    assert looks != [None]
