"""How a worker on a bucket lets go of its job: killed and found by the next one on its machine, or told to end."""

import json
import signal
import subprocess
from collections.abc import Sequence
from typing import Any

import pytest
from tests.e2e.bucket_queue import BucketQueue, Machine
from tests.integration.worker.worker_process import LONG, PROGRAM

from blobforge.domain.ids import JobId
from blobforge.domain.job import State

ROOM = "lanes/default/echo/queue"
CONTAINER = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child")
"""A process in it sees none of the others, as in a container."""
PATIENT = {"BLOBFORGE_LEASE_SECONDS": "900"}
"""So long that it plays no part."""


def started(machine: Machine) -> str:
    """A worker that has claimed the job and is killed; gives its name."""
    worker = machine.worker("--slots", "1")
    worker.wait_for("job claimed")
    worker.kill()
    (lock,) = (name for name in machine.left_by_workers() if name.endswith(".lock"))
    return lock.partition("@")[0]


def recover(machine: Machine, *, within: Sequence[str] = ()) -> None:
    """Another worker starts on the machine; it is of another type, so that it takes nothing itself."""
    command = [*within, str(PROGRAM), "worker", "--type", "pdf", "--run-once"]
    subprocess.run(command, env=machine.environment(), capture_output=True, check=True, timeout=LONG)


def marker(queue: BucketQueue, room: str, job: JobId) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(queue.get(f"{ROOM}/{room}/{queue.job(job).source_hash}"))
    return body


@pytest.mark.parametrize("budget", [3, 1])
def test_the_next_worker_on_the_machine_gives_back_what_a_killed_one_held(
    bucket_queue: BucketQueue, budget: int
) -> None:
    """R0-41, R0-44, R0-45, R2-36, R2-37, R2-38, R2-39."""
    queue = bucket_queue
    queue.desk = queue.machine(BLOBFORGE_MAX_ATTEMPTS=str(budget))
    (job,) = queue.submit(b"a document", hang_seconds=3600)
    machine, elsewhere = queue.machine(**PATIENT), queue.machine(**PATIENT, BLOBFORGE_WORKER_ID="elsewhere")
    killed = started(machine)
    held = marker(queue, "processing", job)
    recover(elsewhere)
    assert queue.job(job).state is State.RUNNING

    recover(machine)

    assert (held["state"], held["worker"], held["retries"], held["priority"]) == ("held", killed, 0, "3_normal")
    if budget == 1:
        assert queue.job(job).state is State.DEAD
        assert marker(queue, "dead", job)["reason"] == "exceeded_max_retries"
        assert [name for name in queue.left_in_queue() if "/todo/" in name] == []
    else:
        assert queue.job(job).state is State.PENDING
        waiting = marker(queue, "todo/3_normal", job)
        assert (waiting["retries"], waiting["recovered_from"]) == (1, killed)
    assert machine.left_by_workers() == []


def test_a_worker_of_the_same_id_with_a_fresh_home_gives_back_at_once_what_its_predecessor_held(
    bucket_queue: BucketQueue,
) -> None:
    """R0-41, R2-36. Nothing of the first one's home is left, and its process can be seen to have ended."""
    queue = bucket_queue
    (job,) = queue.submit(b"a document", hang_seconds=3600)
    same = {**PATIENT, "BLOBFORGE_WORKER_ID": "press-1"}
    killed = started(queue.machine(**same))
    assert queue.job(job).state is State.RUNNING

    recover(queue.machine(**same))

    assert queue.job(job).state is State.PENDING
    assert marker(queue, "todo/3_normal", job)["recovered_from"] == killed
    assert queue.told("workers")["workers"] == []


def test_a_container_that_is_restarted_gives_back_at_once_what_it_held_if_its_name_is_its_own(
    bucket_queue: BucketQueue,
) -> None:
    """R0-41, R2-36. It sees other processes than the one before it did, and has no home of it."""
    queue = bucket_queue
    (job,) = queue.submit(b"a document", hang_seconds=3600)
    same = {**PATIENT, "BLOBFORGE_WORKER_ID": "press-1"}
    killed = started(queue.machine(**same))
    recover(queue.machine(**same), within=CONTAINER)
    assert queue.job(job).state is State.RUNNING, "a name alone proves nothing"

    recover(queue.machine(**same, BLOBFORGE_WORKER_EXCLUSIVE="true"), within=CONTAINER)

    assert marker(queue, "todo/3_normal", job)["recovered_from"] == killed


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.extended)])
def test_a_worker_that_is_told_to_end_gives_its_job_back_at_once(
    bucket_queue: BucketQueue, number: signal.Signals
) -> None:
    """R2-40, R2-42, R2-43, R2-45."""
    queue = bucket_queue
    (job,) = queue.submit(b"a document", hang_seconds=3600)
    worker = queue.machine(**PATIENT).worker("--slots", "1")
    worker.wait_for("job claimed")
    name = marker(queue, "processing", job)["worker"]

    worker.send(number)
    worker.send(number)
    account = worker.result()

    given_back = queue.job(job)
    waiting = marker(queue, "todo/3_normal", job)
    assert account["released"] == 1
    assert (given_back.state, given_back.attempts, given_back.worker_id) == (State.PENDING, 0, None)
    assert (waiting["retries"], waiting["recovered_from"]) == (0, name)
    assert queue.told("workers")["workers"] == []
    assert queue.told("janitor", "--dry-run")["mended"] == []
