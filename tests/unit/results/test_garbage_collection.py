"""A store is looked through and cleared."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed
from blobforge.domain.errors import PlaceNotUnderstood
from blobforge.domain.ids import JobId, RecipeId
from blobforge.domain.job import Job, NewJob
from blobforge.domain.json_value import canonical_json
from blobforge.domain.manifest import Sighting
from blobforge.manifests.bucket import BucketShards
from blobforge.manifests.manifest import ShardedManifest
from blobforge.ports.blob_store import BlobKey, BlobStat, error_log_key, result_key, source_key
from blobforge.ports.job_store import JobFilter
from blobforge.results import garbage_collection as garbage_collection_module
from blobforge.results.garbage import Kind
from blobforge.results.garbage_collection import GarbageCollector
from blobforge.testing.builders import ALICE, hash_of, new_job
from blobforge.testing.clock import START, FakeClock
from blobforge.testing.coordinator.steps import PDFS
from blobforge.testing.job_store.forgetting import dead
from blobforge.testing.simulated_bucket import SimulatedBucket
from blobforge.thread_pool import ThreadPool

WEEK_AGO = datetime.now(UTC) - timedelta(days=7)
RECIPE = RecipeId("0123456789abcdef")


@pytest.fixture
def blobs(tmp_path: Path) -> DirectoryBlobStore:
    return DirectoryBlobStore(tmp_path / "store")


@pytest.fixture
def coordinator() -> CoordinationService:
    return CoordinationService(MemoryJobStore(), clock=FakeClock())


@pytest.fixture
def put(blobs: DirectoryBlobStore, tmp_path: Path) -> Callable[..., BlobKey]:
    def put(key: BlobKey, *, days: float = 8) -> BlobKey:
        file = tmp_path / "file"
        file.write_bytes(b"bytes")
        blobs.put(key, file)
        aged(tmp_path / "store" / key, days=days)
        return key

    return put


def aged(path: Path, *, days: float) -> None:
    then = (datetime.now(UTC) - timedelta(days=days)).timestamp()
    os.utime(path, (then, then))


def test_what_is_young_is_kept_and_counted(
    blobs: DirectoryBlobStore, coordinator: CoordinationService, put: Callable[..., BlobKey]
) -> None:
    old = put(source_key(hash_of("old")))
    put(source_key(hash_of("young")), days=6)

    listing = GarbageCollector(coordinator, blobs).survey(before=WEEK_AGO)

    assert [(item.kind, item.key, item.size) for item in listing.everything] == [(Kind.SOURCE, old, 5)]
    assert (listing.young, listing.blobs, listing.needs.jobs) == (1, 2, 0)


def test_what_a_cut_off_copy_has_left_is_cleared_when_it_is_old(
    blobs: DirectoryBlobStore, coordinator: CoordinationService, tmp_path: Path
) -> None:
    incoming = tmp_path / "store" / ".incoming"
    incoming.mkdir(parents=True)
    for name, days in (("old", 8), ("young", 1)):
        (incoming / name).write_bytes(b"half")
        aged(incoming / name, days=days)
    collector = GarbageCollector(coordinator, blobs)

    listing = collector.survey(before=WEEK_AGO)
    cleared = collector.clear(listing)

    assert [(item.kind, item.size) for item in cleared] == [(Kind.TEMPORARY, 4)]
    assert listing.young == 1
    assert {path.name for path in incoming.iterdir()} == {"young", ".token"}


def test_a_job_that_came_while_someone_thought_it_over_saves_its_source(
    blobs: DirectoryBlobStore, coordinator: CoordinationService, put: Callable[..., BlobKey]
) -> None:
    needed, garbage = put(source_key(hash_of("late"))), put(result_key(hash_of("gone"), RECIPE))
    collector = GarbageCollector(coordinator, blobs)
    listing = collector.survey(before=WEEK_AGO)

    coordinator.submit([new_job("late")])
    cleared = collector.clear(listing)

    assert [item.key for item in cleared] == [garbage]
    assert [blob.key for blob in blobs.list("")] == [needed]


def test_every_job_counts_however_many_there_are(
    blobs: DirectoryBlobStore,
    coordinator: CoordinationService,
    put: Callable[..., BlobKey],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(garbage_collection_module, "AT_ONCE", 2)
    jobs: list[NewJob] = [new_job(f"{number}", project=f"p{number % 3}") for number in range(6)]
    coordinator.submit(jobs)
    for job in jobs:
        put(source_key(job.source_hash))

    listing = GarbageCollector(coordinator, blobs).survey(before=WEEK_AGO)

    assert listing.needs.jobs == 6
    assert listing.everything == []


class ListedSlowly(DirectoryBlobStore):
    """Something happens right after its blobs were listed."""

    def __init__(self, root: Path, meanwhile: Callable[[], object]) -> None:
        super().__init__(root)
        self._meanwhile = meanwhile

    def list(self, prefix: str) -> Iterator[BlobStat]:
        yield from super().list(prefix)
        self._meanwhile()


def test_a_job_that_came_while_the_blobs_were_listed_keeps_its_source(
    coordinator: CoordinationService, put: Callable[..., BlobKey], tmp_path: Path
) -> None:
    """The jobs are asked after the blobs are listed: whoever is asked first is older by then."""
    put(source_key(hash_of("late")))
    slow = ListedSlowly(tmp_path / "store", lambda: coordinator.submit([new_job("late")]))

    listing = GarbageCollector(coordinator, slow).survey(before=WEEK_AGO)

    assert listing.everything == []


class DeletedSlowly(DirectoryBlobStore):
    """Something happens right after its first blob was deleted."""

    def __init__(self, root: Path, meanwhile: Callable[[], object]) -> None:
        super().__init__(root)
        self._meanwhile = [meanwhile]

    def _delete_as_seen(self, seen: BlobStat) -> bool:
        is_deleted = super()._delete_as_seen(seen)
        while self._meanwhile:
            self._meanwhile.pop()()
        return is_deleted


def test_a_job_that_came_while_others_were_deleted_saves_its_source(
    coordinator: CoordinationService,
    put: Callable[..., BlobKey],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The jobs are asked before each portion: to delete much takes long."""
    monkeypatch.setattr(garbage_collection_module, "AT_ONCE", 1)
    first, second = (put(source_key(hash_of(name))) for name in sorted(("one", "two"), key=hash_of))
    late = next(name for name in ("one", "two") if second == source_key(hash_of(name)))
    slow = DeletedSlowly(tmp_path / "store", lambda: coordinator.submit([new_job(late)]))
    collector = GarbageCollector(coordinator, slow)

    cleared = collector.clear(collector.survey(before=WEEK_AGO))

    assert [item.key for item in cleared] == [first]
    assert [blob.key for blob in slow.list("")] == [second]


class ReadSlowly(CoordinationService):
    """A job comes right after the jobs were read."""

    def page(self, wanted: JobFilter, *, after: JobId | None = None, limit: int = 50) -> list[Job]:
        page = super().page(wanted, after=after, limit=limit)
        self.submit([new_job("late")])
        return page


def test_a_job_that_came_while_the_jobs_were_read_is_named_by_then(
    blobs: DirectoryBlobStore, put: Callable[..., BlobKey]
) -> None:
    """The names are asked behind the jobs: asked before, a job that comes in between would be in neither."""
    put(source_key(hash_of("late")))
    coordinator = ReadSlowly(BucketJobStore(SimulatedBucket().objects(), pool=ThreadPool(1)), clock=FakeClock())

    listing = GarbageCollector(coordinator, blobs).survey(before=WEEK_AGO)

    assert listing.everything == []


def test_everything_of_a_document_stays_that_the_queue_names_and_whose_job_cannot_be_read(
    blobs: DirectoryBlobStore, put: Callable[..., BlobKey]
) -> None:
    named = hash_of("named")
    bucket = SimulatedBucket()
    bucket.objects().put(f"queue/dead/{named}", b"{}")
    coordinator = CoordinationService(BucketJobStore(bucket.objects()), clock=FakeClock())
    put(source_key(named)), put(result_key(named, RECIPE)), put(error_log_key(named))
    orphan = put(source_key(hash_of("orphan")))

    listing = GarbageCollector(coordinator, blobs).survey(before=WEEK_AGO)

    assert [item.key for item in listing.everything] == [orphan]


def test_whatever_the_manifest_lists_stays_also_when_its_job_was_cleared(
    blobs: DirectoryBlobStore, put: Callable[..., BlobKey], tmp_path: Path
) -> None:
    bucket = SimulatedBucket()
    store = BucketJobStore(bucket.objects())
    coordinator = CoordinationService(store, clock=FakeClock())
    manifest = ShardedManifest(BucketShards(bucket.objects()), clock=FakeClock())
    manifest.record([Sighting(hash_of(name), f"{name}.pdf", 5, (), "results", START) for name in ("seen", "forgotten")])
    manifest.flush()
    put(source_key(hash_of("seen")))
    put(source_key(hash_of("forgotten")))
    orphan = put(source_key(hash_of("orphan")))
    coordinator.clear_dead(dead(store, "forgotten"))

    listing = GarbageCollector(coordinator, blobs, manifest).survey(before=WEEK_AGO)

    assert [item.key for item in listing.everything] == [orphan]


def test_nothing_is_deleted_where_something_is_not_understood(
    blobs: DirectoryBlobStore, put: Callable[..., BlobKey]
) -> None:
    bucket = SimulatedBucket()
    orphan = put(source_key(hash_of("orphan")))
    collector = GarbageCollector(CoordinationService(BucketJobStore(bucket.objects()), clock=FakeClock()), blobs)
    listing = collector.survey(before=WEEK_AGO)
    for number in range(5):
        bucket.objects().put(f"queue/paused/{number}", b"{}")

    with pytest.raises(PlaceNotUnderstood, match=r"queue/paused/0, queue/paused/1, queue/paused/2 and 2 more"):
        collector.clear(listing)

    assert [item.key for item in listing.everything] == [orphan]
    assert [blob.key for blob in blobs.list("")] == [orphan]


@pytest.mark.parametrize(("is_there", "unknown"), [(False, ["a"]), (True, [])])
def test_a_job_whose_result_is_gone_while_another_one_is_there_speaks_for_a_lost_queue(
    blobs: DirectoryBlobStore,
    coordinator: CoordinationService,
    put: Callable[..., BlobKey],
    *,
    is_there: bool,
    unknown: list[str],
) -> None:
    """It was restored from a backup, and had given up the one that it names for the other."""
    coordinator.submit([new_job("a")])
    (held,) = coordinator.claim(PDFS, worker_id=ALICE)
    named = result_key(hash_of("a"), RECIPE)
    coordinator.end([Completed(held, canonical_json({"key": named, "recipe": RECIPE}))])
    put(result_key(hash_of("a"), RecipeId("fedcba9876543210")), days=1)
    if is_there:
        put(named)

    survey = GarbageCollector(coordinator, blobs).survey(before=WEEK_AGO)

    assert list(survey.unknown) == [hash_of(name) for name in unknown]


def test_the_result_of_a_document_whose_job_was_cancelled_and_names_none_stays(
    blobs: DirectoryBlobStore, coordinator: CoordinationService, put: Callable[..., BlobKey]
) -> None:
    """Where the queue was restored from a backup, it may have been completed since."""
    (added,) = coordinator.submit([new_job("a")])
    coordinator.cancel(added.job.id)
    put(result_key(hash_of("a"), RECIPE))

    survey = GarbageCollector(coordinator, blobs).survey(before=WEEK_AGO)

    assert (survey.everything, survey.unknown) == ([], ())
