"""A worker's place among the others."""

import json
from datetime import timedelta
from typing import Any

import pytest

from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.ids import DEFAULT_PROJECT
from blobforge.domain.job import Job
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.ports.job_store import Queue
from blobforge.ports.processor import Progress
from blobforge.testing.builders import ALICE, BOB, hash_of, new_job
from blobforge.testing.clock import START
from blobforge.testing.simulated_bucket import SimulatedBucket
from blobforge.worker.loop_settings import LoopSettings
from blobforge.worker.registration import FORGET_AFTER, Registration, long_lost
from blobforge.worker.run_schedule import RunSchedule
from blobforge.worker.status_report import StatusReporter

LOCK = f"queue/processing/{hash_of('a')}"


class AtWork:
    """A worker with the usual settings that holds one job of a queue in a bucket, second by second."""

    def __init__(self) -> None:
        self._bucket = SimulatedBucket()
        self._objects = self._bucket.objects()
        clock = self._objects
        queue = CoordinationService(BucketJobStore(self._objects), clock=clock, lease_for=timedelta(minutes=15))
        queue.submit([new_job("a")])
        (self.job,) = queue.claim(Queue(DEFAULT_PROJECT, ("pdf",)), worker_id=ALICE)
        settings = LoopSettings(worker_id=ALICE, slots=1, check=timedelta(minutes=1))
        schedule = RunSchedule((), clock=clock)
        self.reporter = StatusReporter(settings, types=["pdf"], clock=clock, schedule=schedule)
        self._registration = Registration(
            queue,
            settings,
            self.reporter,
            clock=clock,
            held=lambda: [self.job],
            status=lambda: WorkerStatus.ONLINE,
            on_lost=_never,
            on_fault=_never,
        )

    def work(self, *, seconds: int) -> None:
        for _ in range(seconds):
            self._bucket.advance(timedelta(seconds=1))
            self._registration.heartbeat.beat()

    def last_heartbeat(self) -> float:
        """As any program reads it from the lock: so many seconds after the start."""
        told = self._read(LOCK)["last_heartbeat"]
        return (START.fromisoformat(told) - START).total_seconds()

    def stage(self) -> Any:
        (name,) = [facts.name for facts in self._objects.all("registry/workers/")]
        return self._read(name)["metadata"]["jobs"][0]["stage"]

    def _read(self, name: str) -> Any:
        stored = self._objects.get(name)
        assert stored is not None
        return json.loads(stored.body)


def _never(what: Job | BaseException) -> None:
    pytest.fail(f"{what} was neither lost nor at fault")


def test_the_lock_says_every_minute_that_its_worker_lives_and_the_registry_at_which_stage_the_work_is() -> None:
    """R0-46."""
    worker = AtWork()

    heartbeats, stages = [], []
    for stage in ("converting", "Recognizing Text", "writing"):
        worker.reporter.progressed(worker.job, Progress(stage, 1, 12))
        worker.work(seconds=60)
        heartbeats.append(worker.last_heartbeat())
        stages.append(worker.stage())

    assert heartbeats == [1, 61, 121]
    assert stages == ["converting", "Recognizing Text", "writing"]


def test_who_was_not_heard_of_for_a_week_is_struck_off_the_list() -> None:
    workers = [
        Worker(id=worker_id, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=START - ago)
        for worker_id, ago in ((ALICE, FORGET_AFTER), (BOB, FORGET_AFTER + timedelta(seconds=1)))
    ]

    assert long_lost(workers, now=START) == [BOB]
