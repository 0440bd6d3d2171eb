"""Machines whose clocks go ten minutes wrong, either way, at a server whose clock counts alone."""

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.program import until
from tests.e2e.service import Service
from tests.pdfs import text_pdf

from blobforge.domain.job import State

FOLDER = Path(__file__).parents[1] / "wrong_clock"
MINUTES = [pytest.param(10, id="ahead"), pytest.param(-10, id="behind")]
SHORT_LEASE = {"BLOBFORGE_LEASE_SECONDS": "4"}
LITTLE = timedelta(minutes=2)


def wrong_by(minutes: int) -> dict[str, str]:
    return {"PYTHONPATH": str(FOLDER), "CLOCK_OFF_SECONDS": str(60 * minutes)}


def is_about_now(moment: datetime | None) -> bool:
    return moment is not None and abs(moment - datetime.now(UTC)) < LITTLE


def said(done: "subprocess.CompletedProcess[str]") -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    service = Service(tmp_path)
    yield service
    service.close()


@pytest.mark.parametrize("minutes", MINUTES)
def test_the_clock_of_such_a_machine_is_wrong(minutes: int) -> None:
    """Else the others would show nothing."""
    asked = "import time; from datetime import UTC, datetime; print(datetime.now(UTC).timestamp(), time.time())"

    said = subprocess.run([sys.executable, "-c", asked], env=wrong_by(minutes), capture_output=True, check=True).stdout

    for told in map(float, said.split()):
        assert abs(datetime.fromtimestamp(told, UTC) - datetime.now(UTC) - timedelta(minutes=minutes)) < LITTLE


@pytest.mark.parametrize("minutes", MINUTES)
def test_a_worker_claims_keeps_its_lease_and_brings_its_result(service: Service, minutes: int) -> None:
    """The document takes longer than a lease, which heartbeats renew; source and result go by signed addresses."""
    secret = service.worker_account("rack-4")
    service.start(**SHORT_LEASE)
    job = service.home.submit("a document", hang_seconds=6)

    account = service.worker(secret, "--drain", "--slots", "1", **SHORT_LEASE, **wrong_by(minutes)).result()

    done = service.home.job(job)
    assert (account["completed"], account["lost"], account["failed"]) == (1, 0, 0)
    assert (done.state, done.attempts, done.lease_number) == (State.COMPLETED, 1, 1)
    assert is_about_now(done.started_at)
    assert is_about_now(done.completed_at)
    assert service.published(done).is_file()


@pytest.mark.parametrize("minutes", MINUTES)
def test_a_worker_takes_nothing_of_one_that_lives(service: Service, minutes: int) -> None:
    """Of its own name: who was heard of a moment ago is not silent for ten minutes."""
    secret = service.worker_account("rack-4")
    service.start(**SHORT_LEASE)
    job = service.home.submit("a document", hang_seconds=2)
    first = service.worker(secret, "--slots", "1", home="first", **SHORT_LEASE)
    first.wait_for("job claimed")
    second = service.worker(secret, "--slots", "1", home="second", **SHORT_LEASE, **wrong_by(minutes))
    second.wait_for("worker started")
    until(lambda: service.home.job(job).state is State.COMPLETED)
    assert service.home.job(job).attempts == 1

    other = service.home.submit("another document", hang_seconds=2)
    until(lambda: service.home.job(other).state is not State.PENDING)
    until(lambda: service.home.job(other).state is State.COMPLETED)

    assert service.home.job(other).attempts == 1


@pytest.mark.parametrize("minutes", MINUTES)
def test_the_job_of_a_killed_worker_is_free_after_its_lease_and_not_before(service: Service, minutes: int) -> None:
    """By a worker of another name: one of the same name sees on this machine that its process has ended."""
    secret, other = service.worker_account("rack-4"), service.worker_account("rack-5")
    service.start(**SHORT_LEASE)
    job = service.home.submit("a document", hang_seconds=1)
    first = service.worker(secret, "--slots", "1", home="first", **SHORT_LEASE, **wrong_by(minutes))
    first.wait_for("job claimed")
    first.kill()

    second = service.worker(other, "--drain", home="second", **SHORT_LEASE, **wrong_by(-minutes))

    assert second.result()["completed"] == 1
    done = service.home.job(job)
    assert (done.attempts, done.lease_number) == (2, 2)
    (lost, _) = service.history(job).attempts
    assert lost.started_at is not None
    assert done.started_at is not None
    assert done.started_at - lost.started_at >= timedelta(seconds=4)


@pytest.mark.parametrize("minutes", MINUTES)
def test_a_person_brings_a_document_in_and_gets_the_result(service: Service, tmp_path: Path, minutes: int) -> None:
    me = service.person(service.token("operator"), tmp_path / "me")
    secret = service.worker_account("rack-4")
    service.start()
    (me.cwd / "docs").mkdir()
    text_pdf(me.cwd / "docs" / "report.pdf", "A report on wool")

    queued = me.run("ingest", "docs", "--json", **wrong_by(minutes))
    assert said(queued)["queued"] == 1
    assert service.worker(secret, "--drain", job_type="pdf").result()["completed"] == 1
    said(me.run("download", "#1", "--json", **wrong_by(minutes)))

    (job,) = said(me.run("list", "--json", **wrong_by(minutes)))["jobs"]
    assert job["state"] == "completed"
    assert is_about_now(datetime.fromisoformat(job["created_at"]))
    (document,) = said(me.run("lookup", "--path", "report.pdf", "--json", **wrong_by(minutes)))["documents"]
    assert is_about_now(datetime.fromisoformat(document["ingested_at"]))
