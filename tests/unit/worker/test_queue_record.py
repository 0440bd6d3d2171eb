"""A worker's record outlives it, in the queue."""

import json
from pathlib import Path

import pytest

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.service_record import ServiceRecord, record_json
from blobforge.testing.clock import START, FakeClock
from blobforge.testing.flaky_store import FlakyStore, LostReply
from blobforge.worker.queue_record import NoRecord, QueueRecord, carry_over

ONE = ServiceRecord(since=START, completed=1, bytes_processed=10, seconds=0.5)


def queue(store: MemoryJobStore | FlakyStore) -> CoordinationService:
    return CoordinationService(store, clock=FakeClock())


def test_what_is_added_stays_over_a_restart_on_another_machine() -> None:
    """R2-19."""
    store = MemoryJobStore()
    QueueRecord(queue(store), "rack4").add(ONE, now=START)

    whole = QueueRecord(queue(store), "rack4").add(ONE, now=START)

    assert whole is not None
    assert (whole.completed, whole.bytes_processed, whole.seconds) == (2, 20, 1.0)
    assert queue(store).records() == {"rack4": whole}


def test_a_queue_that_does_not_answer_has_taken_nothing() -> None:
    store = FlakyStore(MemoryJobStore())
    store.lose("change_record", LostReply.REQUEST)
    record = QueueRecord(queue(store), "rack4")

    assert record.add(ONE, now=START) is None
    assert record.add(ONE, now=START) == ONE


def test_a_queue_that_goes_on_not_answering_is_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "blobforge")
    store = FlakyStore(MemoryJobStore())
    for _ in range(3):
        store.lose("change_record", LostReply.REQUEST)
    record = QueueRecord(queue(store), "rack4")

    for _ in range(4):
        record.add(ONE, now=START)

    told = [line.getMessage() for line in caplog.records]
    assert ["cannot be kept" in line for line in told] == [True, False]
    assert "is kept again" in told[1]


def test_who_keeps_nothing_says_so() -> None:
    assert NoRecord().add(ONE, now=START) is None


def test_the_file_of_an_older_version_moves_to_the_queue_once(tmp_path: Path) -> None:
    (tmp_path / "rack4.json").write_text(json.dumps(record_json(ONE)))
    (tmp_path / "torn.json").write_text("{")
    coordinator = queue(MemoryJobStore())

    for name in ("rack4", "rack4", "torn", "nobody"):
        carry_over(tmp_path, name, coordinator)

    assert coordinator.records() == {"rack4": ONE}
