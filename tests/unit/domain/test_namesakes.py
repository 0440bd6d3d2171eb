"""Which workers of one name are gone."""

from datetime import timedelta

import pytest

from blobforge.domain.ids import WorkerId
from blobforge.domain.namesakes import Namesakes, judge_namesakes
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.domain.worker_report import ProcessIdentity, WorkerReport, report_json
from blobforge.testing.clock import START

HERE, ELSEWHERE = ProcessIdentity(system="here", pid=7, started=1), ProcessIdentity(system="there", pid=7, started=1)
OLD, NEW = WorkerId("press.7.old"), WorkerId("press.8.new")


def a_worker(process: ProcessIdentity, *, name: str = "press", heard: float = 30, worker_id: WorkerId = OLD) -> Worker:
    return Worker(
        id=worker_id,
        type="pdf",
        status=WorkerStatus.ONLINE,
        last_heartbeat=START - timedelta(seconds=heard),
        metadata=report_json(WorkerReport(name=name, heartbeat_seconds=60, process=process)),
    )


def gone(worker: Worker, *, ended: bool | None, is_exclusive: bool = False) -> bool:
    return judged(worker, ended=ended, is_exclusive=is_exclusive).gone == [worker.id]


def judged(worker: Worker, *, ended: bool | None, is_exclusive: bool = False) -> Namesakes:
    def has_ended(mark: ProcessIdentity) -> bool | None:
        return ended if mark == HERE else None

    return judge_namesakes([worker], name="press", own=NEW, is_exclusive=is_exclusive, has_ended=has_ended, now=START)


def test_one_whose_process_has_ended_is_gone_at_once() -> None:
    """R0-41."""
    assert gone(a_worker(HERE), ended=True)


def test_one_whose_process_lives_is_left_alone_however_long_it_was_silent() -> None:
    """R2-39."""
    assert not gone(a_worker(HERE, heard=3600), ended=False)


@pytest.mark.parametrize(("heard", "is_gone"), [(30, False), (180, False), (181, True)])
def test_one_that_cannot_be_seen_from_here_is_gone_when_it_missed_three_signs_of_life(
    heard: float, is_gone: bool
) -> None:
    assert gone(a_worker(ELSEWHERE, heard=heard), ended=True) is is_gone


def test_one_of_another_name_is_left_alone() -> None:
    """R2-39."""
    assert not gone(a_worker(HERE, name="other", heard=3600), ended=True, is_exclusive=True)


def test_the_only_one_of_its_name_needs_no_proof() -> None:
    assert gone(a_worker(ELSEWHERE, heard=0), ended=None, is_exclusive=True)
    assert gone(a_worker(HERE, heard=0), ended=False, is_exclusive=True)


def test_nobody_takes_itself_for_gone() -> None:
    assert not gone(a_worker(HERE, worker_id=NEW), ended=True, is_exclusive=True)


def test_a_worker_without_a_report_is_left_to_its_leases() -> None:
    """As a worker of another version, or of another program."""
    silent = Worker(id=WorkerId("press"), type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=START)

    assert not gone(silent, ended=True)


def test_one_that_may_be_gone_is_undecided_until_it_has_missed_three_heartbeats() -> None:
    assert judged(a_worker(ELSEWHERE, heard=30), ended=None).undecided_until == START + timedelta(seconds=150)
    assert judged(a_worker(ELSEWHERE, heard=181), ended=None).undecided_until is None
    assert judged(a_worker(HERE, heard=30), ended=False).undecided_until is None
