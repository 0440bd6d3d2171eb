"""`kill -9` of a worker: its job runs again, by its lease or sooner, and not for ever."""

from shutil import rmtree

from tests.integration.worker.workbench import has_ended
from tests.integration.worker.worker_process import Home

from blobforge.domain.job import State

FOREVER = 3600
SHORT_LEASE = {"BLOBFORGE_LEASE_SECONDS": "2"}


def crash(home: Home) -> int:
    """A worker claims the job and is killed at once; gives its child's number."""
    worker = home.worker("--slots", "1")
    worker.wait_for("job claimed")
    (child,) = worker.children()
    worker.kill()
    return child


def test_another_worker_on_the_same_machine_frees_the_job_at_its_start(home: Home) -> None:
    """R0-41, R2-36, R2-37."""
    job = home.submit("a document", hang_seconds=2)
    child = crash(home)
    assert has_ended(child, within=1.5)  # and not because it was done
    assert home.job(job).state is State.RUNNING
    assert len(home.left_by_workers()) == 2  # its lock and its workspace

    # The lease of three minutes plays no part in it.
    account = home.worker("--drain").result()

    done = home.job(job)
    assert account["completed"] == 1
    assert (done.state, done.attempts, done.lease_number) == (State.COMPLETED, 2, 2)
    with home.queue() as queue:
        attempts, events = queue.history(job)
    assert [event.kind for event in events] == ["submitted", "claimed", "expired", "claimed", "completed"]
    assert events[2].worker_id == attempts[0].worker_id != attempts[1].worker_id
    assert home.left_by_workers() == []


def test_a_worker_of_the_same_id_with_a_fresh_home_frees_the_job_of_its_predecessor(home: Home) -> None:
    """R0-41, R2-36. As in a container that was restarted: no file tells of the first one."""
    job = home.submit("a document", hang_seconds=2)
    crash(home)
    rmtree(home.folder / "workers")

    assert home.worker("--drain").result()["completed"] == 1

    assert (home.job(job).state, home.job(job).attempts) == (State.COMPLETED, 2)


def test_the_only_worker_of_its_name_frees_what_a_worker_of_that_name_holds(home: Home) -> None:
    """R0-41. Whether that one lives cannot always be seen: who says so takes it for gone."""
    job = home.submit("endless", hang_seconds=FOREVER)
    first = home.worker("--slots", "1", BLOBFORGE_WORKER_ID="press-1")
    first.wait_for("job claimed")

    second = home.worker("--slots", "1", BLOBFORGE_WORKER_ID="press-1", BLOBFORGE_WORKER_EXCLUSIVE="true")

    assert second.wait_for("job claimed")["attempt"] == 2
    assert home.job(job).state is State.RUNNING


def test_a_worker_that_is_already_there_takes_the_job_when_its_lease_is_over(home: Home) -> None:
    job = home.submit("a document", hang_seconds=1)
    first = home.worker("--slots", "1", **SHORT_LEASE)
    first.wait_for("job claimed")
    second = home.worker("--drain", **SHORT_LEASE)

    first.kill()

    assert second.result()["completed"] == 1
    assert home.job(job).state is State.COMPLETED


def test_a_job_that_three_workers_did_not_survive_is_dead_with_a_clear_error(home: Home) -> None:
    """R2-36, R2-38."""
    job = home.submit("deadly", hang_seconds=FOREVER)

    for _ in range(3):
        crash(home)
    home.worker("--run-once").result()

    dead = home.job(job)
    assert (dead.state, dead.error_code, dead.attempts) == (State.DEAD, "lease_expired", 3)
    assert str(dead.last_error).endswith("was gone before it finished attempt 3 of 3")
    with home.queue() as queue:
        assert len(queue.history(job).attempts) == 3


def test_a_live_worker_is_not_taken_for_dead_by_another_on_the_same_home(home: Home) -> None:
    """R0-40, R2-39."""
    job = home.submit("endless", hang_seconds=FOREVER)
    first = home.worker("--slots", "1")
    first.wait_for("job claimed")
    claimed = home.job(job)

    assert home.worker("--run-once").result()["completed"] == 0

    assert home.job(job)._replace(rev=0, lease_expires_at=None, updated_at=claimed.updated_at) == claimed._replace(
        rev=0, lease_expires_at=None
    )
    assert first.is_alive()
