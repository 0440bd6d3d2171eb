"""What a folder of blobs does beyond the contract: other disks, full ones, absent ones, and its URL."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from blobforge.blobs.directory import DirectoryBlobStore, open_store
from blobforge.blobs.directory_transfers import DirectoryTransfers
from blobforge.domain.errors import (
    DiskFull,
    InvalidSettings,
    InvalidValue,
    NotFound,
    ResultDamaged,
    SourceUnreadable,
    StoreUnavailable,
)
from blobforge.domain.ids import RecipeId
from blobforge.ports.blob_store import BlobKey, StoreOptions, result_key, source_key
from blobforge.testing.builders import hash_of

KEY = BlobKey("outputs/a.zip")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def store(root: Path) -> DirectoryBlobStore:
    return DirectoryBlobStore(root)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.zip"
    path.write_bytes(b"content")
    return path


def everything_in(root: Path) -> list[str]:
    """Without the token by which the folder is known."""
    found = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return sorted(str(path) for path in found if path.name != ".token")


def refuse_to_copy(monkeypatch: pytest.MonkeyPatch, error: OSError) -> None:
    def refuse(_source: Path, target: Path) -> None:
        Path(target).write_bytes(b"cont")
        raise error

    def refuse_the_rest(_source: BinaryIO, target: BinaryIO, _at_once: int) -> None:
        target.write(b"cont")
        raise error

    monkeypatch.setattr(shutil, "copyfile", refuse)
    monkeypatch.setattr(shutil, "copyfileobj", refuse_the_rest)


def test_a_blob_lies_where_its_key_says(store: DirectoryBlobStore, root: Path, file: Path) -> None:
    store.put(KEY, file)

    assert everything_in(root) == ["outputs/a.zip"]
    assert store.local_path(KEY) == root / "outputs" / "a.zip"


def test_a_file_on_another_disk_is_adopted_by_a_copy(
    store: DirectoryBlobStore, root: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.replace

    def only_within_a_disk(source: Path, target: Path) -> None:
        if Path(source) == file:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(source), None, str(target))
        rename(source, target)

    monkeypatch.setattr(os, "replace", only_within_a_disk)

    assert store.adopt(KEY, file).size == 7

    assert not file.exists()
    assert everything_in(root) == ["outputs/a.zip"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_leaves_the_old_blob_and_no_half_of_the_new(
    store: DirectoryBlobStore, root: Path, file: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    store.put(KEY, file)
    refuse_to_copy(monkeypatch, OSError(code, os.strerror(code)))

    with pytest.raises(DiskFull, match=rf"{root} for outputs/a\.zip; make room there"):
        store.put(KEY, file)
    with pytest.raises(DiskFull, match=f"fetched: no space left on the disk; make room in {file.parent}$"):
        store.fetch(KEY, file.with_name("fetched"))

    assert everything_in(root) == ["outputs/a.zip"]
    assert (root / KEY).read_bytes() == b"content"


def test_the_left_over_of_an_interrupted_copy_is_listed_and_cleared(
    store: DirectoryBlobStore, root: Path, file: Path
) -> None:
    store.put(KEY, file)
    (root / ".incoming" / "half").write_bytes(b"con")

    (left,) = store.leftovers()
    store.clear(left)

    assert (left.name, left.size) == ("half", 3)
    assert list(store.leftovers()) == []
    assert everything_in(root) == ["outputs/a.zip"]


def test_a_source_that_may_not_be_read_is_said_to_be_that(
    store: DirectoryBlobStore, root: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_to_copy(monkeypatch, PermissionError(errno.EACCES, "Permission denied", str(file)))

    with pytest.raises(SourceUnreadable, match="Permission denied"):
        store.put(KEY, file)

    assert everything_in(root) == []


def test_a_disk_that_fails_is_unavailable(
    store: DirectoryBlobStore, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put(KEY, file)
    failure = OSError(errno.EIO, "Input/output error")

    def fail(*_args: object, **_kwargs: object) -> None:
        raise failure

    monkeypatch.setattr(os, "unlink", fail)
    with pytest.raises(StoreUnavailable, match="Input/output error"):
        store.delete(KEY)

    monkeypatch.setattr(os, "stat", fail)
    with pytest.raises(StoreUnavailable, match="Input/output error"):
        store.stat(KEY)


def test_a_store_whose_folder_went_away_is_unavailable_and_not_empty(
    store: DirectoryBlobStore, root: Path, file: Path
) -> None:
    store.put(KEY, file)
    root.rename(root.with_name("unmounted"))

    for call in (store.stat, store.open, store.local_path, store.delete):
        with pytest.raises(StoreUnavailable, match="is not there"):
            call(KEY)
    with pytest.raises(StoreUnavailable):
        store.put(KEY, file)
    with pytest.raises(StoreUnavailable):
        store.fetch(KEY, file.with_name("fetched"))
    with pytest.raises(StoreUnavailable, match="is not there"):
        list(store.list(""))


def test_a_blob_that_is_deleted_while_others_are_listed_is_left_out(store: DirectoryBlobStore, file: Path) -> None:
    for name in "abc":
        store.put(BlobKey(name), file)

    listing = store.list("")
    first = next(listing)
    store.delete(BlobKey("b"))

    assert [first.key, *(blob.key for blob in listing)] == ["a", "c"]


def test_a_key_below_another_cannot_be_stored_in_a_folder(store: DirectoryBlobStore, file: Path) -> None:
    store.put(KEY, file)

    with pytest.raises(InvalidValue, match="beginning of another"):
        store.put(BlobKey("outputs/a.zip/below"), file)
    with pytest.raises(InvalidValue, match="beginning of another"):
        store.adopt(BlobKey("outputs"), file)

    assert file.exists()


def test_a_name_that_is_too_long_for_a_file_is_refused(store: DirectoryBlobStore, file: Path) -> None:
    with pytest.raises(InvalidValue, match="too long"):
        store.put(BlobKey("a" * 256), file)
    with pytest.raises(InvalidValue, match="too long"):
        store.stat(BlobKey("a" * 256))


def test_the_folder_of_incoming_blobs_is_no_key(store: DirectoryBlobStore, root: Path, file: Path) -> None:
    store.put(KEY, file)
    (root / ".incoming" / "half").write_bytes(b"hal")
    store.delete(KEY)

    with pytest.raises(InvalidValue):
        store.stat(BlobKey(".incoming/half"))
    assert list(store.list("")) == []


def test_a_folder_that_cannot_be_made_is_unavailable(file: Path) -> None:
    store = DirectoryBlobStore(file / "store")

    with pytest.raises(StoreUnavailable, match="cannot be made: Not a directory"):
        store.put(KEY, file)


def test_a_file_in_the_place_of_a_store_is_named(file: Path) -> None:
    with pytest.raises(StoreUnavailable, match=r"a\.zip cannot be used: Not a directory"):
        DirectoryBlobStore(file)


def test_who_only_looks_into_a_store_leaves_nothing_there(store: DirectoryBlobStore, root: Path) -> None:
    assert store.stat(KEY) is None
    assert list(store.list("")) == []
    assert list(store.leftovers()) == []
    store.delete(KEY)
    with pytest.raises(NotFound):
        store.open(KEY)

    assert not root.exists()


@pytest.mark.parametrize("made_by", ["nobody", "another process", "an older release"])
def test_an_empty_mount_point_is_no_store(
    made_by: str, store: DirectoryBlobStore, root: Path, file: Path, tmp_path: Path
) -> None:
    store.put(KEY, file)
    root.rename(tmp_path / "disk")
    root.mkdir()
    if made_by == "another process":
        DirectoryBlobStore(root).put(BlobKey("another"), file)
    if made_by == "an older release":
        (root / ".incoming").mkdir()

    with pytest.raises(StoreUnavailable, match="mount it"):
        store.adopt(BlobKey("result"), file)
    with pytest.raises(StoreUnavailable, match="mount it"):
        store.stat(KEY)
    assert file.exists()

    shutil.rmtree(root)
    (tmp_path / "disk").rename(root)
    store.adopt(BlobKey("result"), file)
    assert everything_in(root) == [KEY, "result"]


def test_a_store_that_may_only_be_read_is_read_without_a_token(
    root: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    DirectoryBlobStore(root).put(KEY, file)
    (root / ".incoming" / ".token").unlink()

    def refuse(*_args: object, **_kwargs: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "write_text", refuse)
    store = DirectoryBlobStore(root)

    assert store.stat(KEY) is not None
    assert store.stat(BlobKey("another")) is None
    root.rename(root.with_name("away"))
    with pytest.raises(StoreUnavailable, match="is not there"):
        store.stat(KEY)


def test_a_store_of_an_older_release_is_known_again(root: Path, file: Path) -> None:
    (root / ".incoming").mkdir(parents=True)
    first, second = DirectoryBlobStore(root), DirectoryBlobStore(root)

    first.put(KEY, file)
    second.put(KEY, file)

    assert everything_in(root) == [KEY]


@pytest.mark.parametrize("form", ["file://{}", "file://localhost{}"])
def test_a_store_is_opened_by_its_url(tmp_path: Path, file: Path, form: str) -> None:
    folder = tmp_path / "my store"

    open_store(form.format(str(folder).replace(" ", "%20")), StoreOptions()).put(KEY, file)

    assert (folder / KEY).read_bytes() == b"content"


@pytest.mark.parametrize("url", ["file://", "file:///", "file://server/share", "file:relative"])
def test_a_url_that_names_no_folder_is_refused(url: str) -> None:
    with pytest.raises(InvalidSettings, match="write file:///path/to/folder"):
        open_store(url, StoreOptions())


def test_sources_and_results_have_their_keys() -> None:
    source_hash = hash_of("a")

    assert source_key(source_hash) == f"sources/{source_hash}.pdf"
    assert source_key(source_hash, suffix=".txt") == f"sources/{source_hash}.txt"
    assert result_key(source_hash, RecipeId("r1")) == f"outputs/{source_hash[:2]}/{source_hash}-r1.zip"


def test_a_store_whose_folder_is_away_is_not_created_again(tmp_path: Path) -> None:
    store, result = DirectoryBlobStore(tmp_path / "disk"), tmp_path / "result.zip"
    result.write_bytes(b"zip")
    store.put(BlobKey("another"), result)
    (tmp_path / "disk").rename(tmp_path / "taken away")

    with pytest.raises(StoreUnavailable, match="disk is not there"):
        store.adopt(KEY, result)

    assert not (tmp_path / "disk").exists()
    assert result.exists()


@pytest.mark.timeout(20)
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["pipe", "device"])
def test_a_pipe_or_a_device_in_the_place_of_a_blob_is_refused_by_every_reader_and_replaced_by_a_new_one(
    store: DirectoryBlobStore, root: Path, file: Path, make: Callable[[Path], None]
) -> None:
    (root / KEY).parent.mkdir(parents=True)
    make(root / KEY)

    with pytest.raises(ResultDamaged, match="a pipe or a device"):
        store.open(KEY)
    with pytest.raises(ResultDamaged, match="a pipe or a device"):
        store.fetch(KEY, file.with_name("fetched"))
    assert (store.stat(KEY), store.local_path(KEY)) == (None, None)

    store.adopt(KEY, file)
    assert (root / KEY).read_bytes() == b"content"


def test_a_listing_reads_the_folders_of_its_beginning_alone(
    store: DirectoryBlobStore, root: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server lists what was uploaded for a job at each of its endings: in a store of a million results, too."""
    for key in ("outputs/.attempts/1-2", "outputs/ab/1", "outputs/cd/2", "sources/3"):
        store.put(BlobKey(key), file)
    read: list[str] = []
    scandir = os.scandir

    def noted(folder: Path) -> object:
        read.append(str(Path(folder).relative_to(root)))
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", noted)

    assert [blob.key for blob in store.list("outputs/.attempts/1-")] == ["outputs/.attempts/1-2"]
    assert read == ["outputs/.attempts"]


def test_another_name_of_a_blob_keeps_its_bytes_when_the_first_is_deleted(
    store: DirectoryBlobStore, root: Path, file: Path
) -> None:
    store.put(KEY, file)
    transfers, named = DirectoryTransfers(store), BlobKey("outputs/ab/b.zip")

    transfers.copy(KEY, named)
    transfers.copy(KEY, named)
    store.delete(KEY)

    assert everything_in(root) == [named]
    assert (root / named).read_bytes() == b"content"


def test_where_a_file_can_have_no_second_name_its_bytes_are_copied(
    store: DirectoryBlobStore, root: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    store.put(KEY, file)
    monkeypatch.setattr(os, "link", refuse)

    DirectoryTransfers(store).copy(KEY, BlobKey("outputs/ab/b.zip"))

    assert everything_in(root) == ["outputs/a.zip", "outputs/ab/b.zip"]
    assert (root / "outputs/ab/b.zip").read_bytes() == b"content"
