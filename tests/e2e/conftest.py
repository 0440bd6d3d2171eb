"""A home of its own for every test, and the program on it."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.bucket_queue import BucketQueue
from tests.e2e.program import Blobforge
from tests.e2e.tesseracts import Gate
from tests.faulty_s3 import FaultyS3
from tests.integration.worker.worker_process import Home
from tests.postgres import Server
from tests.seaweed import Seaweed


@pytest.fixture
def blobforge(tmp_path: Path) -> Iterator[Blobforge]:
    blobforge = Blobforge(tmp_path, tmp_path / "home")
    yield blobforge
    blobforge.close()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A queue in a folder, with real workers on it."""
    home = Home(tmp_path / "home")
    yield home
    home.close()


@pytest.fixture(params=["sqlite", "bucket"])
def place(request: pytest.FixtureRequest) -> dict[str, str]:
    """The variables of a queue of its own, for what holds on all of them."""
    if request.param == "sqlite":
        return {}
    seaweed: Seaweed = request.getfixturevalue("seaweed")
    return {"BLOBFORGE_QUEUE": f"s3://{seaweed.bucket}/{uuid.uuid4().hex}", **seaweed.variables}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Where the tests convert to; nobody has made it yet."""
    return tmp_path / "out"


@pytest.fixture
def bucket_queue(tmp_path: Path, seaweed: Seaweed, faulty_s3: FaultyS3) -> Iterator[BucketQueue]:
    faulty_s3.seen.clear()
    queue = BucketQueue(tmp_path, seaweed, faulty_s3)
    yield queue
    queue.close()


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    gate = Gate(tmp_path / "gate")
    yield gate
    gate.close()


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[tuple[Blobforge, Blobforge]]:
    """Two, each with a home of its own; the folder beside them stands for a disk that both reach."""
    made = [Blobforge(tmp_path, tmp_path / name) for name in ("first", "second")]
    yield made[0], made[1]
    for machine in made:
        machine.close()


@pytest.fixture
def shared(postgres_server: Server) -> dict[str, str]:
    return {"BLOBFORGE_QUEUE": postgres_server.new_database()}
