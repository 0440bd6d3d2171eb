"""Where the bytes of a job are found."""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.domain.errors import (
    SourceChanged,
    SourceDamaged,
    SourceMissing,
    SourceUnreadable,
    StoreUnavailable,
)
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Job
from blobforge.ingest.hashing import hash_file
from blobforge.ports.blob_store import BlobKey, source_key
from blobforge.ports.hash_cache import FileStat, HashedFile
from blobforge.testing.builders import a_job
from blobforge.worker import sources as sources_module
from blobforge.worker.sources import Sources, SourcesOfThePair
from blobforge.worker.workspace import Workspace

CONTENT = b"the document"
HASH = SourceHash(hashlib.sha256(CONTENT).hexdigest())


class RemoteStore(DirectoryBlobStore):
    """As a bucket is: its blobs have no path here."""

    def local_path(self, key: BlobKey) -> Path | None:
        return None


class Place(NamedTuple):
    sources: Sources
    blobs: DirectoryBlobStore
    catalog: SqliteCatalog
    folder: Path

    def file(self, name: str, content: bytes = CONTENT) -> Path:
        path = self.folder / name
        path.write_bytes(content)
        return path

    def remember(self, path: Path, source_hash: SourceHash = HASH) -> None:
        facts = path.stat()
        self.catalog.remember([HashedFile(FileStat(str(path), facts.st_size, facts.st_mtime_ns), source_hash)])

    def locate(self, path: Path | str | None) -> Path:
        return self.sources.locate(job_at(path), self.folder)


def job_at(path: Path | str | None) -> Job:
    return a_job(source_hash=HASH, source_path=None if path is None else str(path))


@pytest.fixture(params=[DirectoryBlobStore, RemoteStore])
def place(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Place]:
    blobs = request.param(tmp_path / "blobs")
    catalog = SqliteCatalog(tmp_path / "catalog.db")
    yield Place(Sources(blobs, catalog), blobs, catalog, tmp_path)
    catalog.close()


def test_what_is_in_the_store_is_read_from_there(place: Place) -> None:
    place.blobs.put(source_key(HASH), place.file("original"))
    (place.folder / "original").unlink()

    assert place.locate(None).read_bytes() == CONTENT


def test_other_bytes_in_the_store_than_the_hash_says_are_no_source(place: Place) -> None:
    place.blobs.put(source_key(HASH), place.file("another", b"the d0cument"))

    with pytest.raises(SourceDamaged, match=f"the store holds other bytes in .*{HASH}.*delete"):
        place.locate(None)


def test_the_users_own_file_serves_where_the_copy_in_the_store_is_damaged(place: Place) -> None:
    place.blobs.put(source_key(HASH), place.file("another", b""))

    assert place.locate(place.file("original")).read_bytes() == CONTENT


def test_a_source_in_a_bucket_is_fetched_into_the_folder_of_the_run(tmp_path: Path) -> None:
    """R0-47."""
    (tmp_path / "original").write_bytes(CONTENT)
    blobs = RemoteStore(tmp_path / "blobs")
    blobs.put(source_key(HASH), tmp_path / "original")
    folder = Workspace(tmp_path / "work").take()

    with closing(SqliteCatalog(tmp_path / "catalog.db")) as catalog:
        located = Sources(blobs, catalog).locate(job_at(None), folder)

    assert list(folder.iterdir()) == [located]
    assert located.read_bytes() == CONTENT


def test_a_source_with_other_bytes_is_named_as_people_find_it(tmp_path: Path) -> None:
    """R0-53."""
    (tmp_path / "other").write_bytes(b"other bytes")
    blobs = RemoteStore(tmp_path / "blobs")
    blobs.put(source_key(HASH), tmp_path / "other")

    with (
        closing(SqliteCatalog(tmp_path / "catalog.db")) as catalog,
        pytest.raises(SourceDamaged, match=re.escape(f"holds other bytes in {tmp_path}/blobs/sources/{HASH}.pdf than")),
    ):
        Sources(blobs, catalog).locate(job_at(None), tmp_path)


def test_what_is_not_in_the_store_is_read_where_it_lies(place: Place) -> None:
    path = place.file("here.pdf")

    assert place.locate(path) == path


def test_a_known_stat_vouches_for_the_content_without_a_look_inside(place: Place) -> None:
    path = place.file("here.pdf", b"not what was hashed")
    place.remember(path)

    assert place.locate(path) == path


def test_a_file_that_was_moved_is_found_where_it_was_seen_last(place: Place) -> None:
    path = place.file("there.pdf")
    place.remember(path)

    assert place.locate(place.folder / "here.pdf") == path


def test_a_changed_file_is_an_error_of_its_own(place: Place) -> None:
    path = place.file("here.pdf", b"edited")

    with pytest.raises(SourceChanged, match=r"here\.pdf was changed after it was queued; submit it again"):
        place.locate(path)


def test_another_copy_serves_when_the_first_was_changed(place: Place) -> None:
    changed, copy = place.file("here.pdf", b"edited"), place.file("copy.pdf")
    place.remember(copy)

    assert place.locate(changed) == copy


@pytest.mark.parametrize("name", ["gone.pdf", "a-file/gone.pdf", "null\0.pdf"])
def test_a_file_that_is_nowhere_is_missing(place: Place, name: str) -> None:
    place.file("a-file")

    with pytest.raises(SourceMissing, match="put it back or submit it anew") as error:
        place.locate(f"{place.folder}/{name}")

    assert error.value.retryable


def test_a_job_without_a_path_is_named_by_its_content(place: Place) -> None:
    with pytest.raises(SourceMissing, match=HASH):
        place.locate(None)


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_any_more_is_changed_and_not_waited_for(place: Place, kind: str) -> None:
    path = place.folder / kind
    if kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)

    with pytest.raises(SourceChanged, match="is no file any more"):
        place.locate(path)


def test_a_file_that_cannot_be_read_is_told_with_its_reason(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    path = place.file("here.pdf")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)

    with pytest.raises(SourceUnreadable, match=r"here\.pdf cannot be read: Permission denied"):
        place.locate(path)


def test_a_copy_serves_when_the_first_cannot_be_read(place: Place) -> None:
    copy = place.file("copy.pdf")
    place.remember(copy)

    assert place.locate(place.folder / ("x" * 300)) == copy


def test_a_document_that_is_missing_in_a_store_of_others_is_not_called_missing(place: Place) -> None:
    """A worker goes on with its store while somebody confirms another one: its jobs must not die of that."""

    def refuse() -> None:
        raise StoreUnavailable("others use it with another store")

    with pytest.raises(StoreUnavailable, match="others use it with another store"):
        SourcesOfThePair(place.sources, refuse).locate(job_at(None), place.folder)
    with pytest.raises(SourceMissing):
        SourcesOfThePair(place.sources, lambda: None).locate(job_at(None), place.folder)


def test_nobody_asks_about_the_store_while_documents_are_found(place: Place) -> None:
    def refuse() -> None:
        raise StoreUnavailable("asked")

    path = place.file("a.pdf")

    assert SourcesOfThePair(place.sources, refuse).locate(job_at(path), place.folder) == path


def test_a_copy_in_the_store_that_cannot_be_read_is_no_loss_where_the_users_file_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that another user ran in this home left it so. Who runs the tests may be allowed to read it."""
    with closing(SqliteCatalog(tmp_path / "catalog.db")) as catalog:
        blobs = DirectoryBlobStore(tmp_path / "blobs")
        place = Place(Sources(blobs, catalog), blobs, catalog, tmp_path)
        file = place.file("mine.pdf")
        blobs.put(source_key(HASH), file)
        copy = blobs.local_path(source_key(HASH))
        assert copy is not None
        monkeypatch.setattr(sources_module, "hash_file", partial(hash_as_another_user, forbidden=copy))

        assert place.locate(file) == file

        file.unlink()
        with pytest.raises(SourceUnreadable, match=f"{re.escape(str(copy))}.*chown"):
            place.locate(file)


def hash_as_another_user(path: str, *, forbidden: Path) -> HashedFile:
    if Path(path) == forbidden:
        raise SourceUnreadable(f"{path} cannot be read: Permission denied")
    return hash_file(path)
