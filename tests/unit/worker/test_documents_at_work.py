"""Who is to blame for a full disk, and how many documents may be begun."""

from pathlib import Path

import pytest
from tests.unit.worker.job_run_bench import Bench

from blobforge.domain.errors import DiskFull
from blobforge.domain.ids import JobId
from blobforge.testing.runtime import FakeRuntime
from blobforge.worker import documents_at_work as module
from blobforge.worker.disk_space import DiskSpace
from blobforge.worker.documents_at_work import MOST_HANDED_BACK, DocumentsAtWork
from blobforge.worker.equipment import Equipment


@pytest.fixture
def equipment(tmp_path: Path) -> Equipment:
    return Bench(tmp_path).equipment()


@pytest.fixture
def at_work() -> DocumentsAtWork:
    runtime = FakeRuntime()
    return DocumentsAtWork(DiskSpace(lambda _: None, runtime=runtime), runtime=runtime)


def test_a_document_beside_others_is_handed_back_and_goes_alone(at_work: DocumentsAtWork, equipment: Equipment) -> None:
    first, second = object(), object()
    assert at_work.enter(first)
    assert at_work.enter(second)

    assert at_work.others_filled_it(first, JobId(1), equipment, "full")

    at_work.leave(first)
    assert (at_work.may_be_begun(4), at_work.enter(first)) == (1, False)
    at_work.leave(second)
    assert at_work.enter(first)
    assert at_work.may_be_begun(4) == 1
    at_work.leave(first)
    assert at_work.may_be_begun(4) == 2


def test_a_document_alone_with_enough_room_is_itself_to_blame(
    at_work: DocumentsAtWork, equipment: Equipment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_enough", lambda *_: 1)
    run = object()
    at_work.enter(run)

    assert not at_work.others_filled_it(run, JobId(1), equipment, "full")


def test_a_document_whose_bytes_nobody_finds_is_not_handed_back_for_ever(
    at_work: DocumentsAtWork, equipment: Equipment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_free", lambda _: 0)
    run = object()
    at_work.enter(run)

    blames = [at_work.others_filled_it(run, JobId(1), equipment, "full") for _ in range(MOST_HANDED_BACK + 1)]

    assert blames == [True] * MOST_HANDED_BACK + [False]
    assert at_work.may_be_begun(4) == 0
    with pytest.raises(DiskFull, match="make room in"):
        at_work.enter(object())
