"""Results of a worker without keys: one that is to be kept aside, and one that the queue had no room for."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.server_scene import ACTOR, Scene, scene_in
from tests.unit.conversion.results import archive_bytes

from blobforge.backends.http import QUEUE
from blobforge.domain.endings import Completed, Ending
from blobforge.domain.errors import BlobForgeError, DiskFull
from blobforge.domain.ids import RecipeId, WorkerId
from blobforge.domain.job import Job
from blobforge.domain.json_value import canonical_json
from blobforge.domain.result_record import REFUSED, result_record
from blobforge.ports.blob_store import BlobKey, result_key
from blobforge.ports.job_store import Queue
from blobforge.ports.queue_backend import OpenedService, QueueOptions, ServerAccess

PDFS = Queue("default", ("pdf",))
ME = WorkerId("rack4.11.00000001")
FIRST, SECOND = RecipeId("0123456789abcdef"), RecipeId("fedcba9876543210")
WHOLE, WORSE = archive_bytes("all pages"), archive_bytes("fewer pages")


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with scene_in(tmp_path) as scene:
        yield scene


@pytest.fixture
def worker(scene: Scene) -> Iterator[OpenedService]:
    secret = scene.accounts.create_worker("rack4", actor=ACTOR).secret.text
    opened = QUEUE.open(scene.url, QueueOptions(server=ServerAccess(worker="rack4", secret=secret)))
    assert isinstance(opened, OpenedService)
    yield opened
    opened.close()


def claimed(worker: OpenedService) -> Job:
    (job,) = worker.coordinator.claim(PDFS, worker_id=ME)
    return job


def uploaded(scene: Scene, worker: OpenedService, job: Job, recipe_id: RecipeId, *, publish: bool = True) -> BlobKey:
    """As a worker does whose run made it."""
    assert worker.library is not None
    store_for = worker.library.for_job if publish else worker.library.unpublished_for_job
    assert store_for is not None
    archive = scene.folder / "result.zip"
    archive.write_bytes(WHOLE if publish else WORSE)
    key = result_key(job.source_hash, recipe_id)
    store_for(job).adopt(key, archive)
    return key


def stored(scene: Scene, key: str) -> bytes:
    with scene.parts.files.blobs.open(BlobKey(key)) as stream:
        return stream.read()


def test_a_result_that_is_kept_aside_does_not_take_the_place_of_the_published_one(
    scene: Scene, worker: OpenedService
) -> None:
    job_id = scene.job().id
    job = claimed(worker)
    published = uploaded(scene, worker, job, FIRST)
    worker.coordinator.end([Completed(job, canonical_json({"recipe": FIRST}))])
    scene.queue.retry(job_id)
    again = claimed(worker)

    aside = uploaded(scene, worker, again, SECOND, publish=False)
    said = {"recipe": SECOND, REFUSED: "it misses a page"}
    (ended,) = worker.coordinator.end([Completed(again, canonical_json(said))])

    assert isinstance(ended, Job)
    record = result_record(scene.queue.get(job_id))
    assert (record.key, record.recipe_id, record.refused) == (published, FIRST, "it misses a page")
    assert stored(scene, f"outputs/{job.source_hash}.zip") == WHOLE
    assert stored(scene, aside) == WORSE


def test_an_ending_that_the_queue_had_no_room_for_is_told_again_with_its_result(
    scene: Scene, worker: OpenedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = scene.job().id
    job = claimed(worker)
    key = uploaded(scene, worker, job, FIRST)
    ending = Completed(job, canonical_json({"pages": 1}))

    def full(endings: Sequence[Ending]) -> list[Job | BlobForgeError]:
        return [DiskFull("no space left") for _ in endings]

    with monkeypatch.context() as patched:
        patched.setattr(scene.queue, "end", full)
        (refused,) = worker.coordinator.end([ending])
    (ended,) = worker.coordinator.end([ending])

    assert isinstance(refused, DiskFull)
    assert isinstance(ended, Job)
    assert result_record(scene.queue.get(job_id)).key == key
