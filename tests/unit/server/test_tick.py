"""What happens by itself: silent workers, leases that are over, and a queue that is away for a while."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.server_parts import files_in, parts_over
from tests.server_scene import ACTOR, Scene, scene_in

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.worker import Worker
from blobforge.ports.coordinator import Swept
from blobforge.server import tick
from blobforge.server.tick import Tick
from blobforge.testing.clock import FakeClock


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    """Leases are longer than what a worker may be silent."""
    with scene_in(tmp_path, lease=timedelta(hours=1)) as scene:
        yield scene


def only_worker(scene: Scene) -> Worker:
    (worker,) = scene.queue.workers()
    return worker


def test_a_worker_that_was_silent_for_three_minutes_is_offline_and_its_jobs_are_free(scene: Scene) -> None:
    """R1-61, R1-62."""
    worker = scene.worker("rack4")
    worker.post("/api/workers", json={"id": "rack4"})
    job = scene.job()
    worker.get("/api/jobs/claim")
    scene.clock.advance(seconds=180)
    scene.tick()
    assert (only_worker(scene).status, scene.queue.get(job.id).worker_id) == ("online", "rack4")

    scene.clock.advance(seconds=1)
    scene.tick()

    assert only_worker(scene).status == "offline"
    assert scene.queue.get(job.id).worker_id is None


def test_a_sign_of_life_makes_it_online_again(scene: Scene) -> None:
    worker = scene.worker("rack4")
    worker.post("/api/workers", json={"id": "rack4", "metadata": {"version": "1.0"}})
    scene.clock.advance(seconds=181)
    scene.tick()

    worker.post("/api/workers/rack4/heartbeat", json={})

    known = only_worker(scene)
    assert (known.status, known.last_heartbeat, known.metadata) == ("online", scene.clock.now(), {"version": "1.0"})


def test_a_worker_that_beats_seldom_is_given_its_time(scene: Scene) -> None:
    worker = scene.worker("rack4")
    worker.post("/api/workers", json={"id": "rack4", "metadata": {"heartbeat_seconds": 600}})

    scene.clock.advance(seconds=1800)
    scene.tick()

    assert only_worker(scene).status == "online"
    scene.clock.advance(seconds=1)
    scene.tick()
    assert only_worker(scene).status == "offline"


def test_who_is_offline_is_left_alone(scene: Scene) -> None:
    worker = scene.worker("rack4")
    worker.post("/api/workers", json={"id": "rack4"})
    scene.clock.advance(seconds=181)
    scene.tick()
    known = only_worker(scene)
    scene.clock.advance(hours=1)

    scene.tick()

    assert only_worker(scene) == known


def test_an_account_that_drains_is_seen_at_its_workers_before_their_next_heartbeat(scene: Scene) -> None:
    for name in ("rack4", "rack5"):
        scene.worker(name).post("/api/workers", json={"metadata": {"slots": 2}})
    scene.accounts.drain_worker("rack4", actor=ACTOR)

    scene.tick()
    drained = {worker.id: (worker.status, worker.metadata) for worker in scene.queue.workers()}
    scene.accounts.resume_worker("rack4", actor=ACTOR)
    scene.tick()
    resumed = {worker.id: (worker.status, worker.metadata) for worker in scene.queue.workers()}

    assert drained == {
        "rack4": ("draining", {"slots": 2, "drained": "rack4"}),
        "rack5": ("online", {"slots": 2}),
    }
    assert resumed == {"rack4": ("online", {"slots": 2}), "rack5": ("online", {"slots": 2})}


def test_a_worker_that_ends_by_itself_goes_on_draining(scene: Scene) -> None:
    ending = {"id": "rack4", "type": "pdf", "status": "draining", "last_heartbeat": "2026-01-01T12:00:00Z"}
    scene.worker("rack4").post("/api/queue/register", json=ending)

    scene.tick()

    assert [worker.status for worker in scene.queue.workers()] == ["draining"]


def test_leases_end_where_nobody_claims(scene: Scene) -> None:
    worker = scene.worker("rack4")
    job = scene.job()
    worker.get("/api/jobs/claim")
    scene.clock.advance(hours=1, seconds=1)

    scene.tick()

    assert scene.queue.get(job.id).state in ("failed", "pending")


class Troubled(CoordinationService):
    """Its first sweeps fail in these ways."""

    errors: list[Exception]

    def sweep(self, *, dry_run: bool = False) -> Swept:
        if self.errors:
            raise self.errors.pop(0)
        self.done()
        return super().sweep(dry_run=dry_run)

    done: Callable[[], None]


def stop_in(loop: asyncio.AbstractEventLoop, rounds: Tick) -> None:
    loop.call_soon_threadsafe(rounds.stop)


def test_it_survives_a_queue_that_is_away_and_what_nobody_foresaw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tick, "EVERY_SECONDS", 0)
    clock = FakeClock()
    service = Troubled(MemoryJobStore(), clock=clock)
    service.errors = [StoreUnavailable("away"), StoreUnavailable("still away"), RuntimeError("nobody foresaw this")]
    parts = parts_over(service, clock, files_in(tmp_path, clock, service))

    async def story() -> None:
        rounds, loop = Tick(parts), asyncio.get_running_loop()
        service.done = lambda: stop_in(loop, rounds)
        await asyncio.wait_for(rounds.run(), 10)

    asyncio.run(story())
    parts.crossing.close()

    assert service.errors == []
    assert len([record for record in caplog.records if "does not answer" in record.getMessage()]) == 1
