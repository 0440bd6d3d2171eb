"""A store without room or rights: what fits is stored, what does not is told by its name, and workers wait."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.disks import Disk, bound_by_permissions, small_disk
from tests.e2e.program import Blobforge, ended
from tests.pdfs import text_pdf

from blobforge.coordination.sql.backend import open_queue
from blobforge.domain.job import State
from blobforge.ports.job_store import JobFilter
from blobforge.ports.queue_backend import QueueOptions

LARGE = 600_000


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    with small_disk(tmp_path / "disk", kilobytes=512) as disk:
        yield disk


@pytest.fixture
def library(blobforge: Blobforge) -> Path:
    folder = blobforge.cwd / "in"
    for name in ("a small.pdf", "b large.pdf", "c small.pdf"):
        text_pdf(folder / name, name)
    with (folder / "b large.pdf").open("ab") as large:
        large.write(b"\n%" + b"x" * LARGE)
    return folder


def queued(blobforge: Blobforge) -> list[str]:
    with blobforge.queue() as queue:
        return sorted(Path(str(job.source_path)).name for job in queue.page(JobFilter()))


@pytest.mark.parametrize("command", ["ingest", "submit"])
def test_what_does_not_fit_is_named_and_the_others_are_queued(
    command: str, blobforge: Blobforge, library: Path, disk: Disk
) -> None:
    done = blobforge.call(command, str(library), "--json", BLOBFORGE_STORE=f"file://{disk.path}/store")

    account: dict[str, Any] = json.loads(done.stdout)
    (failed,) = [entry for entry in account["results"] if entry["outcome"] == "failed"]
    assert (done.exit_code, failed["path"]) == (3, f"{library}/b large.pdf")
    assert failed["message"].startswith(f"{library}/b large.pdf: no space left in the store for its 60")
    assert queued(blobforge) == ["a small.pdf", "c small.pdf"]


def test_a_worker_waits_for_room_says_where_and_no_document_pays_for_it(blobforge: Blobforge, disk: Disk) -> None:
    folder = blobforge.cwd / "in"
    for number in range(6):
        text_pdf(folder / f"{number}.pdf", f"document {number}")
    store = f"file://{disk.path}/store"
    assert blobforge.call("submit", str(folder), BLOBFORGE_STORE=store).exit_code == 0
    disk.fill()

    worker = blobforge.start("worker", "--drain", "--log-level", "info", "--json", BLOBFORGE_STORE=store)
    assert worker.stderr is not None
    waits = next(line for line in worker.stderr if "the disk has no room; waiting" in line)
    disk.free()
    done = ended(worker)

    assert f"no space left in the store's folder {disk.path}/store" in waits
    assert "make room there" in waits
    assert (done.returncode, json.loads(done.stdout)["completed"]) == (0, 6)
    assert "the disk has room again" in done.stderr
    with blobforge.queue() as queue:
        assert [(job.state, job.attempts) for job in queue.page(JobFilter())] == [(State.COMPLETED, 1)] * 6


def test_a_queue_on_a_full_disk_is_said_to_be_that(blobforge: Blobforge, disk: Disk) -> None:
    queue = f"sqlite:///{disk.path}/queue.db"
    open_queue(queue, QueueOptions()).store.close()
    disk.fill()

    done = blobforge.run("status", BLOBFORGE_QUEUE=queue)

    assert done.returncode == 1
    assert f"no space left on the disk; make room in {disk.path}" in done.stderr


@pytest.mark.parametrize("command", ["ingest", "submit"])
def test_a_store_that_may_not_be_written_to_is_named_with_the_document_that_was_under_way(
    command: str, blobforge: Blobforge, library: Path, tmp_path: Path
) -> None:
    store, before = tmp_path / "store", bound_by_permissions()
    (store / "sources").mkdir(parents=True)
    (store / "sources").chmod(0o500)

    done = ended(blobforge.start(command, str(library), before=before, BLOBFORGE_STORE=f"file://{store}"))

    (store / "sources").chmod(0o700)
    assert done.returncode == 1
    refusal = f"the store's folder {store} does not let this user at sources/"
    assert re.match(rf"error: {library}/[abc] \w+\.pdf was not stored: {refusal}", done.stderr)
    assert "Permission denied; see to its owner and rights" in done.stderr
