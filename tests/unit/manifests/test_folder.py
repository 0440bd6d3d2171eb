"""The manifest as files: what is seen of a disk's troubles, and what is left behind."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from blobforge.clock import SystemClock
from blobforge.domain.errors import DiskFull, StoreUnavailable
from blobforge.manifests.folder import FolderShards
from blobforge.manifests.manifest import ShardedManifest
from blobforge.ports.shards import MANIFEST, PENDING
from blobforge.testing.manifest_contract import seen


@pytest.fixture
def shards(tmp_path: Path) -> FolderShards:
    return FolderShards(tmp_path / "store")


def test_after_a_flush_there_is_the_manifest_and_nothing_else_to_see(shards: FolderShards, tmp_path: Path) -> None:
    """R0-10."""
    manifest = ShardedManifest(shards, clock=SystemClock())
    manifest.record([seen("a")])
    manifest.flush()

    below = tmp_path / "store" / "registry"
    assert sorted(path.name for path in below.iterdir()) == [".lock", "manifest", "manifest.json"]
    assert list((below / "manifest").iterdir()) == []


@pytest.mark.timeout(20)
def test_a_pipe_in_the_place_of_the_manifest_is_never_waited_for(shards: FolderShards, tmp_path: Path) -> None:
    (tmp_path / "store" / "registry").mkdir(parents=True)
    os.mkfifo(tmp_path / "store" / "registry" / "manifest.json")

    with pytest.raises(StoreUnavailable, match="a pipe or a device"):
        shards.get(MANIFEST)


def test_a_disk_that_is_away_has_lost_nothing(shards: FolderShards, tmp_path: Path) -> None:
    shards.put(MANIFEST, b"{}", seen=None)
    (tmp_path / "store").rename(tmp_path / "away")

    for ask in (shards.facts, lambda: shards.get(MANIFEST), lambda: shards.put(MANIFEST, b"{}", seen=None)):
        with pytest.raises(StoreUnavailable, match=r"store(/registry cannot be reached| is not there)"):
            ask()
    assert not (tmp_path / "store").exists()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file")

    with pytest.raises(StoreUnavailable, match="store/registry cannot be reached"):
        FolderShards(tmp_path / "store")


def test_a_full_disk_is_reported_and_leaves_what_was_there(
    shards: FolderShards, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shards.put(MANIFEST, b"whole", seen=None)
    before = shards.get(MANIFEST)
    assert before is not None

    def no_space(_handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(DiskFull, match="no space left for the manifest"):
        shards.put(MANIFEST, b"half", seen=before.version)

    assert shards.get(MANIFEST) == before
    assert sorted(path.name for path in (tmp_path / "store" / "registry").iterdir()) == [
        *(".lock", "manifest", "manifest.json")
    ]


def test_a_folder_that_changes_while_it_is_listed_is_listed_again(
    shards: FolderShards, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shards.put(f"{PENDING}0-a.json", b"part", seen=None)
    listing = Path.iterdir
    looks = 0

    def gathered_meanwhile(folder: Path) -> Iterator[Path]:
        """As a system may answer: what goes is not shown any more, what comes is not shown yet."""
        nonlocal looks
        looks += 1
        if looks == 1:
            shards.put(f"{PENDING}1-b.json", b"whole", seen=None)
            shards.delete([f"{PENDING}0-a.json"])
            return iter(())
        return listing(folder)

    monkeypatch.setattr(Path, "iterdir", gathered_meanwhile)

    assert list(shards.facts()) == [f"{PENDING}1-b.json"]
