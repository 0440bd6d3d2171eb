"""Blobs and the manifest after a power cut: what was told to be stored is there, whole."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.power_cut import recorded

from blobforge import durable_files
from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.blobs.directory_transfers import DirectoryTransfers
from blobforge.domain.ids import SourceHash
from blobforge.manifests.folder import FolderShards
from blobforge.ports.blob_store import BlobKey, source_key
from blobforge.ports.shards import MANIFEST

KEY = source_key(SourceHash("ab" * 32))
CONTENT = b"%PDF- a book"

Put = Callable[[DirectoryBlobStore, Path], object]


def put(store: DirectoryBlobStore, file: Path) -> object:
    return store.put(KEY, file)


def adopt(store: DirectoryBlobStore, file: Path) -> object:
    return store.adopt(KEY, file)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "book.pdf"
    path.write_bytes(CONTENT)
    return path


@pytest.mark.parametrize("store_it", [put, adopt])
def test_a_blob_that_was_stored_survives_a_power_cut(
    store_it: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recorded(monkeypatch, tmp_path) as cut:
        made = tmp_path / "made.pdf"
        made.write_bytes(CONTENT)
        store_it(DirectoryBlobStore(tmp_path / "store"), made)

        assert cut.left(tmp_path)[f"store/{KEY}"] == CONTENT
        assert cut.torn(tmp_path)[f"store/{KEY}"] == CONTENT


@pytest.mark.parametrize("store_it", [put, adopt])
def test_a_blob_has_its_name_only_once_its_bytes_are_on_the_disk(
    store_it: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut right after the rename: whoever finds the name takes the blob for whole."""
    made = tmp_path / "made.pdf"
    made.write_bytes(CONTENT)
    seen: list[bytes] = []
    with recorded(monkeypatch, tmp_path) as cut:
        store, rename = DirectoryBlobStore(tmp_path / "store"), Path.replace

        def renamed(path: Path, target: Path) -> Path:
            moved = rename(path, target)
            if target.name == Path(KEY).name:
                seen.append(cut.torn(tmp_path)[f"store/{KEY}"])
            return moved

        monkeypatch.setattr(Path, "replace", renamed)
        store_it(store, made)

    assert seen == [CONTENT]


def test_another_name_of_a_blob_survives_a_power_cut_without_its_bytes_being_synced_again(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recorded(monkeypatch, tmp_path) as cut:
        store, named = DirectoryBlobStore(tmp_path / "store"), BlobKey("outputs/ab/c.zip")
        store.put(KEY, file)
        store.put(named, file)
        before = cut.syncs

        DirectoryTransfers(store).copy(KEY, named)

        assert cut.syncs == before + 1
        assert cut.left(tmp_path)[f"store/{named}"] == CONTENT


@pytest.mark.parametrize("forgotten", ["sync_file", "sync_folder"])
@pytest.mark.parametrize("store_it", [put, adopt])
def test_the_simulation_notices_a_sync_that_is_left_out(
    store_it: Put, forgotten: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recorded(monkeypatch, tmp_path) as cut:
        sync_folder, sync_file = durable_files.sync_folder, durable_files.sync_file
        monkeypatch.setattr(
            durable_files, "sync_folder", lambda path: None if forgotten == "sync_folder" else sync_folder(path)
        )
        monkeypatch.setattr(
            durable_files,
            "sync_file",
            lambda path: sync_file(path) if Path(path).is_dir() or forgotten != "sync_file" else None,
        )

        made = tmp_path / "made.pdf"
        made.write_bytes(CONTENT)
        store_it(DirectoryBlobStore(tmp_path / "store"), made)

        assert cut.left(tmp_path).get(f"store/{KEY}") != CONTENT


def test_a_store_that_nobody_relies_on_waits_for_no_disk(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recorded(monkeypatch, tmp_path) as cut:
        store, before = DirectoryBlobStore(tmp_path / "store", durable=False), cut.syncs

        store.put(KEY, file)

        assert cut.syncs == before


def test_the_manifest_survives_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with recorded(monkeypatch, tmp_path) as cut:
        FolderShards(tmp_path / "store").put(MANIFEST, b"entries", seen=None)

        assert cut.left(tmp_path)[f"store/{MANIFEST}"] == b"entries"
