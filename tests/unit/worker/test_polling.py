"""When a worker polls the queue again, and how many jobs it prefetches."""

from datetime import timedelta
from pathlib import Path

import pytest

from blobforge.config.lab import load_lab
from blobforge.config.load import load
from blobforge.testing.builders import ALICE
from blobforge.wiring.lab import loop_settings_for
from blobforge.worker.instance import Instance
from blobforge.worker.loop_settings import LoopSettings
from blobforge.worker.polling import Polling


@pytest.fixture
def seconds() -> list[float]:
    """The time, in its one place."""
    return [100.0]


@pytest.fixture
def polling(seconds: list[float]) -> Polling:
    return Polling(
        LoopSettings(
            worker_id=ALICE,
            slots=2,
            prefetch=16,
            prefetch_for=timedelta(seconds=0.2),
            poll_interval=timedelta(seconds=1),
            longest_poll_interval=timedelta(seconds=4),
        ),
        seconds=lambda: seconds[0],
    )


def test_empty_polls_back_off_up_to_a_bound(polling: Polling) -> None:
    waits = []
    for _ in range(5):
        polling.plan_next(found=0, limit=2)
        waits.append(polling.seconds_to_poll())

    assert waits == [1, 2, 4, 4, 4]


def test_a_worker_for_lab_reports_polls_every_so_many_seconds_and_for_one_job_at_a_time(tmp_path: Path) -> None:
    """R3-12."""
    lab = load_lab({"DB_PASSWORD": "secret", "POLL_INTERVAL_SECONDS": "7"})
    settings = load(environ={"BLOBFORGE_HOME": str(tmp_path)}, folder=tmp_path).settings
    loop_settings = loop_settings_for(settings, lab, Instance(tmp_path, ALICE))
    polling, waits = Polling(loop_settings, seconds=lambda: 0.0), []

    for _ in range(4):
        polling.plan_next(found=0, limit=1)
        waits.append(polling.seconds_to_poll())

    assert waits == [7, 7, 7, 7]
    assert (loop_settings.slots, polling.prefetch(), polling.oversubscription([99])) == (1, 0, 0)


def test_a_poll_that_fills_the_slots_is_followed_by_another_at_once(polling: Polling) -> None:
    polling.plan_next(found=0, limit=2)
    assert not polling.may_poll()

    polling.plan_next(found=2, limit=2)

    assert polling.may_poll()


def test_a_wake_up_or_an_ending_brings_the_next_poll_forward(polling: Polling) -> None:
    for _ in range(5):
        polling.plan_next(found=0, limit=2)
    polling.poll_now()
    assert polling.may_poll()

    polling.note_endings(1)
    polling.plan_next(found=0, limit=2)

    assert polling.seconds_to_poll() == 1


def test_an_unavailable_queue_is_not_asked_for_a_while(polling: Polling, seconds: list[float]) -> None:
    polling.poll_later()
    assert not polling.may_poll()

    seconds[0] += 1

    assert polling.may_poll()


def test_the_quicker_jobs_end_the_more_are_prefetched(polling: Polling, seconds: list[float]) -> None:
    at_first = polling.prefetch()
    seconds[0] += 1
    polling.note_endings(50)
    quick = polling.prefetch()
    seconds[0] += 1
    polling.note_endings(1000)

    assert (at_first, quick, polling.prefetch()) == (2, 10, 16)


@pytest.mark.parametrize(
    ("levels", "extra"),
    [
        ([], 0),
        ([0, 0], 0),
        ([9, 0], 0),
        ([1, 1], 2),
        ([1, 1, 0, 0], 2),
        ([1, 1, 1, 1], 2),
        ([2, 2, 2, 1], 2),
        ([2, 2, 2, 2], 4),
        ([3, 3, 3, 3, 3, 3, 0, 0], 6),
    ],
)
def test_more_jobs_are_held_as_long_documents_move_to_higher_levels(
    polling: Polling, levels: list[int], extra: int
) -> None:
    """With two slots."""
    assert polling.oversubscription(levels) == extra
