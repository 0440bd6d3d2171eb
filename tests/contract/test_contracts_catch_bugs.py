"""A contract is worth what it catches: each planted bug must break the sentence that names it."""

import inspect
import os
import sqlite3
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.contract import broken_stores as broken
from tests.contract.broken_stores import PlantedDriver

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.coordination import service as service_module
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.coordination.sql.schema import prepare
from blobforge.coordination.sql.sqlite import sqlite_engine
from blobforge.coordination.sql.store import SqlJobStore
from blobforge.domain import lifecycle
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.ids import SourceHash, WorkerId
from blobforge.domain.job import Job, State
from blobforge.ports.blob_store import NO_LABELS, BlobKey, BlobStat
from blobforge.ports.hash_cache import FileStat
from blobforge.ports.job_store import JobFilter, JobStore
from blobforge.testing.blob_store_contract import BlobStoreContract
from blobforge.testing.builders import LEASE
from blobforge.testing.clock import FakeClock
from blobforge.testing.coordinator.steps import POLICY
from blobforge.testing.coordinator_contract import CoordinatorContract
from blobforge.testing.hash_cache_contract import HashCacheContract
from blobforge.testing.job_store_contract import JobStoreContract, OpenStore

# ValueError: what should be one job is none, or several.
BROKEN = (AssertionError, ValueError, BlobForgeError, sqlite3.Error, pytest.fail.Exception)


def holds(contract: object, sentence: str, fixtures: dict[str, Any]) -> bool:
    """Runs one test of a contract with what it asks for."""
    test = getattr(contract, sentence)
    try:
        test(**{name: fixtures[name] for name in inspect.signature(test).parameters})
    except BROKEN:
        return False
    return True


# Job stores

IN_MEMORY: list[tuple[type[MemoryJobStore], str]] = [
    (broken.WithoutALock, "test_of_two_that_claim_one_job_at_once_one_wins"),
    (broken.WithoutALock, "test_two_that_take_at_once_never_take_the_same_job"),
    (broken.AddsAKeyTwiceInOneCall, "test_the_same_key_is_added_once_also_within_one_call"),
    (broken.OverwritesAKnownJob, "test_a_known_key_gives_the_job_as_it_is_by_now"),
    (broken.RecordsFilesOfAFailedTransition, "test_files_are_recorded_with_a_transition_that_succeeds"),
    (broken.RollsNothingBack, "test_a_fault_in_a_transition_rolls_back_the_whole_step"),
    (broken.RollsNothingBack, "test_a_fault_in_the_middle_rolls_back_the_whole_sweep"),
    (broken.TrustsTheCallersCopy, "test_a_transition_that_only_the_stale_copy_allows_is_refused"),
    (broken.TrustsTheCallersCopy, "test_two_changes_of_one_job_at_once_both_count"),
    (broken.StopsAtTheFirstError, "test_a_transition_that_raises_does_not_affect_the_others"),
    (broken.SweepsInTheOrderOfIds, "test_the_earliest_come_first_and_no_more_than_the_limit"),
    (broken.MixesHistories, "test_each_job_has_its_own_history"),
    (broken.TakesBeforeTransitions, "test_a_job_that_a_transition_frees_can_be_taken_in_the_same_step"),
    (broken.ForgetsToCountRevisions, "test_every_write_is_another_revision"),
]
IN_SQLITE: list[tuple[type[PlantedDriver], str]] = [
    (broken.LocksAtItsFirstWrite, "test_of_two_that_claim_one_job_at_once_one_wins"),
    (broken.LocksAtItsFirstWrite, "test_two_that_take_at_once_never_take_the_same_job"),
    (broken.CommitsAlsoAfterAFault, "test_a_fault_in_take_rolls_back_the_whole_step"),
    (broken.IgnoresTheLimit, "test_no_more_than_the_limit_are_taken_and_running_ones_never"),
    (broken.TakesTheNewestFirst, "test_jobs_are_taken_by_priority_then_age_then_id"),
    (broken.IgnoresThePriority, "test_jobs_are_taken_by_priority_then_age_then_id"),
    (broken.IgnoresTheTypes, "test_only_jobs_of_the_queue_are_taken"),
    (broken.IgnoresTheRevision, "test_a_transition_that_only_the_stale_copy_allows_is_refused"),
    (broken.IgnoresTheRevision, "test_the_history_of_an_attempt_is_the_stored_one"),
    (broken.TakesEveryWriteForDone, "test_a_transition_of_a_stale_copy_is_applied_to_the_current_job"),
    (broken.LosesTheResult, "test_every_field_survives_the_store"),
    (broken.NeverPostponesTheDueTime, "test_renewed_leases_do_not_hide_one_that_ran_out"),
    (broken.IgnoresTheLimitOfASweep, "test_many_that_are_due_come_in_portions"),
    (broken.WritesNoAttempts, "test_every_transition_is_an_event_and_every_ended_claim_an_attempt"),
    (broken.WritesNoEvents, "test_what_people_do_to_a_pending_job_is_an_event_at_its_position"),
    (broken.DoesNotCheckForKnownKeys, "test_a_known_key_gives_the_job_as_it_is_by_now"),
    (broken.GivesOneConnectionToAllThreads, "test_two_that_take_at_once_never_take_the_same_job"),
]


@pytest.fixture
def sqlite_opener(tmp_path: Path) -> Iterator[Callable[[type[PlantedDriver]], OpenStore]]:
    """Gives a function that opens handles on one new database, over a driver of the class."""
    with ExitStack() as opened:

        def opener(driver_class: type[PlantedDriver]) -> OpenStore:
            path = tmp_path / f"{uuid.uuid4().hex}.db"

            def open_another() -> JobStore:
                engine = sqlite_engine(path, synchronous="NORMAL")
                prepare(engine)
                return opened.enter_context(closing(SqlJobStore(engine, driver_class(engine))))

            return open_another

        yield opener


def keeps(opener: Callable[[], OpenStore], sentence: str) -> bool:
    """Whether a store keeps a sentence, with two handles on the same jobs and with one."""
    apart, shared = opener(), opener()
    two, one = (apart(), apart()), shared()
    return holds(JobStoreContract(), sentence, {"store": two[0], "open_store": apart, "two_stores": two}) and holds(
        JobStoreContract(), sentence, {"store": one, "open_store": lambda: one, "two_stores": (one, one)}
    )


def memory_opener(store_class: type[MemoryJobStore]) -> OpenStore:
    store = store_class()
    return lambda: store


@pytest.mark.parametrize(("store_class", "sentence"), IN_MEMORY)
def test_a_bug_in_a_memory_store_is_caught(store_class: type[MemoryJobStore], sentence: str) -> None:
    assert not keeps(lambda: memory_opener(store_class), sentence)


@pytest.mark.parametrize("sentence", sorted({sentence for _, sentence in IN_MEMORY}))
def test_an_honest_memory_store_keeps_the_sentence(sentence: str) -> None:
    assert keeps(lambda: memory_opener(MemoryJobStore), sentence)


@pytest.mark.parametrize(("driver_class", "sentence"), IN_SQLITE)
def test_a_bug_in_a_sqlite_store_is_caught(
    sqlite_opener: Callable[[type[PlantedDriver]], OpenStore], driver_class: type[PlantedDriver], sentence: str
) -> None:
    assert not keeps(lambda: sqlite_opener(driver_class), sentence)


@pytest.mark.parametrize("sentence", sorted({sentence for _, sentence in IN_SQLITE}))
def test_an_honest_sqlite_store_keeps_the_sentence(
    sqlite_opener: Callable[[type[PlantedDriver]], OpenStore], sentence: str
) -> None:
    assert keeps(lambda: sqlite_opener(PlantedDriver), sentence)


# Coordinators


class NeverSweeps(CoordinationService):
    def _sweep_when_due(self, now: datetime) -> None:
        """Expired leases stay with those who are gone."""


class SweepsOnce(CoordinationService):
    def _sweep_when_due(self, now: datetime) -> None:
        if self._next_sweep is None:
            super()._sweep_when_due(now)


class StopsWhenTheClockIsSetBack(CoordinationService):
    def _sweep_when_due(self, now: datetime) -> None:
        if self._next_sweep is None or now >= self._next_sweep:
            super()._sweep_when_due(now)


class SweepsOnePortion(CoordinationService):
    def _sweep_when_due(self, now: datetime) -> None:
        self._store.update_due(lambda job: lifecycle.reap(job, now=now), now=now, limit=service_module.SWEEP_LIMIT)


class ExpiresEveryWorker(CoordinationService):
    def expire_worker(self, worker_id: WorkerId) -> list[Job]:
        freed = super().expire_worker(worker_id)
        for job in self._store.page(JobFilter(state=State.RUNNING)):
            assert job.worker_id is not None
            freed += super().expire_worker(job.worker_id)
        return freed


class RenewsWithoutLooking(CoordinationService):
    def renew(self, jobs: Sequence[Job]) -> list[Job | BlobForgeError]:
        until = self._clock.now() + self._lease_for
        return [
            self._store.update(held.id, lambda _, held=held: held._replace(lease_expires_at=until))  # type: ignore[misc]
            for held in jobs
        ]


COORDINATORS: list[tuple[type[CoordinationService], str]] = [
    (NeverSweeps, "test_an_expired_lease_is_taken_by_the_next_claim"),
    (SweepsOnce, "test_a_failed_job_is_pending_after_its_back_off"),
    (StopsWhenTheClockIsSetBack, "test_a_clock_that_was_hours_ahead_does_not_stop_the_sweeps"),
    (SweepsOnePortion, "test_more_than_a_hundred_expired_leases_are_freed_by_one_claim"),
    (ExpiresEveryWorker, "test_the_jobs_of_a_worker_that_is_gone_are_freed_at_once"),
    (RenewsWithoutLooking, "test_a_lost_lease_is_reported_at_its_position_and_the_others_are_renewed"),
]


def coordinator_fixtures(service_class: type[CoordinationService]) -> dict[str, Any]:
    store, clock = MemoryJobStore(), FakeClock()
    service = service_class(store, clock=clock, lease_for=LEASE, policy=POLICY)
    return {"coordinator": service, "clock": clock, "open_coordinator": lambda _clock: service}


@pytest.mark.parametrize(("service_class", "sentence"), COORDINATORS)
def test_a_bug_in_a_coordinator_is_caught(service_class: type[CoordinationService], sentence: str) -> None:
    assert holds(CoordinatorContract(), sentence, coordinator_fixtures(CoordinationService))
    assert not holds(CoordinatorContract(), sentence, coordinator_fixtures(service_class))


# Blob stores and catalogues


class CopiesInPlace(DirectoryBlobStore):
    def put(
        self,
        key: BlobKey,
        path: Path,
        *,
        labels: Mapping[str, str] = NO_LABELS,
        source_hash: SourceHash | None = None,
    ) -> BlobStat:
        target = self._path(key)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
        return BlobStat(key, target.stat().st_size, datetime.now(UTC))


class LeavesWhatItAdopts(DirectoryBlobStore):
    def adopt(self, key: BlobKey, path: Path) -> BlobStat:
        return self.put(key, path)


class TakesAPrefixForAFolder(DirectoryBlobStore):
    def list(self, prefix: str) -> Iterator[BlobStat]:
        folder = prefix.rstrip("/") + "/" if prefix else ""
        return (blob for blob in super().list("") if blob.key.startswith(folder))


class CountsFoldersAsBlobs(DirectoryBlobStore):
    def stat(self, key: BlobKey) -> BlobStat | None:
        path = self._path(key)
        return BlobStat(key, path.stat().st_size, datetime.now(UTC)) if path.exists() else None


class StoresWhateverIsInTheFile(DirectoryBlobStore):
    def put(
        self,
        key: BlobKey,
        path: Path,
        *,
        labels: Mapping[str, str] = NO_LABELS,
        source_hash: SourceHash | None = None,
    ) -> BlobStat:
        return super().put(key, path, labels=labels)


BLOBS: list[tuple[type[DirectoryBlobStore], str]] = [
    (CopiesInPlace, "test_a_reader_sees_one_blob_whole_while_it_is_replaced"),
    (LeavesWhatItAdopts, "test_putting_leaves_the_file_and_adopting_takes_it"),
    (TakesAPrefixForAFolder, "test_blobs_are_listed_by_the_beginning_of_their_key"),
    (CountsFoldersAsBlobs, "test_the_beginning_of_a_key_and_what_lies_below_it_are_no_blobs"),
    (StoresWhateverIsInTheFile, "test_bytes_of_another_hash_than_their_source_has_are_never_stored"),
]


@pytest.mark.parametrize(("store_class", "sentence"), BLOBS)
def test_a_bug_in_a_blob_store_is_caught(store_class: type[DirectoryBlobStore], sentence: str, tmp_path: Path) -> None:
    def fixtures(some_class: type[DirectoryBlobStore]) -> dict[str, Any]:
        file = tmp_path / f"{some_class.__name__}.zip"
        file.write_bytes(b"first")
        return {"store": some_class(tmp_path / some_class.__name__), "file": file, "other": "outputs", "size": 6}

    assert holds(BlobStoreContract(), sentence, fixtures(DirectoryBlobStore))
    assert not holds(BlobStoreContract(), sentence, fixtures(store_class))


class IgnoresTheTime(SqliteCatalog):
    def known(self, files: Sequence[FileStat]) -> dict[str, SourceHash]:
        sizes = {os.fsencode(file.path): file.size for file in files}
        rows = self._rows("sources", "size, source_hash", sizes)
        return {os.fsdecode(key): SourceHash(found) for key, size, found in rows if sizes.get(key) == size}


def test_a_cache_that_ignores_the_time_of_a_file_is_caught(tmp_path: Path) -> None:
    changed = FileStat("/books/a.pdf", 1_000, 1)

    with closing(IgnoresTheTime(tmp_path / "a.db")) as planted, closing(SqliteCatalog(tmp_path / "b.db")) as honest:
        sentence = "test_a_file_that_changed_is_unknown"
        assert holds(HashCacheContract(), sentence, {"cache": honest, "changed": changed})
        assert not holds(HashCacheContract(), sentence, {"cache": planted, "changed": changed})
