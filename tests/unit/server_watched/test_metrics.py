"""The figures that Prometheus reads."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx2
from tests.http_server import served
from tests.server_parts import files_in, parts_over
from tests.unit.server_watched.conftest import WatchedServer

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.account import Role
from blobforge.ports.queue_backend import QueueDepth
from blobforge.server.app import create_app
from blobforge.server.auth.asking import Asker
from blobforge.testing.builders import LEASE
from blobforge.testing.clock import FakeClock

HASH = "a" * 64


def test_requests_claims_and_lost_leases_are_counted(watched: WatchedServer) -> None:
    """R1-103: Prometheus."""
    queued = watched.http.post("/api/queue/submit", json={"jobs": [_job()]})
    job_id = queued.json()["jobs"][0]["job"]["id"]
    watched.http.get("/api/jobs/claim", params={"worker_id": "rack4"})
    watched.clock.advance(seconds=LEASE.total_seconds() + 1)
    watched.parts.coordinator.sweep()
    watched.http.post(f"/api/jobs/{job_id}/fail", json={"worker_id": "rack4", "error": "late"})

    text = watched.http.get("/metrics").text

    assert 'blobforge_claims_total{type="pdf"} 1.0' in text
    assert "blobforge_lease_losses_total 1.0" in text
    assert 'blobforge_http_requests_total{method="GET",route="/api/jobs/claim",status="200"} 1.0' in text
    assert "blobforge_waiting_requests 0.0" in text


def test_each_application_counts_for_itself(watched: WatchedServer, tmp_path: Path) -> None:
    clock = FakeClock()
    service = CoordinationService(MemoryJobStore(), clock=clock, lease_for=LEASE)
    other = parts_over(service, clock, files_in(tmp_path / "other", clock, service))
    watched.http.get("/version")

    with served(create_app(other, ticks=False)) as url:
        text = httpx2.get(f"{url}/metrics").text

    assert 'route="/version"' not in text


def test_depth_and_age_are_told_by_type_and_priority_and_asked_seldom(tmp_path: Path) -> None:
    clock = FakeClock()
    service = CoordinationService(MemoryJobStore(), clock=clock, lease_for=LEASE)
    asked = 0

    def depths() -> list[QueueDepth]:
        nonlocal asked
        asked += 1
        return [QueueDepth("pdf", 2, 7, clock.now() - timedelta(seconds=90))]

    parts = replace(parts_over(service, clock, files_in(tmp_path, clock, service)), depths=depths)
    with served(create_app(parts, ticks=False)) as url:
        httpx2.get(f"{url}/metrics")
        text = httpx2.get(f"{url}/metrics").text

    assert 'blobforge_jobs_ready{priority="2",type="pdf"} 7.0' in text
    assert 'blobforge_oldest_ready_job_seconds{priority="2",type="pdf"} 90.0' in text
    assert asked == 1


def test_who_belongs_to_one_project_does_not_see_the_figures_of_all(tmp_path: Path) -> None:
    class Door:
        async def asker(self, request: object) -> Asker:
            return Asker(name="somebody", role=Role.ADMIN, project="mine")

    clock = FakeClock()
    service = CoordinationService(MemoryJobStore(), clock=clock, lease_for=LEASE)
    parts = parts_over(service, clock, files_in(tmp_path, clock, service), doorman=Door())
    with served(create_app(parts, ticks=False)) as url:
        assert httpx2.get(f"{url}/metrics").status_code == 403


def _job() -> dict[str, object]:
    return {"project": "default", "type": "pdf", "source_hash": HASH}
