"""A store is looked through and cleared."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.ids import RecipeId
from blobforge.domain.job import NewJob
from blobforge.ports.blob_store import BlobKey, result_key, source_key
from blobforge.results import sweeping as sweeping_module
from blobforge.results.garbage import Kind
from blobforge.results.sweeping import Sweeping
from blobforge.testing.builders import hash_of, new_job
from blobforge.testing.clock import FakeClock

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

    survey = Sweeping(coordinator, blobs).survey(before=WEEK_AGO)

    assert [(item.kind, item.key, item.size) for item in survey.everything] == [(Kind.SOURCE, old, 5)]
    assert (survey.young, survey.blobs, survey.needs.jobs) == (1, 2, 0)


def test_what_a_cut_off_copy_has_left_is_cleared_when_it_is_old(
    blobs: DirectoryBlobStore, coordinator: CoordinationService, tmp_path: Path
) -> None:
    incoming = tmp_path / "store" / ".incoming"
    for name, days in (("old", 8), ("young", 1)):
        (incoming / name).write_bytes(b"half")
        aged(incoming / name, days=days)
    sweeping = Sweeping(coordinator, blobs)

    survey = sweeping.survey(before=WEEK_AGO)
    cleared = sweeping.clear(survey)

    assert [(item.kind, item.size) for item in cleared] == [(Kind.TEMPORARY, 4)]
    assert survey.young == 1
    assert [path.name for path in incoming.iterdir()] == ["young"]


def test_a_job_that_came_while_someone_thought_it_over_saves_its_source(
    blobs: DirectoryBlobStore, coordinator: CoordinationService, put: Callable[..., BlobKey]
) -> None:
    needed, garbage = put(source_key(hash_of("late"))), put(result_key(hash_of("gone"), RECIPE))
    sweeping = Sweeping(coordinator, blobs)
    survey = sweeping.survey(before=WEEK_AGO)

    coordinator.submit([new_job("late")])
    cleared = sweeping.clear(survey)

    assert [item.key for item in cleared] == [garbage]
    assert [blob.key for blob in blobs.list("")] == [needed]


def test_every_job_counts_however_many_there_are(
    blobs: DirectoryBlobStore,
    coordinator: CoordinationService,
    put: Callable[..., BlobKey],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sweeping_module, "AT_ONCE", 2)
    jobs: list[NewJob] = [new_job(f"{number}", project=f"p{number % 3}") for number in range(6)]
    coordinator.submit(jobs)
    for job in jobs:
        put(source_key(job.source_hash))

    survey = Sweeping(coordinator, blobs).survey(before=WEEK_AGO)

    assert survey.needs.jobs == 6
    assert survey.everything == []
