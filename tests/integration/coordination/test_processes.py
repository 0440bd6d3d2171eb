"""Real processes on one database: each job is done once, and what a killed one held comes back."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from blobforge.clock import SystemClock
from blobforge.coordination.service import CoordinationService
from blobforge.coordination.sql.backend import open_queue
from blobforge.domain.ids import JobId
from blobforge.domain.job import State
from blobforge.ports.queue_backend import QueueOptions
from blobforge.testing.builders import BOB, LEASE, new_job
from blobforge.testing.clock import FakeClock
from blobforge.testing.coordinator.steps import PDFS

DRAIN = Path(__file__).with_name("drain.py")
JOBS = 400

HALF_A_TRANSACTION = """
import sys
from pathlib import Path
from blobforge.coordination.sql.sqlite import SqliteDriver, sqlite_engine
from blobforge.testing.builders import a_job
driver = SqliteDriver(sqlite_engine(Path(sys.argv[1]), synchronous="FULL"))
with driver.transaction() as transaction:
    transaction.add([a_job(f"half {number}") for number in range(100)])
    print('"ready"', flush=True)
    sys.stdin.readline()
"""


class Drainer:
    """A process that says what it does line by line."""

    def __init__(self, *command: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.hear() == "ready"

    def go_on(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def hear(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "queue.db"


@pytest.fixture
def service(path: Path) -> Iterator[CoordinationService]:
    store = open_queue(f"sqlite:///{path}", QueueOptions(durable=False)).store
    with closing(CoordinationService(store, clock=SystemClock(), lease_for=LEASE)) as service:
        service.submit([new_job(f"document {number}") for number in range(JOBS)])
        yield service


@pytest.fixture
def start() -> Iterator[Callable[..., Drainer]]:
    with ExitStack() as running:
        yield lambda *command: running.enter_context(closing(Drainer(*command)))


def test_two_processes_do_each_job_exactly_once(
    path: Path, service: CoordinationService, start: Callable[..., Drainer]
) -> None:
    drainers = [start(str(DRAIN), f"sqlite:///{path}", name, "0") for name in ("alice", "bob")]

    for drainer in drainers:
        drainer.go_on()
    alices, bobs = (drainer.hear() for drainer in drainers)

    assert len(alices) + len(bobs) == JOBS
    assert len({*alices, *bobs}) == JOBS
    assert service.counts() == {("pdf", State.COMPLETED): JOBS}
    jobs = service.get_many([JobId(job_id) for job_id in (*alices, *bobs)])
    assert {job.lease_number for job in jobs} == {1}
    assert {job.id for job in jobs if job.result == '{"by":"alice"}'} == set(alices)
    for job in jobs[::40]:
        assert [event.kind for event in service.history(job.id).events] == ["submitted", "claimed", "completed"]


def test_the_jobs_of_a_killed_process_are_claimed_by_another_when_their_lease_is_over(
    path: Path, service: CoordinationService, start: Callable[..., Drainer]
) -> None:
    drainer = start(str(DRAIN), f"sqlite:///{path}", "alice", "5")
    drainer.go_on()
    held = drainer.hear()
    drainer.close()

    later = FakeClock(SystemClock().now() + LEASE + timedelta(seconds=1))
    store = open_queue(f"sqlite:///{path}", QueueOptions()).store
    with closing(CoordinationService(store, clock=later, lease_for=LEASE)) as rescuer:
        assert service.claim_exactly(service.get_many(held), worker_id=BOB) == []
        rescued = rescuer.claim(PDFS, worker_id=BOB, limit=5)

    assert sorted(job.id for job in rescued) == sorted(held)
    assert {(job.attempts, job.lease_number) for job in rescued} == {(2, 2)}


def test_a_process_that_dies_in_the_middle_of_a_transaction_leaves_no_trace_and_no_lock(
    path: Path, service: CoordinationService, start: Callable[..., Drainer]
) -> None:
    dying = start("-c", HALF_A_TRANSACTION, str(path))
    dying.close()

    service.submit([new_job("afterwards")])

    assert service.counts() == {("pdf", State.PENDING): JOBS + 1}
