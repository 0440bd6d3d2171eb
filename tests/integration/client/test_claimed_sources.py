"""The document of a claimed job, for a worker without keys: the claim says where it is had."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.server_scene import ACTOR, Scene, document, hash_of, scene_in

from blobforge.blobs.http.store import HttpBlobStore
from blobforge.client.connection import Connection, Credentials
from blobforge.client.held_leases import HeldLeases
from blobforge.coordination.http.coordinator import HttpCoordinator
from blobforge.domain.errors import NotFound
from blobforge.domain.ids import SourceHash, WorkerId
from blobforge.ports.blob_store import source_key
from blobforge.ports.job_store import Queue
from blobforge.wire import paths

PDFS = Queue("default", ("pdf",))
ME = WorkerId("rack4.11.00000001")
KEY = source_key(SourceHash(hash_of("a")))


class NotedConnection(Connection):
    """Remembers what was asked."""

    asked: list[str]

    def post(self, path: str, *given: Any, **more: Any) -> Any:
        self.asked.append(path)
        return super().post(path, *given, **more)


class Worker:
    def __init__(self, scene: Scene) -> None:
        secret = scene.accounts.create_worker("rack4", actor=ACTOR).secret.text
        self.connection = NotedConnection(scene.url, Credentials(worker="rack4", secret=secret))
        self.connection.asked = []
        scene.stack.callback(self.connection.close)
        leases = HeldLeases()
        self.blobs = HttpBlobStore(self.connection, leases, project="default")
        self.queue = HttpCoordinator(self.connection, leases)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with ExitStack() as stack:
        found = stack.enter_context(scene_in(tmp_path))
        object.__setattr__(found.parts.files.own_urls, "_public_url", found.url)
        yield found


def test_it_is_fetched_from_where_the_claim_said_and_nothing_else_is_asked(scene: Scene, tmp_path: Path) -> None:
    scene.job("a")
    worker = Worker(scene)
    worker.queue.claim(PDFS, worker_id=ME)

    worker.blobs.fetch(KEY, tmp_path / "source")

    assert (tmp_path / "source").read_bytes() == document("a")
    assert worker.connection.asked == [paths.SETTLE]


def test_where_that_address_is_no_longer_valid_another_one_is_asked_for(scene: Scene, tmp_path: Path) -> None:
    scene.job("a")
    worker = Worker(scene)
    (job,) = worker.queue.claim(PDFS, worker_id=ME)
    for _ in range(40):
        scene.clock.advance(seconds=100)
        worker.queue.renew([job])

    worker.blobs.fetch(KEY, tmp_path / "source")

    assert (tmp_path / "source").read_bytes() == document("a")
    assert worker.connection.asked[-1] == paths.BLOB_URL


def test_a_document_that_is_gone_is_told_as_gone(scene: Scene, tmp_path: Path) -> None:
    scene.job("a")
    worker = Worker(scene)
    worker.queue.claim(PDFS, worker_id=ME)
    scene.parts.files.blobs.delete(KEY)

    with pytest.raises(NotFound, match="no blob"):
        worker.blobs.fetch(KEY, tmp_path / "source")


def test_of_a_great_many_jobs_only_the_first_come_with_an_address(scene: Scene, tmp_path: Path) -> None:
    names = [f"document {number}" for number in range(12)]
    for name in names:
        scene.job(name)
    worker = Worker(scene)
    worker.queue.claim(PDFS, worker_id=ME, limit=12)

    for name in names:
        worker.blobs.fetch(source_key(SourceHash(hash_of(name))), tmp_path / "source")
        assert (tmp_path / "source").read_bytes() == document(name)

    assert worker.connection.asked.count(paths.BLOB_URL) == 2
