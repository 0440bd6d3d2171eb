"""What gc clears in a store that several queues may have used: none of what another one, a lost one or a copy knows."""

import shutil
from pathlib import Path

from tests.e2e.machines import findings
from tests.e2e.program import Blobforge
from tests.pdfs import text_pdf
from tests.postgres import Server


def blobs_of(machine: Blobforge) -> set[Path]:
    store = machine.home / "blobs"
    return {path for kind in ("sources", "outputs") for path in (store / kind).rglob("*") if path.is_file()}


def test_what_a_lost_queue_knew_stays_until_somebody_says_that_it_is_gone_for_good(
    machines: tuple[Blobforge, Blobforge],
) -> None:
    """Its database may come back: from a backup, or with a disk that was not mounted."""
    first, _ = machines
    text_pdf(first.cwd / "report.pdf", "known to the lost queue alone")
    text_pdf(first.cwd / "a.pdf")
    first.call("submit", "report.pdf", "a.pdf")
    first.call("worker", "--drain")
    before = blobs_of(first)
    for path in first.home.glob("queue.db*"):
        path.unlink()
    submitted, worked = first.call("submit", "a.pdf"), first.call("worker", "--drain")

    collected = first.call("gc", "--older-than", "0", "--yes")
    told = findings(first)["queue and store"]
    again = first.call("gc", "--older-than", "0", "--yes")

    assert (submitted.exit_code, worked.exit_code) == (0, 0), submitted.output + worked.output
    for refused in (collected, again):
        assert refused.exit_code == 2, refused.output
        assert f"an earlier one at the same address, sqlite:///{first.home / 'queue.db'}" in refused.stderr
        assert "gc --only-queue" in refused.stderr
    assert (told[0], "an earlier one at the same address" in told[1]) == ("warning", True)
    assert blobs_of(first) == before

    said = first.call("gc", "--only-queue", "--older-than", "0", "--yes")

    assert said.exit_code == 0, said.output
    assert len(blobs_of(first)) == 2, "the source and the result of a.pdf"
    assert first.call("gc", "--older-than", "0", "--yes").exit_code == 0
    assert findings(first)["queue and store"][0] == "ok"


def test_what_a_database_knew_that_was_made_anew_at_its_address_stays(
    machines: tuple[Blobforge, Blobforge], postgres_server: Server
) -> None:
    first, _ = machines
    queue = postgres_server.new_database()
    env = {"BLOBFORGE_QUEUE": queue}
    text_pdf(first.cwd / "report.pdf", "known to the lost queue alone")
    text_pdf(first.cwd / "a.pdf")
    first.call("submit", "report.pdf", **env)
    first.call("worker", "--drain", **env)
    before = blobs_of(first)
    postgres_server.make_anew(queue)
    first.call("doctor", "--confirm-store", "--yes", **env)
    first.call("submit", "a.pdf", **env)

    collected = first.call("gc", "--older-than", "0", "--yes", **env)
    said = first.call("gc", "--only-queue", "--older-than", "0", "--yes", **env)

    assert (collected.exit_code, "an earlier one at the same address" in collected.stderr) == (2, True), (
        collected.output
    )
    assert said.exit_code == 0, said.output
    assert not before & blobs_of(first)


def test_what_a_queue_knew_that_was_restored_from_an_older_backup_stays(
    machines: tuple[Blobforge, Blobforge],
) -> None:
    """Nothing takes away a job that has a result: where there is one of no job, the queue has lost what it knew."""
    first, _ = machines
    text_pdf(first.cwd / "a.pdf")
    text_pdf(first.cwd / "report.pdf", "submitted after the backup")
    text_pdf(first.cwd / "inbox.pdf", "submitted after the backup, and still waiting")
    first.call("submit", "a.pdf")
    first.call("worker", "--drain")
    backup = {path: path.read_bytes() for path in first.home.glob("queue.db*")}
    first.call("submit", "report.pdf")
    first.call("worker", "--drain")
    first.call("submit", "inbox.pdf")
    before = blobs_of(first)
    for path in first.home.glob("queue.db*"):
        path.unlink()
    for path, content in backup.items():
        path.write_bytes(content)

    looked = first.call("gc", "--older-than", "0", "--dry-run")
    collected = first.call("gc", "--older-than", "0", "--yes")
    kept = blobs_of(first)
    said = first.call("gc", "--only-queue", "--older-than", "0", "--yes")

    for refused in (looked, collected):
        assert refused.exit_code == 2, refused.output
        assert "older backup" in refused.stderr
        assert "gc --only-queue" in refused.stderr
    assert kept == before
    assert said.exit_code == 0, said.output
    assert len(blobs_of(first)) == 2, "the source and the result of a.pdf"


def test_neither_a_queue_nor_its_copy_clears_a_store_until_somebody_says_that_it_was_moved(
    machines: tuple[Blobforge, Blobforge],
) -> None:
    """Each would take the documents of the other for unneeded: both have the same identity."""
    first, _ = machines
    text_pdf(first.cwd / "a.pdf")
    text_pdf(first.cwd / "inbox.pdf", "submitted after the copy was made")
    first.call("submit", "a.pdf")
    shutil.copytree(first.home, first.cwd / "copied")
    copy = Blobforge(first.cwd, first.cwd / "copied")
    store = {"BLOBFORGE_STORE": (first.home / "blobs").as_uri()}
    first.call("submit", "inbox.pdf")
    (first.cwd / "inbox.pdf").unlink()
    before = blobs_of(first)

    by_copy = copy.call("gc", "--older-than", "0", "--yes", **store)
    told = findings(copy, **store)["queue and store"]
    text_pdf(first.cwd / "b.pdf", "submitted to the copy")
    submitted = copy.call("submit", "b.pdf", **store)
    (first.cwd / "b.pdf").unlink()
    by_original = first.call("gc", "--older-than", "0", "--yes")

    assert by_copy.exit_code == 2, by_copy.output
    assert str(first.home / "queue.db") in by_copy.stderr
    assert "moved" in by_copy.stderr
    assert "gc --only-queue" in by_copy.stderr
    assert (told[0], str(first.home / "queue.db") in told[1]) == ("warning", True)
    assert submitted.exit_code == 0, submitted.output
    assert (by_original.exit_code, str(copy.home / "queue.db") in by_original.stderr) == (2, True), by_original.output
    assert before < blobs_of(first)
    assert first.call("worker", "--drain").exit_code == 0
    assert copy.call("worker", "--drain", **store).exit_code == 0
    copy.close()


def test_a_home_that_was_moved_or_copied_with_its_store_is_cleared_as_before(
    machines: tuple[Blobforge, Blobforge],
) -> None:
    """Each has a store of its own, in which it is alone."""
    first, _ = machines
    text_pdf(first.cwd / "a.pdf")
    first.call("submit", "a.pdf")
    shutil.copytree(first.home, first.cwd / "copied")
    copy = Blobforge(first.cwd, first.cwd / "copied")
    copy.call("submit", "a.pdf")

    collected = copy.call("gc", "--older-than", "0", "--yes")

    assert collected.exit_code == 0, collected.output
    assert findings(copy)["queue and store"][0] == "ok"
    assert first.call("gc", "--older-than", "0", "--yes").exit_code == 0
    copy.close()


def test_a_queue_that_was_moved_is_the_only_one_once_somebody_has_said_so(
    machines: tuple[Blobforge, Blobforge], tmp_path: Path
) -> None:
    first, _ = machines
    store = {"BLOBFORGE_STORE": (tmp_path / "disk").as_uri()}
    text_pdf(first.cwd / "a.pdf")
    first.call("submit", "a.pdf", **store)
    shutil.move(first.home, first.cwd / "moved")
    moved = Blobforge(first.cwd, first.cwd / "moved")

    worked = moved.call("worker", "--drain", **store)
    unsaid = moved.call("gc", "--older-than", "0", "--yes", **store)
    said = moved.call("gc", "--only-queue", "--older-than", "0", "--yes", **store)
    later = moved.call("gc", "--older-than", "0", "--yes", **store)

    assert (worked.exit_code, unsaid.exit_code, said.exit_code, later.exit_code) == (0, 2, 0, 0), unsaid.output
    assert findings(moved, **store)["queue and store"][0] == "ok"
    moved.close()


def test_a_queue_that_is_reached_by_a_link_too_is_one(machines: tuple[Blobforge, Blobforge], tmp_path: Path) -> None:
    first, _ = machines
    store = {"BLOBFORGE_STORE": (tmp_path / "disk").as_uri()}
    text_pdf(first.cwd / "a.pdf")
    first.call("submit", "a.pdf", **store)
    (first.cwd / "link").symlink_to(first.home)
    linked = Blobforge(first.cwd, first.cwd / "link")

    submitted = linked.call("submit", "a.pdf", **store)
    collected = linked.call("gc", "--older-than", "0", "--yes", **store)

    assert (submitted.exit_code, collected.exit_code) == (0, 0), collected.output
    linked.close()


def test_a_store_of_two_queues_is_cleared_by_neither_until_one_is_gone_for_good(
    machines: tuple[Blobforge, Blobforge], shared: dict[str, str], tmp_path: Path
) -> None:
    first, second = machines
    disk = (tmp_path / "disk").as_uri()
    text_pdf(first.cwd / "a.pdf", "of the first queue")
    text_pdf(first.cwd / "b.pdf", "of the second queue")
    first.call("submit", "a.pdf", **shared, BLOBFORGE_STORE=disk)
    second.call("doctor", "--confirm-store", BLOBFORGE_STORE=disk)
    second.call("submit", "b.pdf", BLOBFORGE_STORE=disk)

    by_first = first.call("gc", "--older-than", "0", "--yes", **shared, BLOBFORGE_STORE=disk)
    by_second = second.call("gc", "--older-than", "0", "--yes", BLOBFORGE_STORE=disk)
    worked = [
        first.call("worker", "--drain", **shared, BLOBFORGE_STORE=disk),
        second.call("worker", "--drain", BLOBFORGE_STORE=disk),
    ]
    gone = first.call("gc", "--only-queue", "--older-than", "0", "--yes", **shared, BLOBFORGE_STORE=disk)

    assert (by_first.exit_code, by_second.exit_code) == (2, 2), by_first.output + by_second.output
    assert "postgresql://" in by_second.stderr
    assert "gc --only-queue" in by_second.stderr
    assert [run.exit_code for run in worked] == [0, 0], [run.output for run in worked]
    assert gone.exit_code == 0, gone.output
