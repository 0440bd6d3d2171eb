"""Workers and janitors on a bucket, killed and frozen at any moment: nothing is lost, nothing published twice."""

import random
import signal
import time
from contextlib import ExitStack

import pytest
from tests.e2e.bucket_queue import UNDYING, BucketQueue, documents
from tests.e2e.program import until
from tests.faulty_s3 import Fault
from tests.integration.worker.worker_process import WorkerProcess

from blobforge.domain.job import State


class Crowd:
    """Four workers on four machines, one of which is killed or frozen at every move."""

    def __init__(self, queue: BucketQueue) -> None:
        self._queue = queue
        self._chance = random.Random(7)
        self._workers = [self._new() for _ in range(4)]
        self._janitor = queue.start("janitor", "--loop", "--every", "0.5")
        self._frozen: list[WorkerProcess] = []

    def _new(self) -> WorkerProcess:
        return self._queue.machine().worker("--slots", "1")

    def disturb(self) -> None:
        place = self._chance.randrange(4)
        match self._chance.choice(["kill", "freeze", "freeze", "thaw", "janitor"]):
            case "kill":
                self._workers[place].kill()
                self._workers[place] = self._new()
            case "freeze":
                self._workers[place].send(signal.SIGSTOP)
                self._frozen.append(self._workers[place])
            case "thaw" if self._frozen:
                self._thaw(self._frozen.pop(0))
            case "janitor":
                self._janitor.kill()
                self._janitor = self._queue.start("janitor", "--loop", "--every", "0.5")

    def calm(self) -> None:
        """Those that are frozen wake up, and all go on in peace until the queue is empty."""
        for worker in self._frozen:
            self._thaw(worker)

    def _thaw(self, worker: WorkerProcess) -> None:
        if worker.is_alive():
            worker.send(signal.SIGCONT)

    def end(self) -> None:
        for worker in self._workers:
            worker.send(signal.SIGTERM)
        for worker in self._workers:
            worker.result()
        self._janitor.send_signal(signal.SIGTERM)
        assert self._janitor.wait(30) == 0


@pytest.mark.extended
def test_four_workers_that_are_killed_and_frozen_at_random_complete_everything_once(bucket_queue: BucketQueue) -> None:
    """R0-12, R0-14, R0-15, R0-16, R0-41, R0-54, R0-55, R2-36."""
    bucket_queue.desk = bucket_queue.machine(**UNDYING)
    jobs = bucket_queue.submit(*documents(40), hang_seconds=0.3)
    crowd = Crowd(bucket_queue)

    until(lambda: bucket_queue.states()[State.COMPLETED] > 0)
    for _ in range(14):
        crowd.disturb()
        time.sleep(0.3)  # workers must have time to come somewhere; where, is left to chance
    crowd.calm()
    until(lambda: bucket_queue.states() == {State.COMPLETED: 40})
    crowd.end()

    assert bucket_queue.completed() == jobs
    assert len(bucket_queue.names("store/out/")) == 40
    assert set(bucket_queue.publications().values()) == {1}
    assert bucket_queue.generations() == {"1": 40}
    assert bucket_queue.comes_into_order()


def test_a_worker_killed_while_it_claims_publishes_or_tidies_up_is_replaced(bucket_queue: BucketQueue) -> None:
    """R0-41, R0-52, R0-55, R2-36."""
    jobs = bucket_queue.submit(*documents(3))
    points = [("PUT", "/queue/processing/"), ("PUT", "/store/out/"), ("POST", "?delete")]
    workers: list[WorkerProcess] = []

    with ExitStack() as held:
        for method, path in points:
            order = held.enter_context(bucket_queue.proxy.fault(Fault.SILENT, method=method, path=path, times=1))
            workers.append(bucket_queue.machine().worker("--slots", "1"))
            until(lambda order=order: order.left < 1)  # type: ignore[misc]
        for worker in workers:
            worker.kill()

    account = bucket_queue.work().account

    assert account["failed"] == 0
    assert bucket_queue.completed() == jobs
    assert max(bucket_queue.publications().values()) == 1
    assert bucket_queue.comes_into_order()


def test_a_worker_frozen_before_it_publishes_wakes_up_too_late(bucket_queue: BucketQueue) -> None:
    """R0-54, R0-55."""
    (job,) = bucket_queue.submit(b"a document")

    with bucket_queue.proxy.fault(Fault.SILENT, method="PUT", path="/store/out/", times=1) as order:
        frozen = bucket_queue.machine().worker("--run-once")
        until(lambda: order.left < 1)
        frozen.send(signal.SIGSTOP)
        account = bucket_queue.work().account
    frozen.send(signal.SIGCONT)
    late = frozen.result()

    assert account["completed"] == 1
    assert (late["completed"], late["lost"]) == (0, 1)
    assert bucket_queue.job(job).attempts == 2
    assert list(bucket_queue.publications().values()) == [1]
    assert bucket_queue.comes_into_order()
