"""A server beside a `gc` that looked before: what it counts on is young, or not counted on."""

import os
from pathlib import Path

import pytest
from tests.server_parts import files_in

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed
from blobforge.domain.ids import RecipeId
from blobforge.domain.json_value import canonical_json
from blobforge.domain.loose_json import json_in, object_in
from blobforge.ports.blob_store import BlobStat, result_key
from blobforge.server.parts import ServerFiles
from blobforge.testing.builders import hash_of
from blobforge.testing.clock import FakeClock
from blobforge.testing.job_store.steps import added

RECIPE = RecipeId("0123456789abcdef")
KEY = result_key(hash_of("a"), RECIPE)


@pytest.fixture
def jobs() -> MemoryJobStore:
    return MemoryJobStore()


@pytest.fixture
def files(tmp_path: Path, jobs: MemoryJobStore) -> ServerFiles:
    clock = FakeClock()
    return files_in(tmp_path, clock, CoordinationService(jobs, clock=clock))


@pytest.fixture
def seen(files: ServerFiles, tmp_path: Path) -> BlobStat:
    """By a `gc`, to which nobody needs it."""
    (tmp_path / "result.zip").write_bytes(b"a result")
    files.blobs.put(KEY, tmp_path / "result.zip")
    os.utime(files.blobs.address(KEY), (1_000_000_000, 1_000_000_000))
    (seen,) = files.blobs.list("outputs/")
    return seen


def found(files: ServerFiles, jobs: MemoryJobStore) -> str | None:
    """The key of the result that a worker says it has found, as the server has it in the ending of its job."""
    (job,) = added(jobs, "a")
    ending = files.results.accepted(Completed(job, canonical_json({"recipe": RECIPE})), None)
    key = object_in(json_in(ending.result)).get("key")
    return key if isinstance(key, str) else None


def test_a_result_that_a_worker_has_found_is_not_deleted_as_it_was_seen_before(
    files: ServerFiles, jobs: MemoryJobStore, seen: BlobStat
) -> None:
    key = found(files, jobs)

    with files.blobs.clearing([KEY]) as delete:
        assert delete(seen) is False
    assert key == KEY
    assert files.blobs.stat(KEY) is not None


def test_a_result_that_was_deleted_first_was_not_found(
    files: ServerFiles, jobs: MemoryJobStore, seen: BlobStat
) -> None:
    with files.blobs.clearing([KEY]) as delete:
        assert delete(seen) is True

    assert found(files, jobs) is None
