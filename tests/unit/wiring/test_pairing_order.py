"""A queue and a store are paired by two writes: whoever looks between them must not take them for strangers."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from blobforge import wiring
from blobforge.config.settings import Settings
from blobforge.domain.pairing import QueueIdentity
from blobforge.wiring import pairing
from blobforge.wiring.manifests import open_shards
from blobforge.wiring.pairing import check_pair, confirm_pair, require_pair
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


class Interrupted:
    """Something else happens just after one of the calls, the first of which has the number 0."""

    def __init__(self, number: int, meanwhile: Callable[[], object]) -> None:
        self._number = number
        self._meanwhile = meanwhile
        self.calls = 0

    def around(self, target: Any) -> Any:
        return _Counted(target, self)

    def called(self) -> None:
        self.calls += 1
        if self.calls == self._number + 1:
            self._meanwhile()


class _Counted:
    def __init__(self, target: Any, interrupted: Interrupted) -> None:
        self._target = target
        self._interrupted = interrupted

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._target, name)

        def call(*args: Any, **facts: Any) -> Any:
            answer = method(*args, **facts)
            self._interrupted.called()
            return answer

        return call


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


@pytest.mark.parametrize(
    ("pair", "number"),
    [(require_pair, 0), (require_pair, 1), (require_pair, 2), (require_pair, 3), (confirm_pair, 0), (confirm_pair, 1)],
)
def test_who_looks_while_another_process_pairs_them_sees_no_strangers(
    pair: Callable[[Settings, OpenedCoordinator], object],
    number: int,
    settings: Settings,
    opened: OpenedCoordinator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At whatever moment of the look, and without a second one later."""
    if pair is confirm_pair:
        require_pair(settings, opened)
    before = opened.coordinator.identity()
    interrupted = Interrupted(number, meanwhile=lambda: pair(settings, opened))
    monkeypatch.setattr(pairing, "open_shards", lambda asked: interrupted.around(open_shards(asked)))
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("they were taken for strangers"))

    check_pair(settings, replace(opened, coordinator=interrupted.around(opened.coordinator)))

    assert opened.coordinator.identity() != before, "they were paired meanwhile"
