"""`blobforge worker --run-window`: a real worker by the clock of its machine."""

import json
import signal
from datetime import UTC, datetime, timedelta

import pytest
from tests.e2e.program import until
from tests.integration.worker.worker_process import Home

from blobforge.domain.job import State
from blobforge.domain.worker_report import read_report

IN_UTC = {"TZ": "UTC"}


def window(*, opens_in: timedelta, lasts: timedelta) -> str:
    """Around the present, in UTC."""
    opens = datetime.now(UTC) + opens_in
    return f"{opens:%H:%M}-{opens + lasts:%H:%M}"


OPEN = window(opens_in=timedelta(hours=-1), lasts=timedelta(hours=3))
CLOSED = window(opens_in=timedelta(hours=2), lasts=timedelta(hours=1))


def test_within_its_window_a_worker_works(home: Home) -> None:
    job = home.submit("a document")

    account = home.worker("--drain", "--run-window", CLOSED, "--run-window", OPEN, **IN_UTC).result()

    assert account["completed"] == 1
    assert home.job(job).state is State.COMPLETED


@pytest.mark.parametrize("by", ["flag", "environment"])
def test_outside_its_window_it_waits_tells_so_and_ends_at_a_signal(home: Home, by: str) -> None:
    job = home.submit("a document")
    args = ["--run-window", CLOSED] if by == "flag" else []
    settings = {} if by == "flag" else {"BLOBFORGE_RUN_WINDOWS": CLOSED}
    worker = home.worker("--drain", *args, BLOBFORGE_HEARTBEAT_SECONDS="0.2", **IN_UTC, **settings)

    said = worker.wait_for("run window")
    with home.queue() as queue:
        until(lambda: any(read_report(one.metadata, worker_id=one.id).run_windows for one in queue.workers()))
        (seen,) = queue.workers()

    assert said["open"] is False
    report = read_report(seen.metadata, worker_id=seen.id)
    assert report.run_windows == (CLOSED,)
    assert report.opens_at is not None
    assert f"{report.opens_at:%H:%M}" == CLOSED.split("-")[0]
    assert worker.is_alive()
    worker.send(signal.SIGTERM)
    assert worker.result(exit_code=130)["completed"] == 0
    assert (home.job(job).state, home.job(job).attempts) == (State.PENDING, 0)


def test_the_windows_may_stand_in_a_file(home: Home) -> None:
    home.folder.mkdir(exist_ok=True)
    (home.folder / "blobforge.toml").write_text(f"run_windows = {json.dumps(CLOSED)}\nabort_outside_window = true\n")

    settings = home.settings()

    assert (settings.worker.run_windows, settings.worker.abort_outside_window) == (CLOSED, True)
