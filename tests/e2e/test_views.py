"""What people see while a worker works: `dashboard`, `workers` and `watch` beside a real worker."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.program import Blobforge, ended, until
from tests.e2e.terminal import Terminal
from tests.integration.worker.worker_process import Home

FOREVER = 3600


@pytest.fixture
def blobforge(tmp_path: Path, home: Home) -> Iterator[Blobforge]:
    blobforge = Blobforge(tmp_path, home.folder)
    yield blobforge
    blobforge.close()


def workers(blobforge: Blobforge) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(blobforge.call("workers", "--json").stdout)["workers"]
    return found


def test_a_running_document_is_seen_with_its_worker(home: Home, blobforge: Blobforge) -> None:
    """R2-17, R2-18, R0-46, R0-73."""
    home.submit("endless", hang_seconds=FOREVER)
    worker = home.worker("--slots", "2", BLOBFORGE_HEARTBEAT_SECONDS="0.2", BLOBFORGE_WORKER_ID="rack4")
    worker.wait_for("job claimed")
    until(lambda: any(job["stage"] for one in workers(blobforge) for job in one["jobs"]))

    told = json.loads(blobforge.call("dashboard", "--json").stdout)
    people = blobforge.call("dashboard").stdout

    assert told["counts"]["echo"]["running"] == 1
    (one,) = told["workers"]
    assert (one["name"], one["standing"], one["slots"]) == ("rack4", "working", 2)
    (job,) = one["jobs"]
    assert (job["name"], job["stage"], job["total"]) == ("endless.pdf", "waiting", 1)
    assert "endless.pdf" in people
    assert "Waiting: 0/1" in people


def test_what_a_worker_has_done_is_kept_over_its_restart(home: Home, blobforge: Blobforge) -> None:
    """R2-9, R2-19, R2-20."""
    for name in "ab":
        home.submit(name)
    home.worker("--drain", BLOBFORGE_WORKER_ID="rack4").result()
    home.submit("c")
    home.worker("--drain", BLOBFORGE_WORKER_ID="rack4").result()

    home.submit("endless", hang_seconds=FOREVER)
    home.worker(BLOBFORGE_WORKER_ID="rack4", BLOBFORGE_HEARTBEAT_SECONDS="0.2").wait_for("job claimed")
    until(lambda: any(one["metrics"]["jobs_completed"] for one in workers(blobforge)))

    (one,) = workers(blobforge)
    assert one["id"].startswith("rack4.")
    assert (one["metrics"]["jobs_completed"], one["metrics"]["bytes_processed"]) == (3, 3)
    assert one["metrics"]["jobs_per_hour"] > 0


def test_a_worker_that_was_killed_is_soon_shown_as_lost(home: Home, blobforge: Blobforge) -> None:
    home.submit("endless", hang_seconds=FOREVER)
    worker = home.worker(BLOBFORGE_HEARTBEAT_SECONDS="0.2", BLOBFORGE_WORKER_ID="rack4")
    worker.wait_for("job claimed")
    until(lambda: [one["standing"] for one in workers(blobforge)] == ["working"])

    worker.kill()

    until(lambda: [one["standing"] for one in workers(blobforge)] == ["lost"])
    assert "endless.pdf" not in blobforge.call("dashboard").stdout


def test_two_workers_of_one_name_live_side_by_side_and_take_nothing_from_each_other(
    home: Home, blobforge: Blobforge
) -> None:
    """R0-40, R2-9, R2-39."""
    jobs = [home.submit(name, hang_seconds=FOREVER) for name in "ab"]
    first = home.worker("--slots", "1", BLOBFORGE_WORKER_ID="rack4")
    first.wait_for("job claimed")
    second = home.worker("--slots", "1", BLOBFORGE_WORKER_ID="rack4")
    second.wait_for("job claimed")

    until(lambda: len(workers(blobforge)) == 2)

    assert {one["name"] for one in workers(blobforge)} == {"rack4"}
    assert [(home.job(job).state.value, home.job(job).attempts) for job in jobs] == [("running", 1)] * 2
    assert first.is_alive()


def test_watch_has_the_screen_for_itself_follows_the_queue_and_gives_the_screen_back(
    home: Home, blobforge: Blobforge
) -> None:
    """R2-23."""
    home.submit("a")
    watching = Terminal(blobforge, "watch", "--interval", "0.2", env={"NO_COLOR": "1"})
    watching.wait_for(r"1 pending .*")

    home.submit("b")
    watching.wait_for(r"2 pending .*")
    watching.press_ctrl_c()

    assert watching.wait_for_end() == 0
    assert watching.raw.startswith("\x1b[?1049h")
    assert watching.raw.endswith("\x1b[?25h\x1b[?1049l")


@pytest.mark.parametrize("key", ["q", "Q", "xyq"])
def test_q_ends_watch_and_gives_the_terminal_back_as_it_was(home: Home, blobforge: Blobforge, key: str) -> None:
    home.submit("a")
    watching = Terminal(blobforge, "watch", "--interval", "60", env={"NO_COLOR": "1"})
    before = watching.modes()
    watching.wait_for(r"q or Ctrl-C ends")
    assert watching.modes() != before

    watching.type(key)

    assert watching.wait_for_modes(before)
    assert watching.wait_for_end() == 0
    assert watching.raw.endswith("\x1b[?25h\x1b[?1049l")


def test_watch_fits_on_its_screen(home: Home, blobforge: Blobforge) -> None:
    watching = Terminal(blobforge, "watch", env={"NO_COLOR": "1"}, columns=80)
    watching.wait_for(r"q or Ctrl-C ends")
    watching.press_ctrl_c()
    watching.wait_for_end()

    assert max(map(len, watching.lines)) <= 80


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_on_a_pipe_watch_prints_again_and_again_and_ends_when_it_is_told(
    home: Home, blobforge: Blobforge, number: signal.Signals
) -> None:
    """R2-23."""
    home.submit("a")
    process = blobforge.start("watch", "--interval", "0.2")
    assert process.stdout is not None
    boards = 0
    while boards < 3:
        boards += process.stdout.readline().startswith("BlobForge · default")

    process.send_signal(number)

    done = ended(process)
    assert (done.returncode, done.stderr) == (0, "")


def test_programs_get_a_line_for_each_look(home: Home, blobforge: Blobforge) -> None:
    home.submit("a")
    process = blobforge.start("watch", "--interval", "0.2", "--json")
    assert process.stdout is not None

    looks = [json.loads(process.stdout.readline()) for _ in range(2)]
    process.send_signal(signal.SIGINT)

    assert ended(process).returncode == 0
    assert [look["counts"]["echo"]["pending"] for look in looks] == [1, 1]


def test_a_terminal_that_cannot_move_its_cursor_gets_plain_lines(home: Home, blobforge: Blobforge) -> None:
    watching = Terminal(blobforge, "watch", "--interval", "0.2", env={"TERM": "dumb"})
    watching.wait_for(r"BlobForge · default.*")
    watching.press_ctrl_c()

    assert watching.wait_for_end() == 0
    assert "\x1b" not in watching.raw


def test_a_job_that_failed_is_no_longer_renewed_by_the_heartbeat_of_its_worker(
    home: Home, blobforge: Blobforge
) -> None:
    """R0-53: the others of the same worker are."""
    failed, running = home.submit("bad", fail="timed_out"), home.submit("endless", hang_seconds=FOREVER)
    home.worker("--slots", "2", BLOBFORGE_HEARTBEAT_SECONDS="0.2").wait_for("job failed")

    def facts(job: object) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(blobforge.call("status", f"#{job}", "--json").stdout)["job"]
        return told

    until(lambda: facts(failed)["state"] != "running" and facts(running)["state"] == "running")
    ended_as, held_until = facts(failed), facts(running)["lease_expires_at"]
    until(lambda: facts(running)["lease_expires_at"] > held_until)

    assert facts(failed) == ended_as
    assert ended_as["lease_expires_at"] is None


def test_the_time_that_a_document_may_take_is_a_setting_of_its_worker(home: Home, blobforge: Blobforge) -> None:
    """R2-47."""
    home.submit("endless", hang_seconds=FOREVER)

    home.worker(BLOBFORGE_CONVERSION_TIMEOUT="1").wait_for("job failed")

    (job,) = json.loads(blobforge.call("list", "--json").stdout)["jobs"]
    assert (job["state"], job["error_code"]) == ("dead", "timed_out")
    assert "longer than 1 s" in job["last_error"]
