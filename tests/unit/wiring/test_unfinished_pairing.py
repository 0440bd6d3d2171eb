"""A process that dies between the writes that pair a queue with a store leaves nothing that others are refused for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from blobforge import wiring
from blobforge.config.settings import Settings
from blobforge.domain.errors import StoreMismatch
from blobforge.domain.pairing import MARK, KnownQueue, QueueIdentity, mark_body, read_mark
from blobforge.wiring import pairing
from blobforge.wiring.manifests import open_shards
from blobforge.wiring.pairing import check_pair, confirm_pair, require_only_queue, require_pair
from blobforge.wiring.queues import OpenedCoordinator


class Killed(BaseException):
    """The process ends here."""


class Dying:
    """A coordinator whose process is killed before or after its queue gets an identity."""

    def __init__(self, coordinator: Any, *, is_written: bool) -> None:
        self._coordinator = coordinator
        self._is_written = is_written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._coordinator, name)

    def identity(
        self, proposed: QueueIdentity | None = None, *, instead_of: QueueIdentity | None = None
    ) -> QueueIdentity | None:
        if proposed is None or self._is_written:
            kept: QueueIdentity | None = self._coordinator.identity(proposed, instead_of=instead_of)
        if proposed is not None:
            raise Killed
        return kept


@pytest.fixture(autouse=True)
def no_moment_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing, "A_MOMENT_SECONDS", 0)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Both on a disk that others reach too: at home a new queue is taken as it is."""
    disk = tmp_path / "disk"
    disk.mkdir()
    return Settings(home=tmp_path / "home", queue=f"sqlite:///{disk}/queue.db", store=(disk / "store").as_uri())


@contextmanager
def opening(settings: Settings) -> Iterator[OpenedCoordinator]:
    opened = wiring.open_coordinator(settings)
    yield opened
    opened.close()


@pytest.fixture
def opened(settings: Settings) -> Iterator[OpenedCoordinator]:
    with opening(settings) as opened:
        yield opened


def die_while_pairing(settings: Settings, opened: OpenedCoordinator, *, is_written: bool) -> None:
    dying: Any = Dying(opened.coordinator, is_written=is_written)
    with pytest.raises(Killed):
        require_pair(settings, replace(opened, coordinator=dying))


def served(settings: Settings) -> list[KnownQueue]:
    mark = open_shards(settings).get(MARK)
    return read_mark(None if mark is None else mark.body)


def is_identity_of(opened: OpenedCoordinator, queue: KnownQueue) -> bool:
    identity = opened.coordinator.identity()
    return identity is not None and identity.id == queue.id


@pytest.mark.parametrize("is_written", [False, True], ids=["before the identity", "after the identity"])
@pytest.mark.parametrize("use", [require_pair, require_only_queue])
def test_what_a_killed_process_began_is_finished_by_the_next(
    use: Callable[[Settings, OpenedCoordinator], None],
    settings: Settings,
    opened: OpenedCoordinator,
    *,
    is_written: bool,
) -> None:
    die_while_pairing(settings, opened, is_written=is_written)

    check_pair(settings, opened)
    use(settings, opened)

    (queue,) = served(settings)
    assert is_identity_of(opened, queue)


@pytest.mark.parametrize("is_written", [None, False, True], ids=["not at all", "before the identity", "after it"])
def test_a_queue_that_was_begun_anew_at_its_old_place_is_asked_about_whoever_was_killed(
    settings: Settings, *, is_written: bool | None
) -> None:
    """Its disk may not be mounted, and the jobs of before are there."""
    with opening(settings) as opened:
        if is_written is not None:
            die_while_pairing(settings, opened, is_written=is_written)
        require_pair(settings, opened)
    Path(settings.queue.removeprefix("sqlite:///")).unlink()

    with opening(settings) as anew, pytest.raises(StoreMismatch, match="was begun anew"):
        require_pair(settings, anew)


def test_what_another_queue_began_and_did_not_finish_is_asked_about(settings: Settings, tmp_path: Path) -> None:
    other = settings.model_copy(update={"queue": f"sqlite:///{tmp_path}/other.db"})
    with opening(other) as opened:
        die_while_pairing(other, opened, is_written=False)

    with opening(settings) as opened, pytest.raises(StoreMismatch, match=r"other\.db"):
        require_pair(settings, opened)


def test_what_a_confirmation_that_was_killed_left_is_named_once(settings: Settings, tmp_path: Path) -> None:
    other = settings.model_copy(update={"queue": f"sqlite:///{tmp_path}/other.db"})
    with opening(other) as opened:
        require_pair(other, opened)
        dying: Any = Dying(opened.coordinator, is_written=False)
        with pytest.raises(Killed):
            confirm_pair(other, replace(opened, coordinator=dying))

    with opening(settings) as opened, pytest.raises(StoreMismatch) as refused:
        require_pair(settings, opened)

    assert str(refused.value).count("other.db") == 1


@pytest.mark.parametrize("is_written", [False, True], ids=["before the identity", "after it"])
def test_a_confirmation_that_was_killed_leaves_no_queue_that_gc_would_wait_for(
    settings: Settings, opened: OpenedCoordinator, *, is_written: bool
) -> None:
    require_pair(settings, opened)
    dying: Any = Dying(opened.coordinator, is_written=is_written)
    with pytest.raises(Killed):
        confirm_pair(settings, replace(opened, coordinator=dying))

    require_only_queue(settings, opened)


def test_a_queue_of_the_same_name_that_was_used_since_is_waited_for(
    settings: Settings, opened: OpenedCoordinator
) -> None:
    """The same path on a machine of the same name: a container, or a copy of a machine."""
    require_pair(settings, opened)
    shards = open_shards(settings)
    there = shards.get(MARK)
    assert there is not None
    (ours,) = read_mark(there.body)
    shards.put(MARK, mark_body([ours, ours._replace(id="1" * 32)]), seen=there.version)

    with pytest.raises(StoreMismatch, match="is used by another queue too"):
        require_only_queue(settings, opened)


def test_a_process_that_only_paused_finds_what_another_finished_for_it(
    settings: Settings, opened: OpenedCoordinator
) -> None:
    """It wakes up with an identity that nobody wants any more."""

    class Paused(Dying):
        def identity(
            self, proposed: QueueIdentity | None = None, *, instead_of: QueueIdentity | None = None
        ) -> QueueIdentity | None:
            if proposed is not None:
                require_pair(settings, opened)
            kept: QueueIdentity | None = self._coordinator.identity(proposed, instead_of=instead_of)
            return kept

    paused: Any = Paused(opened.coordinator, is_written=True)
    require_pair(settings, replace(opened, coordinator=paused))

    (queue,) = served(settings)
    assert is_identity_of(opened, queue)
