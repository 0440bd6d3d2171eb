"""A queue that is shared with a store that is not, and everything that looks like it and is meant so."""

import json
import shutil
import signal
from pathlib import Path

import pytest
from tests.e2e.machines import findings
from tests.e2e.program import Blobforge, ended, until
from tests.pdfs import text_pdf


def test_a_second_machine_with_a_store_of_its_own_is_told_before_it_spoils_a_job(
    machines: tuple[Blobforge, Blobforge], shared: dict[str, str]
) -> None:
    first, second = machines
    text_pdf(first.cwd / "a.pdf")
    text_pdf(first.cwd / "b.pdf")
    assert first.call("submit", "a.pdf", **shared).exit_code == 0

    worked = second.call("worker", "--drain", **shared)
    submitted = second.call("submit", "b.pdf", **shared)
    ingested = second.call("ingest", "b.pdf", **shared)
    converted = second.call("convert", "b.pdf", "-o", "out", **shared)

    for refused in (worked, submitted, ingested, converted):
        assert refused.exit_code == 2, refused.output
        assert "[store_mismatch]" in refused.stderr
        assert "BLOBFORGE_STORE" in refused.stderr
        assert str(first.home / "blobs") in refused.stderr
        assert "doctor --confirm-store" in refused.stderr
    verdict, message = findings(second, **shared)["queue and store"]
    assert (verdict, str(first.home / "blobs") in message) == ("problem", True)
    assert findings(first, **shared)["queue and store"][0] == "ok"
    (job,) = json.loads(first.call("list", "--json", **shared).stdout)["jobs"]
    assert (job["state"], job["attempts"]) == ("pending", 0)


def test_why_says_on_a_machine_with_another_store_that_no_worker_can_run_there(
    machines: tuple[Blobforge, Blobforge], shared: dict[str, str]
) -> None:
    first, second = machines
    text_pdf(first.cwd / "a.pdf")
    first.call("submit", "a.pdf", **shared)

    here, there = first.call("why", "#1", **shared), second.call("why", "#1", **shared)

    assert [here.exit_code, there.exit_code] == [0, 0]
    assert "no worker serves the type 'pdf'" in there.stdout
    assert str(first.home / "blobs") in there.stderr
    assert here.stderr == ""


@pytest.mark.parametrize(
    "command",
    [
        "hydrate a.pdf",
        "download #1",
        "preview #1",
        "retry #1",
        "reprocess #1",
        "retry-all --gaps",
        "plan",
        "manifest rebuild",
        "manifest",
        "search pdf",
        "lookup a.pdf",
        "clear-dead --yes",
    ],
)
def test_whoever_needs_both_is_told_that_the_store_is_another(
    command: str, machines: tuple[Blobforge, Blobforge], shared: dict[str, str]
) -> None:
    first, second = machines
    text_pdf(first.cwd / "a.pdf")
    first.call("submit", "a.pdf", **shared)
    first.call("worker", "--drain", **shared)
    before = json.loads(first.call("list", "--json", **shared).stdout)

    refused = second.call(*command.split(), **shared)

    assert (refused.exit_code, "[store_mismatch]" in refused.stderr) == (2, True), refused.output
    assert str(first.home / "blobs") in refused.stderr
    assert json.loads(first.call("list", "--json", **shared).stdout) == before


def test_machines_with_one_queue_and_one_store_work_together(
    machines: tuple[Blobforge, Blobforge], shared: dict[str, str], tmp_path: Path
) -> None:
    first, second = machines
    both = {**shared, "BLOBFORGE_STORE": (tmp_path / "disk").as_uri()}
    text_pdf(first.cwd / "a.pdf")
    first.call("submit", "a.pdf", **both)

    worked = second.call("worker", "--drain", **both)

    assert worked.exit_code == 0, worked.output
    assert findings(second, **both)["queue and store"][0] == "ok"


def test_a_store_that_was_moved_is_known_again(
    machines: tuple[Blobforge, Blobforge], shared: dict[str, str], tmp_path: Path
) -> None:
    first, _ = machines
    text_pdf(first.cwd / "a.pdf")
    first.call("submit", "a.pdf", **shared)

    shutil.move(first.home / "blobs", tmp_path / "moved")
    worked = first.call("worker", "--drain", **shared, BLOBFORGE_STORE=(tmp_path / "moved").as_uri())

    assert worked.exit_code == 0, worked.output


def test_another_store_on_purpose_is_confirmed_once(
    machines: tuple[Blobforge, Blobforge], shared: dict[str, str]
) -> None:
    first, second = machines
    text_pdf(first.cwd / "a.pdf")
    first.call("submit", "a.pdf", **shared)

    confirmed = second.call("doctor", "--confirm-store", "--yes", **shared)
    worked = second.call("worker", "--run-once", **shared)

    assert "belong together" in confirmed.stderr
    assert "[store_mismatch]" not in worked.stderr


def test_who_still_has_the_store_from_before_a_confirmation_is_refused(
    machines: tuple[Blobforge, Blobforge], shared: dict[str, str]
) -> None:
    first, second = machines
    text_pdf(first.cwd / "a.pdf")
    text_pdf(first.cwd / "b.pdf", "submitted with the other store")
    first.call("submit", "a.pdf", **shared)
    confirmed = second.call("doctor", "--confirm-store", "--yes", **shared)
    second.call("submit", "b.pdf", **shared)
    (first.cwd / "b.pdf").unlink()

    worked = first.call("worker", "--drain", **shared)
    submitted = first.call("submit", "a.pdf", **shared)

    assert str(first.home / "blobs") in confirmed.stderr, "what it takes the place of"
    for refused in (worked, submitted):
        assert (refused.exit_code, "[store_mismatch]" in refused.stderr) == (2, True), refused.output
        assert str(second.home / "blobs") in refused.stderr
    assert findings(first, **shared)["queue and store"][0] == "problem"
    assert findings(second, **shared)["queue and store"][0] == "ok"
    (job,) = json.loads(second.call("list", "--json", "--state", "pending", **shared).stdout)["jobs"][:1]
    assert job["attempts"] == 0


def test_a_worker_that_runs_while_another_store_is_confirmed_gives_back_what_it_does_not_find(
    machines: tuple[Blobforge, Blobforge], shared: dict[str, str]
) -> None:
    first, second = machines
    worker = first.start("worker", BLOBFORGE_QUEUE=shared["BLOBFORGE_QUEUE"])
    until(lambda: bool(json.loads(first.call("workers", "--json", **shared).stdout)["workers"]))
    second.call("doctor", "--confirm-store", **shared)
    # It looks again when the file is gone from where it was submitted: both machines are this one.
    worker.send_signal(signal.SIGSTOP)
    text_pdf(second.cwd / "a.pdf")
    second.call("submit", "a.pdf", **shared)
    (second.cwd / "a.pdf").unlink()
    worker.send_signal(signal.SIGCONT)

    def is_given_back() -> bool:
        (job,) = json.loads(second.call("list", "--json", **shared).stdout)["jobs"]
        assert job["state"] in ("pending", "running"), job
        return bool(job["state"] == "pending" and job["updated_at"] > job["created_at"])

    until(is_given_back)
    worker.terminate()

    assert f"others use it with file://{second.home / 'blobs'}" in ended(worker).stderr
    assert second.call("worker", "--drain", **shared).exit_code == 0


def test_a_worker_that_runs_while_another_store_is_confirmed_publishes_nothing_into_its_own(
    machines: tuple[Blobforge, Blobforge], shared: dict[str, str]
) -> None:
    """It finds the document where it was submitted, and misses nothing."""
    first, second = machines
    worker = first.start("worker", BLOBFORGE_QUEUE=shared["BLOBFORGE_QUEUE"])
    until(lambda: bool(json.loads(first.call("workers", "--json", **shared).stdout)["workers"]))
    worker.send_signal(signal.SIGSTOP)
    second.call("doctor", "--confirm-store", **shared)
    text_pdf(second.cwd / "a.pdf")
    second.call("submit", "a.pdf", **shared)
    worker.send_signal(signal.SIGCONT)

    def is_given_back() -> bool:
        (job,) = json.loads(second.call("list", "--json", **shared).stdout)["jobs"]
        assert job["state"] in ("pending", "running"), job
        return bool(job["state"] == "pending" and job["updated_at"] > job["created_at"])

    until(is_given_back)
    worker.terminate()
    ended(worker)

    assert second.call("worker", "--drain", **shared).exit_code == 0
    (job,) = json.loads(second.call("list", "--json", **shared).stdout)["jobs"]
    assert second.call("download", f"#{job['id']}", "-o", "a.zip", **shared).exit_code == 0


def test_the_store_from_before_can_be_confirmed_again(
    machines: tuple[Blobforge, Blobforge], shared: dict[str, str]
) -> None:
    first, second = machines
    text_pdf(first.cwd / "a.pdf")
    first.call("submit", "a.pdf", **shared)
    second.call("doctor", "--confirm-store", **shared)

    first.call("doctor", "--confirm-store", **shared)

    assert first.call("worker", "--drain", **shared).exit_code == 0
    assert first.call("gc", "--older-than", "0", "--yes", **shared).exit_code == 0, "it serves one queue"
    assert second.call("worker", "--drain", **shared).exit_code == 2


def test_a_copy_of_the_store_is_refused_once_the_other_is_confirmed(
    machines: tuple[Blobforge, Blobforge], shared: dict[str, str], tmp_path: Path
) -> None:
    """The mark was copied too, so that only a person can tell which of both is the one."""
    first, _ = machines
    text_pdf(first.cwd / "a.pdf")
    first.call("submit", "a.pdf", **shared)
    shutil.copytree(first.home / "blobs", tmp_path / "copy")
    moved = {**shared, "BLOBFORGE_STORE": (tmp_path / "copy").as_uri()}

    assert first.call("doctor", "--confirm-store", **moved).exit_code == 0

    assert first.call("worker", "--drain", **shared).exit_code == 2
    assert first.call("worker", "--drain", **moved).exit_code == 0


def test_to_confirm_a_store_that_is_shared_refuses_nobody(
    machines: tuple[Blobforge, Blobforge], shared: dict[str, str], tmp_path: Path
) -> None:
    first, second = machines
    (tmp_path / "disk").mkdir()
    (tmp_path / "mounted").symlink_to(tmp_path / "disk")
    text_pdf(first.cwd / "a.pdf")
    first.call("submit", "a.pdf", **shared, BLOBFORGE_STORE=(tmp_path / "disk").as_uri())

    confirmed = second.call("doctor", "--confirm-store", **shared, BLOBFORGE_STORE=(tmp_path / "mounted").as_uri())

    assert "refused" not in confirmed.stderr
    assert findings(first, **shared, BLOBFORGE_STORE=(tmp_path / "disk").as_uri())["queue and store"][0] == "ok"
    assert second.call("worker", "--drain", **shared, BLOBFORGE_STORE=(tmp_path / "mounted").as_uri()).exit_code == 0


def test_a_new_queue_at_a_store_of_another_is_asked_about(
    machines: tuple[Blobforge, Blobforge], shared: dict[str, str], tmp_path: Path
) -> None:
    """Whoever forgets BLOBFORGE_QUEUE would put jobs where nobody looks, and `gc` would clear the others' documents."""
    first, second = machines
    disk = (tmp_path / "disk").as_uri()
    text_pdf(first.cwd / "a.pdf")
    first.call("submit", "a.pdf", **shared, BLOBFORGE_STORE=disk)

    alone = second.call("submit", "a.pdf", BLOBFORGE_STORE=disk)
    collected = second.call("gc", "--older-than", "0", "--yes", BLOBFORGE_STORE=disk)
    on_purpose = second.call("doctor", "--confirm-store", BLOBFORGE_STORE=disk)
    again = second.call("submit", "a.pdf", BLOBFORGE_STORE=disk)

    assert (alone.exit_code, collected.exit_code) == (2, 2), alone.output + collected.output
    assert "BLOBFORGE_QUEUE" in alone.stderr
    assert "postgresql://" in alone.stderr
    assert on_purpose.exit_code == 0, on_purpose.output
    assert again.exit_code == 0, again.output


def test_who_begins_anew_at_home_is_asked_nothing(machines: tuple[Blobforge, Blobforge]) -> None:
    first, second = machines
    text_pdf(first.cwd / "a.pdf")
    (first.cwd / "empty").mkdir()
    first.call("submit", "a.pdf")
    second.call("ingest", "empty")

    (first.home / "queue.db").unlink()
    without_queue = first.call("submit", "a.pdf")
    shutil.rmtree(second.home / "blobs")
    without_store = second.call("submit", "a.pdf")

    assert (without_queue.exit_code, without_store.exit_code) == (0, 0)
