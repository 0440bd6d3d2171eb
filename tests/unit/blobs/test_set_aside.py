"""A file is set aside before it is deleted, and put back where it came to life."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from blobforge.blobs import set_aside
from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.ports.blob_store import BlobKey, BlobStat

KEY = BlobKey("outputs/ab/100% of it.zip")


@pytest.fixture
def store(tmp_path: Path) -> DirectoryBlobStore:
    return DirectoryBlobStore(tmp_path / "store")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"bytes")
    return path


@pytest.fixture
def seen(store: DirectoryBlobStore, file: Path) -> BlobStat:
    store.put(KEY, file)
    os.utime(store.address(KEY), (1_000_000_000, 1_000_000_000))
    (seen,) = store.list("")
    return seen


def once_it_is_set_aside(patch: pytest.MonkeyPatch, act: Callable[[Path], object]) -> None:
    rename, acts = Path.rename, [act]

    def renamed(path: Path, target: Path) -> Path:
        aside = rename(path, target)
        while acts:
            acts.pop()(aside)
        return aside

    patch.setattr(Path, "rename", renamed)


def deleted(store: DirectoryBlobStore, seen: BlobStat) -> bool:
    with store.clearing([seen.key]) as delete:
        return delete(seen)


def read(store: DirectoryBlobStore) -> bytes:
    with store.open(KEY) as stream:
        return stream.read()


def test_what_is_stored_anew_beside_what_was_set_aside_stays(
    store: DirectoryBlobStore, seen: BlobStat, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once_it_is_set_aside(monkeypatch, lambda _aside: store.put(KEY, file))

    assert deleted(store, seen) is True

    assert read(store) == b"bytes"


def test_who_renews_what_was_set_aside_is_told_to_store_it(
    store: DirectoryBlobStore, seen: BlobStat, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []
    once_it_is_set_aside(monkeypatch, lambda _aside: told.extend([store.renew(KEY), store.keep([KEY])]))

    assert deleted(store, seen) is True

    assert told == [None, {KEY}]


@pytest.mark.parametrize("has_links", [True, False])
def test_what_was_renewed_the_moment_it_was_set_aside_goes_back(
    store: DirectoryBlobStore, seen: BlobStat, monkeypatch: pytest.MonkeyPatch, has_links: bool
) -> None:
    """The path was found before, and the time set afterwards."""
    if not has_links:
        monkeypatch.setattr(os, "link", _refused)
    once_it_is_set_aside(monkeypatch, os.utime)

    assert deleted(store, seen) is False

    assert read(store) == b"bytes"
    assert list(store.leftovers()) == []


@pytest.mark.parametrize("has_links", [True, False])
def test_what_goes_back_replaces_nothing_that_was_stored_since(
    store: DirectoryBlobStore, seen: BlobStat, file: Path, monkeypatch: pytest.MonkeyPatch, has_links: bool
) -> None:
    if not has_links:
        monkeypatch.setattr(os, "link", _refused)
    file.write_bytes(b"stored since")

    def meanwhile(aside: Path) -> None:
        os.utime(aside)
        store.put(KEY, file)

    once_it_is_set_aside(monkeypatch, meanwhile)

    assert deleted(store, seen) is False

    assert read(store) == b"stored since"
    assert list(store.leftovers()) == []


class Killed(BaseException):
    """Nothing is cleaned up."""


def test_what_a_process_that_was_killed_has_set_aside_goes_back(
    store: DirectoryBlobStore, seen: BlobStat, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(_aside: Path) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        once_it_is_set_aside(patch, killed)
        with pytest.raises(Killed):
            deleted(store, seen)
    assert store.stat(KEY) is None

    assert list(store.leftovers()) == []

    assert read(store) == b"bytes"
    assert store.stat(KEY) == seen


def test_one_that_another_looked_for_left_overs_beside_is_there_again(
    store: DirectoryBlobStore, seen: BlobStat, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        once_it_is_set_aside(patch, lambda _aside: list(store.leftovers()))

        assert deleted(store, seen) is False

    assert read(store) == b"bytes"
    assert deleted(store, seen) is True


def test_a_file_of_another_user_cannot_be_renewed_and_is_to_be_stored(
    store: DirectoryBlobStore, seen: BlobStat, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_path: Path) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "utime", refused)

    assert store.renew(seen.key) is None


def test_what_is_set_aside_is_the_very_file_that_was_seen(
    store: DirectoryBlobStore, seen: BlobStat, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stored anew between the look and the rename."""
    look, looks = set_aside.looked_at, list[Path]()

    def looked_at(path: Path) -> os.stat_result:
        facts = look(path)
        looks.append(path)
        if len(looks) == 1:
            store.put(KEY, file)
        return facts

    monkeypatch.setattr(set_aside, "looked_at", looked_at)

    assert deleted(store, seen) is False

    assert read(store) == b"bytes"
    assert store.stat(KEY) != seen


def _refused(_source: object, _target: object) -> None:
    raise PermissionError(errno.EPERM, "Operation not permitted")
