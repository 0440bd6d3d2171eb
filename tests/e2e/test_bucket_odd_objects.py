"""A full disk on the worker, and objects in the bucket that are not as they should be: each is told, others go on."""

import signal
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from tests.e2e.bucket_queue import UNDYING, BucketQueue, documents
from tests.e2e.disks import small_disk
from tests.e2e.program import until

from blobforge.domain.job import State

LARGE = Random(1).randbytes(3_000_000)
"""More than the small disk holds, and nothing that could be packed."""


@pytest.mark.parametrize(
    ("kilobytes", "code"),
    [(2_000, "disk_too_small"), (4_500, "disk_full")],
    ids=["for the source", "for the work on it"],
)
def test_a_disk_without_room_for_a_document_fails_its_job_for_now_and_others_go_on(
    bucket_queue: BucketQueue, tmp_path: Path, kilobytes: int, code: str
) -> None:
    """R0-17, R0-18, R0-53."""
    queue = bucket_queue
    queue.desk = queue.machine(**UNDYING)
    queue.submit(LARGE, *documents(3))

    with small_disk(tmp_path / "disk", kilobytes=kilobytes) as disk:
        worker = queue.machine(BLOBFORGE_HOME=str(disk.path)).worker("--slots", "1")
        failed = worker.wait_for("job failed")
        until(lambda: queue.states()[State.COMPLETED] == 3)
        worker.send(signal.SIGTERM)
        worker.result()
    (unlucky,) = queue.unfinished()
    account = queue.work().account

    assert (failed["code"], failed["now"]) == (code, "failed")
    assert unlucky.error_code == code
    assert account["completed"] == 1
    assert queue.states() == {State.COMPLETED: 4}
    assert queue.is_in_order()


def test_sources_and_markers_that_are_not_as_they_should_be_are_named_and_others_go_on(
    bucket_queue: BucketQueue,
) -> None:
    """R0-9, R0-19, R0-53, R0-58, R2-46."""
    queue = bucket_queue
    missing, damaged, unreadable, good = documents(4)
    queue.submit(missing, damaged, unreadable, good)
    queue.delete(raw_of(missing))
    queue.put(raw_of(damaged), b"something else")
    queue.put(f"lanes/default/echo/queue/todo/3_normal/{hash_of(unreadable)}", b"[" * 100_000)
    queue.put("queue/todo/3_normal/README", b"whose is it?")
    queue.put("lanes/default/echo/queue/processing/notes.txt", b"and this?")

    worked = queue.work()
    swept = queue.told("janitor")

    assert worked.account == {
        "completed": 2,
        "failed": 2,
        "released": 0,
        "lost": 0,
        "cancelled": 0,
        "gaps": 0,
        "doubts": 0,
    }
    assert {line["code"] for line in worked.lines("job failed")} == {"source_missing", "source_damaged"}
    (told,) = worked.lines("another program has queued a document; `blobforge janitor` takes it on")
    assert told["hash"] == hash_of(unreadable)[:12]
    assert queue.states() == {State.COMPLETED: 2, State.DEAD: 2}
    assert swept["woken"] == []
    assert swept["mended"] == []
    assert set(swept["left_alone"]) == {
        "queue/todo/3_normal/README is no object of BlobForge; it is left alone",
        "lanes/default/echo/queue/processing/notes.txt is no object of BlobForge; it is left alone",
    }
    assert queue.get("queue/todo/3_normal/README") == b"whose is it?"


def hash_of(content: bytes) -> str:
    return sha256(content).hexdigest()


def raw_of(content: bytes) -> str:
    return f"store/raw/{hash_of(content)}.pdf"
