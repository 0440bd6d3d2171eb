"""A worker that has a server's address and a secret, and neither a database nor the keys of a store."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, until
from tests.e2e.service import Service
from tests.faulty_s3 import Fault
from tests.integration.worker.workbench import has_ended

from blobforge.cli import exit_codes
from blobforge.domain.ids import JobId
from blobforge.domain.job import State

SHORT_LEASE = {"BLOBFORGE_LEASE_SECONDS": "4"}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    service = Service(tmp_path)
    yield service
    service.close()


def test_a_worker_with_three_variables_does_the_jobs_of_a_server(service: Service) -> None:
    """R1-59, R1-85."""
    secret = service.worker_account("rack-4")
    service.start()
    jobs = [service.home.submit(f"document {number}") for number in range(3)]

    account = service.worker(secret, "--drain").result()

    assert (account["completed"], account["failed"]) == (3, 0)
    assert {service.home.job(job).state for job in jobs} == {State.COMPLETED}


def test_of_an_exclusive_account_one_process_does_the_jobs_until_a_later_one_takes_its_place(service: Service) -> None:
    """R1-59."""
    often = {"BLOBFORGE_HEARTBEAT_SECONDS": "1"}
    secret = service.worker_account("rack-4", "--exclusive")
    service.start()
    done = [service.home.submit(f"document {number}") for number in range(2)]
    assert service.worker(secret, "--drain", home="first", **often).result()["completed"] == 2
    job = service.home.submit("endless", hang_seconds=3600)
    earlier = service.worker(secret, "--slots", "1", home="second", **often)
    earlier.wait_for("job claimed")

    later = service.worker(secret, "--slots", "1", home="third", **often)
    later.wait_for("job claimed")

    said = earlier.result(exit_code=exit_codes.ERROR)["error"]
    assert said["code"] == "lease_lost"
    assert f"was replaced: {service.home.job(job).worker_id} registered as worker rack-4" in said["message"]
    assert {service.home.job(other).state for other in done} == {State.COMPLETED}
    before = last_heartbeat(service)
    until(lambda: last_heartbeat(service) > before)
    assert later.is_alive()


@pytest.mark.extended  # the same rule as on every queue
def test_the_job_of_a_worker_that_was_killed_is_free_after_its_lease(service: Service) -> None:
    secret = service.worker_account("rack-4")
    service.start(**SHORT_LEASE)
    job = service.home.submit("a document", hang_seconds=1)
    first = service.worker(secret, "--slots", "1", home="first", **SHORT_LEASE)
    first.wait_for("job claimed")

    first.kill()
    account = service.worker(secret, "--drain", home="second", **SHORT_LEASE).result()

    done = service.home.job(job)
    assert account["completed"] == 1
    assert (done.state, done.attempts, done.lease_number) == (State.COMPLETED, 2, 2)


@pytest.mark.parametrize(
    "path",
    [
        "/api/queue/settle",
        pytest.param("/api/queue/upload-url", marks=pytest.mark.extended),
        pytest.param("/blobs/outputs/.attempts", marks=pytest.mark.extended),
    ],
)
def test_a_server_that_dies_at_any_step_loses_nothing_and_publishes_nothing_twice(service: Service, path: str) -> None:
    """The request has reached it, its answer is lost, and then the server is killed and started again."""
    secret = service.worker_account("rack-4")
    with service.behind_a_proxy() as proxy:
        service.start()
        jobs = [service.home.submit(f"document {number}") for number in range(4)]
        worker = service.worker(secret, "--slots", "2")
        worker.wait_for("job claimed")

        for _ in range(2):
            with proxy.fault(Fault.LOST_REPLY, path=path, times=1) as order:
                jobs.append(service.home.submit(f"one more, the {len(jobs)}th"))
                until(lambda order=order: order.left == 0)  # type: ignore[misc]
                service.kill()
                service.start()

        until(lambda: all(service.home.job(job).state is State.COMPLETED for job in jobs))
        worker.send(signal.SIGTERM)
        account = worker.result()

    assert account["failed"] == account["lost"] == 0
    for job in jobs:
        assert outcomes(service, job)[-1:] == ["completed"]
        assert outcomes(service, job).count("completed") == 1
        assert service.published(service.home.job(job)).is_file()
    assert service.unpublished() == []


def test_a_worker_waits_for_a_server_that_is_away_and_ends_for_none_of_it(service: Service) -> None:
    """Also at its start."""
    secret = service.worker_account("rack-4")
    worker = service.worker(secret, "--slots", "1", "--drain")
    assert "does not answer" in worker.wait_for("the queue or the store does not answer; waiting")["error"]

    service.start()
    job = service.home.submit("a document", hang_seconds=2)
    worker.wait_for("job claimed")
    service.kill()
    worker.wait_for("the queue does not answer; waiting")
    service.start()

    assert worker.result()["completed"] == 1
    assert service.home.job(job).attempts == 1


def test_a_worker_that_slept_past_its_lease_publishes_nothing(service: Service) -> None:
    secret = service.worker_account("rack-4")
    service.start(**SHORT_LEASE)
    job = service.home.submit("a document", hang_seconds=0.5)
    sleeper = service.worker(secret, "--slots", "1", home="first", **SHORT_LEASE)
    sleeper.wait_for("job claimed")
    sleeper.send(signal.SIGSTOP)

    assert service.worker(secret, "--drain", home="second", **SHORT_LEASE).result()["completed"] == 1
    before = service.published(service.home.job(job)).read_bytes()
    sleeper.send(signal.SIGCONT)
    event = sleeper.wait_for_any({"job lost", "job ended too late"})
    sleeper.send(signal.SIGTERM)

    assert sleeper.result()["lost"] == 1
    assert "superseded" in event["error"] or "lease" in event["error"]
    assert service.published(service.home.job(job)).read_bytes() == before
    assert outcomes(service, job) == ["expired", "completed"]


def test_a_worker_that_was_disabled_ends_its_children_first_and_says_why(service: Service) -> None:
    secret = service.worker_account("rack-4")
    service.start(**SHORT_LEASE)
    job = service.home.submit("endless", hang_seconds=3600)
    worker = service.worker(secret, "--slots", "1")
    worker.wait_for("job claimed")
    (child,) = worker.children()

    service.local("workers", "disable", "rack-4", "--json")

    said = worker.result(exit_code=exit_codes.REFUSED)["error"]
    assert said["code"] == "not_signed_in"
    assert "worker 'rack-4' was disabled" in said["message"]
    assert "BLOBFORGE_WORKER_SECRET" in said["message"]
    assert has_ended(child, within=0)
    assert (service.home.job(job).state, service.home.job(job).attempts) == (State.PENDING, 0)


@pytest.mark.extended  # the other one ends in the middle of a job
def test_a_secret_that_counts_no_more_ends_an_idle_worker(service: Service) -> None:
    secret = service.worker_account("rack-4")
    service.start()
    worker = service.worker(secret, BLOBFORGE_HEARTBEAT_SECONDS="1")
    assert worker.wait_for("worker started")["store"] == "the server's"

    service.local("workers", "regenerate", "rack-4", "--json")

    assert "workers regenerate rack-4" in worker.result(exit_code=exit_codes.REFUSED)["error"]["message"]


@pytest.mark.extended  # that of an ending is lost above
def test_every_answer_may_be_lost_once(service: Service) -> None:
    """Endings are told again, what a lost claim gave is asked for, uploads are made anew."""
    secret = service.worker_account("rack-4")
    with service.behind_a_proxy() as proxy:
        service.start()
        jobs = [service.home.submit(f"document {number}") for number in range(4)]
        with ExitStack() as faults:
            for path in (
                "settle",
                "renew",
                "register",
                "upload-url",
                "blob-url",
                "news",
                "/blobs/sources",
                ".attempts",
            ):
                faults.enter_context(proxy.fault(Fault.LOST_REPLY, path=path, times=1))
            account = service.worker(secret, "--drain", BLOBFORGE_HEARTBEAT_SECONDS="1").result()

    assert (account["completed"], account["failed"], account["lost"]) == (4, 0, 0)
    for job in jobs:
        assert set(outcomes(service, job)) <= {"released", "completed"}, service.history(job)


def test_the_error_log_of_a_document_keeps_all_its_attempts(service: Service) -> None:
    secret = service.worker_account("rack-4")
    service.start()
    job = service.home.submit("a document", fail="store_unavailable")

    service.worker(secret, "--drain", BLOBFORGE_HEARTBEAT_SECONDS="1").result(exit_code=exit_codes.PARTIAL)

    told = service.local("logs", str(job), "--json")
    assert [attempt["lease"] for attempt in told["attempts"]] == [1, 2, 3]
    assert all("Traceback" in attempt["traceback"] for attempt in told["attempts"])


def test_a_job_that_is_cancelled_ends_its_child_at_once(service: Service, tmp_path: Path) -> None:
    """Long before the worker would have asked for it."""
    secret = service.worker_account("rack-4")
    operator = service.person(service.token("operator"), tmp_path / "operator")
    service.start()
    job = service.home.submit("endless", hang_seconds=3600)
    worker = service.worker(secret, "--slots", "1")
    worker.wait_for("job claimed")
    (child,) = worker.children()

    assert operator.call("cancel", f"#{job}").exit_code == 0

    assert has_ended(child, within=2)
    worker.wait_for("job cancelled")


def test_a_probe_sees_whether_a_worker_lives(service: Service) -> None:
    secret = service.worker_account("rack-4")
    service.start()
    machine = Blobforge(service.folder, service.folder / "worker")
    assert machine.call("worker", "health").exit_code == exit_codes.ERROR
    worker = service.worker(secret, "--slots", "1")
    worker.wait_for("worker started")
    service.kill()

    alive = machine.call("worker", "health", "--json")

    assert alive.exit_code == 0, alive.output
    (seen,) = json.loads(alive.stdout)["workers"]
    lock = next((service.folder / "worker" / "workers").glob("*.lock"))
    os.utime(lock, (0, 0))
    assert (seen["id"].startswith("rack-4."), machine.call("worker", "health").exit_code) == (True, exit_codes.ERROR)


def outcomes(service: Service, job: JobId) -> list[str]:
    with service.home.queue() as queue:
        return [attempt.outcome for attempt in queue.history(job).attempts]


def last_heartbeat(service: Service) -> datetime:
    with service.home.queue() as queue:
        return max(worker.last_heartbeat for worker in queue.workers())
