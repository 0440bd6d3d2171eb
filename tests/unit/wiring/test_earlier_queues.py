"""A queue in a file that was lost, copied or moved: the store remembers it, and `gc` waits for a person's word."""

import re
import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from blobforge import wiring
from blobforge.config.settings import Settings
from blobforge.domain.errors import StoreMismatch
from blobforge.domain.pairing import MARK, KnownQueue, read_mark
from blobforge.wiring.manifests import open_shards
from blobforge.wiring.pairing import (
    confirm_only_queue,
    confirm_pair,
    doubt_about_pair,
    require_only_queue,
    require_pair,
)
from blobforge.wiring.queues import OpenedCoordinator


@contextmanager
def opening(settings: Settings) -> Iterator[OpenedCoordinator]:
    opened = wiring.open_coordinator(settings)
    yield opened
    opened.close()


def used(settings: Settings) -> None:
    with opening(settings) as opened:
        require_pair(settings, opened)


def refusal_of_gc(settings: Settings) -> str | None:
    with opening(settings) as opened:
        doubt = doubt_about_pair(settings, opened)
        with nullcontext() if doubt is None else pytest.raises(StoreMismatch, match=re.escape(doubt)):
            require_only_queue(settings, opened)
    return doubt


def said_to_be_alone(settings: Settings) -> None:
    with opening(settings) as opened:
        confirm_only_queue(settings, opened)


def served(settings: Settings) -> list[KnownQueue]:
    mark = open_shards(settings).get(MARK)
    return read_mark(None if mark is None else mark.body)


def at(home: Path, store: Path | None = None) -> Settings:
    store = store or home / "blobs"
    return Settings(home=home, queue=f"sqlite:///{home}/queue.db", store=store.as_uri())


@pytest.fixture
def home(tmp_path: Path) -> Settings:
    (tmp_path / "home").mkdir()
    settings = at(tmp_path / "home")
    used(settings)
    return settings


@pytest.fixture
def copied(home: Settings, tmp_path: Path) -> Settings:
    """With the store of the original."""
    shutil.copytree(home.home, tmp_path / "copied")
    return at(tmp_path / "copied", home.home / "blobs")


def test_a_new_queue_at_the_address_of_a_lost_one_is_another_queue(home: Settings) -> None:
    for path in home.home.glob("queue.db*"):
        path.unlink()
    used(home)

    assert "an earlier one at the same address" in (refusal_of_gc(home) or "")
    said_to_be_alone(home)
    assert refusal_of_gc(home) is None


def test_a_queue_that_gets_another_identity_by_a_confirmation_is_no_earlier_one(home: Settings) -> None:
    with opening(home) as opened:
        confirm_pair(home, opened)

    assert refusal_of_gc(home) is None
    assert len(served(home)) == 1


def test_a_copy_is_refused_and_leaves_no_trace_unless_it_is_used(home: Settings, copied: Settings) -> None:
    assert f"{home.home}/queue.db" in (refusal_of_gc(copied) or "")
    assert refusal_of_gc(home) is None

    used(copied)
    used(copied)

    assert f"{copied.home}/queue.db" in (refusal_of_gc(home) or "")
    assert f"{home.home}/queue.db" in (refusal_of_gc(copied) or "")
    assert len(served(home)) == 2


def test_a_copy_that_is_confirmed_is_a_queue_of_its_own_and_the_original_stays_known(
    home: Settings, copied: Settings
) -> None:
    with opening(copied) as opened:
        confirm_pair(copied, opened)

    used(home)
    with opening(home) as opened, pytest.raises(StoreMismatch, match=f"by another queue too, {copied.queue}"):
        require_only_queue(home, opened)
    assert [queue.called.partition(" on ")[0] for queue in served(home)] == [home.queue, copied.queue]


def test_a_queue_that_was_moved_is_alone_once_somebody_has_said_so(home: Settings, tmp_path: Path) -> None:
    store = tmp_path / "disk"
    shutil.move(home.home / "blobs", store)
    shutil.move(home.home, tmp_path / "moved")
    moved = at(tmp_path / "moved", store)
    used(moved)

    assert "If it was moved" in (refusal_of_gc(moved) or "")
    said_to_be_alone(moved)
    assert refusal_of_gc(moved) is None
    assert [queue.called for queue in served(moved)] == [f"{moved.queue} on {socket.gethostname()}"]


@pytest.mark.parametrize("way", [shutil.move, shutil.copytree])
def test_a_home_that_goes_with_its_store_needs_no_word(
    way: Callable[[Path, Path], object], home: Settings, tmp_path: Path
) -> None:
    way(home.home, tmp_path / "gone")
    gone = at(tmp_path / "gone")

    assert refusal_of_gc(gone) is None
    used(gone)
    assert refusal_of_gc(gone) is None
    assert len(served(gone)) == 1


def test_a_container_with_another_name_at_each_start_is_asked_nothing_where_all_is_in_its_home(
    home: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("3f2a", "77b1"):
        monkeypatch.setattr(socket, "gethostname", lambda name=name: name)
        used(home)
        assert refusal_of_gc(home) is None

    assert len(served(home)) == 1


def test_another_machine_with_a_copy_at_the_same_path_is_another_place(
    home: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = at(home.home, tmp_path / "disk")
    with opening(disk) as opened:
        confirm_pair(disk, opened)
    monkeypatch.setattr(socket, "gethostname", lambda: "another")

    assert "from another place" in (refusal_of_gc(disk) or "")


def test_a_link_leads_to_the_same_queue(home: Settings, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(home.home)
    linked = at(tmp_path / "link", home.home / "blobs")
    used(linked)

    assert refusal_of_gc(linked) is None
    assert len(served(home)) == 1
