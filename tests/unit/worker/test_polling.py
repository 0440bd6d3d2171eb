"""When a worker asks the queue again, and how many jobs it claims ahead."""

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
            ahead=16,
            ahead_for=timedelta(seconds=0.2),
            look_again=timedelta(seconds=1),
            look_again_most=timedelta(seconds=4),
        ),
        seconds=lambda: seconds[0],
    )


def test_who_finds_too_little_waits_longer_each_time_up_to_a_bound(polling: Polling) -> None:
    waits = []
    for _ in range(5):
        polling.plan_next(found=0, room=2)
        waits.append(polling.seconds_to_look())

    assert waits == [1, 2, 4, 4, 4]


def test_a_worker_for_lab_reports_looks_every_so_many_seconds_and_for_one_job_at_a_time(tmp_path: Path) -> None:
    """R3-12."""
    lab = load_lab({"DB_PASSWORD": "secret", "POLL_INTERVAL_SECONDS": "7"})
    settings = load(environ={"BLOBFORGE_HOME": str(tmp_path)}, folder=tmp_path).settings
    loop_settings = loop_settings_for(settings, lab, Instance(tmp_path, ALICE))
    polling, waits = Polling(loop_settings, seconds=lambda: 0.0), []

    for _ in range(4):
        polling.plan_next(found=0, room=1)
        waits.append(polling.seconds_to_look())

    assert waits == [7, 7, 7, 7]
    assert (loop_settings.slots, polling.ahead(), polling.beside([99])) == (1, 0, 0)


def test_who_finds_all_that_fits_looks_again_at_once(polling: Polling) -> None:
    polling.plan_next(found=0, room=2)
    assert not polling.may_look()

    polling.plan_next(found=2, room=2)

    assert polling.may_look()


def test_news_and_endings_make_it_look_sooner(polling: Polling) -> None:
    for _ in range(5):
        polling.plan_next(found=0, room=2)
    polling.look_now()
    assert polling.may_look()

    polling.note_endings(1)
    polling.plan_next(found=0, room=2)

    assert polling.seconds_to_look() == 1


def test_a_queue_or_a_store_that_is_away_is_left_alone_for_a_while(polling: Polling, seconds: list[float]) -> None:
    polling.look_later()
    polling.claim_later()
    assert (polling.may_look(), polling.may_claim()) == (False, False)

    seconds[0] += 1

    assert (polling.may_look(), polling.may_claim()) == (True, True)


def test_the_quicker_jobs_end_the_more_are_claimed_ahead(polling: Polling, seconds: list[float]) -> None:
    at_first = polling.ahead()
    seconds[0] += 1
    polling.note_endings(50)
    quick = polling.ahead()
    seconds[0] += 1
    polling.note_endings(1000)

    assert (at_first, quick, polling.ahead()) == (2, 10, 16)


@pytest.mark.parametrize(
    ("tiers", "beside"),
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
def test_more_are_claimed_beside_long_documents_as_those_give_way_again(
    polling: Polling, tiers: list[int], beside: int
) -> None:
    """With two slots."""
    assert polling.beside(tiers) == beside
