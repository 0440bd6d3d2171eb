"""A store that lost what its queue put into it: its disk is not mounted, or its folder was deleted."""

import json
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, ended, until
from tests.pdfs import text_pdf


def findings(machine: Blobforge, **env: str) -> dict[str, tuple[str, str]]:
    said = json.loads(machine.call("doctor", "--json", **env).stdout)
    return {found["name"]: (found["verdict"], found["message"]) for found in said["findings"]}


def away(store: Path) -> None:
    store.rename(store.with_name("away"))


def unmounted(store: Path) -> None:
    away(store)
    store.mkdir()


@pytest.mark.parametrize("lost", [away, unmounted])
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("sqlite elsewhere", marks=pytest.mark.extended), "postgresql"])
def test_a_queue_with_jobs_notices_that_its_store_is_gone(
    kind: str, lost: Callable[[Path], None], blobforge: Blobforge, request: pytest.FixtureRequest
) -> None:
    env: dict[str, str] = {}
    if kind == "postgresql":
        env = {"BLOBFORGE_QUEUE": request.getfixturevalue("postgres_server").new_database()}
    if kind == "sqlite elsewhere":
        env = {"BLOBFORGE_QUEUE": f"sqlite:///{blobforge.cwd / 'other' / 'queue.db'}"}
        (blobforge.cwd / "other").mkdir()
    store = blobforge.home / "blobs"
    text_pdf(blobforge.cwd / "a.pdf")
    text_pdf(blobforge.cwd / "b.pdf", "another one")
    assert blobforge.call("submit", "a.pdf", **env).exit_code == 0
    (blobforge.cwd / "a.pdf").unlink()
    lost(store)

    refused = [
        blobforge.call("worker", "--drain", **env),
        blobforge.call("submit", "b.pdf", **env),
        blobforge.call("ingest", "b.pdf", **env),
        blobforge.call("convert", "b.pdf", "-o", "out", **env),
    ]
    verdict, message = findings(blobforge, **env)["queue and store"]

    assert verdict == "problem"
    for said in (message, *(run.stderr for run in refused)):
        assert "[store_mismatch]" in said
        assert str(store) in said
        assert "mount" in said
        assert "BLOBFORGE_STORE" in said
        assert "doctor --confirm-store" in said
        assert "others" not in said, "there is nobody else"
    assert [run.exit_code for run in refused] == [2, 2, 2, 2]
    assert not store.exists() or not list(store.iterdir()), "nothing is made in its place"
    (job,) = json.loads(blobforge.call("list", "--json", **env).stdout)["jobs"]
    assert (job["state"], job["attempts"]) == ("pending", 0)

    shutil.rmtree(store, ignore_errors=True)
    store.with_name("away").rename(store)
    assert blobforge.call("worker", "--drain", **env).exit_code == 0


def test_another_disk_in_the_place_of_the_store_is_named(blobforge: Blobforge) -> None:
    second = Blobforge(blobforge.cwd, blobforge.cwd / "second")
    text_pdf(blobforge.cwd / "a.pdf")
    text_pdf(blobforge.cwd / "b.pdf", "another one")
    blobforge.call("submit", "a.pdf")
    second.call("submit", "b.pdf")
    away(blobforge.home / "blobs")
    shutil.copytree(second.home / "blobs", blobforge.home / "blobs")

    verdict, message = findings(blobforge)["queue and store"]

    assert verdict == "problem"
    assert f"does not name this queue, but sqlite:///{second.home / 'queue.db'}" in message
    assert "mount it" in message


def test_a_queue_whose_store_was_elsewhere_says_where(blobforge: Blobforge, tmp_path: Path) -> None:
    """Whoever forgets BLOBFORGE_STORE has an empty store at home."""
    disk = (tmp_path / "disk").as_uri()
    text_pdf(blobforge.cwd / "a.pdf")
    blobforge.call("submit", "a.pdf", BLOBFORGE_STORE=disk)

    refused = blobforge.call("worker", "--drain")

    assert (refused.exit_code, f"until now, {disk}" in refused.stderr) == (2, True), refused.output
    assert blobforge.call("worker", "--drain", BLOBFORGE_STORE=disk).exit_code == 0


@pytest.mark.parametrize("left", [pytest.param("nothing", marks=pytest.mark.extended), "what doctor makes", "a result"])
def test_a_worker_whose_store_goes_away_gives_back_what_it_does_not_find(left: str, blobforge: Blobforge) -> None:
    store = blobforge.home / "blobs"
    text_pdf(blobforge.cwd / "done.pdf", "done before")
    blobforge.call("submit", "done.pdf")
    blobforge.call("worker", "--drain")
    worker = blobforge.start("worker")
    until(lambda: bool(json.loads(blobforge.call("workers", "--json").stdout)["workers"]))
    worker.send_signal(signal.SIGSTOP)
    text_pdf(blobforge.cwd / "a.pdf")
    blobforge.call("submit", "a.pdf")
    (blobforge.cwd / "a.pdf").unlink()
    unmounted(store)
    if left != "nothing":
        assert findings(blobforge)["queue and store"][0] == "problem"
    if left == "a result":
        shutil.copytree(store.with_name("away") / "outputs", store / "outputs")
    worker.send_signal(signal.SIGCONT)

    def is_given_back() -> bool:
        job = json.loads(blobforge.call("list", "--json").stdout)["jobs"][0]
        assert job["state"] in ("pending", "running"), job
        return bool(job["state"] == "pending" and job["updated_at"] > job["created_at"])

    until(is_given_back)
    worker.send_signal(signal.SIGSTOP)
    shutil.rmtree(store)
    store.with_name("away").rename(store)
    worker.send_signal(signal.SIGCONT)
    until(lambda: json.loads(blobforge.call("list", "--json").stdout)["jobs"][0]["state"] == "completed")
    worker.terminate()

    said = ended(worker).stderr
    assert "mount it" in said
    assert "source_missing" not in said


def test_a_worker_publishes_nothing_into_an_empty_mount_point(blobforge: Blobforge) -> None:
    """The originals are where they were, so that it misses nothing."""
    store = blobforge.home / "blobs"
    text_pdf(blobforge.cwd / "done.pdf", "done before")
    blobforge.call("submit", "done.pdf")
    blobforge.call("worker", "--drain")
    worker = blobforge.start("worker")
    until(lambda: bool(json.loads(blobforge.call("workers", "--json").stdout)["workers"]))
    worker.send_signal(signal.SIGSTOP)
    text_pdf(blobforge.cwd / "a.pdf")
    blobforge.call("submit", "a.pdf")
    unmounted(store)
    refused = [blobforge.call("doctor"), blobforge.call("submit", "a.pdf"), blobforge.call("worker", "--drain")]
    assert {run.exit_code for run in refused} <= {1, 2}
    worker.send_signal(signal.SIGCONT)

    def is_given_back() -> bool:
        job = json.loads(blobforge.call("list", "--json").stdout)["jobs"][0]
        assert job["state"] != "completed"
        return bool(job["state"] == "pending" and job["updated_at"] > job["created_at"])

    until(is_given_back)
    assert list(store.iterdir()) == []
    store.rmdir()
    store.with_name("away").rename(store)
    until(lambda: json.loads(blobforge.call("list", "--json").stdout)["jobs"][0]["state"] == "completed")
    worker.terminate()
    assert "mount it" in ended(worker).stderr
    newest = json.loads(blobforge.call("list", "--json").stdout)["jobs"][0]
    assert blobforge.call("download", f"#{newest['id']}", "-o", "a.zip").exit_code == 0


def test_who_emptied_the_store_on_purpose_says_so_and_goes_on(blobforge: Blobforge) -> None:
    text_pdf(blobforge.cwd / "a.pdf")
    blobforge.call("submit", "a.pdf")
    blobforge.call("worker", "--drain")
    text_pdf(blobforge.cwd / "b.pdf", "another one")
    blobforge.call("submit", "b.pdf")
    shutil.rmtree(blobforge.home / "blobs")

    unasked = blobforge.call("doctor", "--confirm-store")
    still_refused = blobforge.call("submit", "a.pdf")
    confirmed = blobforge.call("doctor", "--confirm-store", "--yes")
    again = blobforge.call("submit", "a.pdf", "b.pdf")
    for name in ("a.pdf", "b.pdf"):
        (blobforge.cwd / name).unlink()

    assert (unasked.exit_code, still_refused.exit_code) == (2, 2)
    assert "the store has no document for 1 unfinished job and no result for 1 completed job\n" in unasked.stderr
    assert "--yes" in unasked.stderr
    assert confirmed.exit_code == 0, confirmed.output
    assert "refused" not in confirmed.stderr, "no machine uses another store"
    assert again.exit_code == 0, again.output
    assert blobforge.call("worker", "--drain").exit_code == 0


def test_a_store_that_lost_its_mark_alone_is_known_by_its_documents(blobforge: Blobforge) -> None:
    text_pdf(blobforge.cwd / "a.pdf")
    blobforge.call("submit", "a.pdf")
    (blobforge.home / "blobs" / "registry" / "queue.json").unlink()

    assert findings(blobforge)["queue and store"][0] == "ok"
    assert blobforge.call("worker", "--drain").exit_code == 0


def test_a_store_from_which_all_documents_were_cleared_is_known_by_its_mark(blobforge: Blobforge) -> None:
    text_pdf(blobforge.cwd / "a.pdf")
    blobforge.call("submit", "a.pdf")
    blobforge.call("worker", "--drain")
    for kind in ("sources", "outputs"):
        shutil.rmtree(blobforge.home / "blobs" / kind)

    assert findings(blobforge)["queue and store"][0] == "ok"
    assert blobforge.call("submit", "a.pdf").exit_code == 0
