"""The manifest anew, from the documents in the store and what the queue knows of them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.ids import DEFAULT_PROJECT
from blobforge.domain.manifest import ManifestEntry
from blobforge.ingest.rebuild import rebuild
from blobforge.manifests.folder import FolderShards
from blobforge.manifests.manifest import ShardedManifest
from blobforge.ports.blob_store import BlobKey, source_key
from blobforge.ports.manifest import Rebuilt
from blobforge.testing.builders import hash_of, new_job
from blobforge.testing.clock import START, FakeClock
from blobforge.testing.manifest_contract import seen

Rebuild = Callable[[], Rebuilt]


@pytest.fixture
def blobs(tmp_path: Path) -> DirectoryBlobStore:
    return DirectoryBlobStore(tmp_path / "store", durable=False)


@pytest.fixture
def queue() -> CoordinationService:
    return CoordinationService(MemoryJobStore(), clock=FakeClock())


@pytest.fixture
def manifest(tmp_path: Path) -> ShardedManifest:
    return ShardedManifest(FolderShards(tmp_path / "store", durable=False), clock=FakeClock())


@pytest.fixture
def run(manifest: ShardedManifest, blobs: DirectoryBlobStore, queue: CoordinationService) -> Rebuild:
    return lambda: rebuild(manifest, blobs, queue, project=DEFAULT_PROJECT)


def store(blobs: DirectoryBlobStore, folder: Path, key: BlobKey, size: int = 7) -> None:
    path = folder / "document"
    path.write_bytes(b"." * size)
    blobs.put(key, path)


def test_a_stored_document_comes_back_with_what_its_job_says(
    run: Rebuild, blobs: DirectoryBlobStore, queue: CoordinationService, manifest: ShardedManifest, tmp_path: Path
) -> None:
    store(blobs, tmp_path, source_key(hash_of("a")))
    queue.submit([new_job("a", source_path="books/a.pdf", tags='["x", "y"]'), new_job("not stored")])

    assert run().added == 1
    assert dict(manifest.entries()) == {hash_of("a"): ManifestEntry(("books/a.pdf",), 7, ("x", "y"), START, "")}


def test_a_document_of_two_jobs_has_what_both_say(
    run: Rebuild, blobs: DirectoryBlobStore, queue: CoordinationService, manifest: ShardedManifest, tmp_path: Path
) -> None:
    store(blobs, tmp_path, source_key(hash_of("a")))
    queue.submit([new_job("a", source_path="a.pdf", tags='["x"]'), new_job("a", type="echo", source_path="b.pdf")])

    run()

    (entry,) = manifest.entries().values()
    assert (set(entry.paths), entry.tags) == ({"a.pdf", "b.pdf"}, ("x",))


def test_a_document_without_a_job_has_a_size_and_a_time(
    run: Rebuild, blobs: DirectoryBlobStore, manifest: ShardedManifest, tmp_path: Path
) -> None:
    store(blobs, tmp_path, source_key(hash_of("a")))
    stat = blobs.stat(source_key(hash_of("a")))
    assert stat is not None

    run()

    assert dict(manifest.entries()) == {
        hash_of("a"): ManifestEntry((), 7, (), stat.modified.replace(microsecond=0), "")
    }


@pytest.mark.parametrize("tags", ["no JSON", '{"x": 1}', "[1, null]"])
def test_tags_that_make_no_sense_are_none(
    run: Rebuild,
    blobs: DirectoryBlobStore,
    queue: CoordinationService,
    manifest: ShardedManifest,
    tmp_path: Path,
    tags: str,
) -> None:
    store(blobs, tmp_path, source_key(hash_of("a")))
    queue.submit([new_job("a", tags=tags)])

    run()

    (entry,) = manifest.entries().values()
    assert (entry.paths, entry.tags) == ((), ())


def test_what_the_manifest_knew_stays(
    run: Rebuild, blobs: DirectoryBlobStore, manifest: ShardedManifest, tmp_path: Path
) -> None:
    manifest.record([seen("a", "old.pdf", "x"), seen("gone from the store")])
    manifest.flush()
    store(blobs, tmp_path, source_key(hash_of("a")), size=9)

    done = run()

    assert (done.added, done.sourceless) == (0, 1)
    assert manifest.entries()[hash_of("a")] == ManifestEntry(("old.pdf",), 9, ("x",), START, "library")
    assert len(manifest.entries()) == 2


def test_only_sources_are_documents(run: Rebuild, blobs: DirectoryBlobStore, tmp_path: Path) -> None:
    for key in ("sources/notes.txt", f"sources/{'A' * 64}.pdf", f"outputs/ab/{hash_of('a')}.zip"):
        store(blobs, tmp_path, BlobKey(key))

    assert run().contents.entries == {}


def test_a_long_queue_is_read_to_its_end(
    run: Rebuild, blobs: DirectoryBlobStore, queue: CoordinationService, manifest: ShardedManifest, tmp_path: Path
) -> None:
    store(blobs, tmp_path, source_key(hash_of("0")))
    queue.submit([new_job(str(number), source_path=f"{number}.pdf") for number in range(2_100)])

    run()

    assert [entry.paths for entry in manifest.entries().values()] == [("0.pdf",)]
