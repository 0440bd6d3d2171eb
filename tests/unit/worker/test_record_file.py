"""A worker's record outlives it."""

import threading
from pathlib import Path

import pytest

from blobforge.domain.service_record import ServiceRecord
from blobforge.testing.clock import START
from blobforge.worker.record_file import NoRecordFile, RecordFile

ONE = ServiceRecord(since=START, completed=1, bytes_processed=10, seconds=0.5)


def test_what_is_added_stays_over_a_restart(tmp_path: Path) -> None:
    """R2-19."""
    RecordFile(tmp_path / "records", "rack4").add(ONE, now=START)

    whole = RecordFile(tmp_path / "records", "rack4").add(ONE, now=START)

    assert whole is not None
    assert (whole.completed, whole.bytes_processed, whole.seconds) == (2, 20, 1.0)


def test_each_name_has_its_own(tmp_path: Path) -> None:
    RecordFile(tmp_path, "left").add(ONE, now=START)

    whole = RecordFile(tmp_path, "right").add(ServiceRecord(), now=START)

    assert whole is not None
    assert whole.completed == 0


def test_processes_of_one_name_add_to_the_same_and_lose_nothing(tmp_path: Path) -> None:
    def add_many() -> None:
        record = RecordFile(tmp_path, "rack4")
        for _ in range(20):
            record.add(ONE, now=START)

    threads = [threading.Thread(target=add_many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    whole = RecordFile(tmp_path, "rack4").add(ServiceRecord(), now=START)
    assert whole is not None
    assert whole.completed == 80


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff"])
def test_a_damaged_file_begins_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "rack4.json").write_bytes(content)

    whole = RecordFile(tmp_path, "rack4").add(ONE, now=START)

    assert whole is not None
    assert whole.completed == 1


def test_where_nothing_can_be_written_nothing_is_kept_and_work_goes_on(tmp_path: Path) -> None:
    (tmp_path / "records").write_text("a file, where a folder should be")

    assert RecordFile(tmp_path / "records", "rack4").add(ONE, now=START) is None


def test_who_works_for_a_moment_keeps_nothing() -> None:
    assert NoRecordFile().add(ONE, now=START) is None
