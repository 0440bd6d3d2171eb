"""When a worker asks the queue again, and how many jobs it claims ahead."""

from datetime import timedelta
from pathlib import Path

import pytest

from blobforge.config.lab import load_lab
from blobforge.config.load import load
from blobforge.testing.builders import ALICE
from blobforge.wiring.lab import loop_settings_for
from blobforge.worker.instance import Instance
from blobforge.worker.lookout import Lookout
from blobforge.worker.loop_settings import LoopSettings


@pytest.fixture
def seconds() -> list[float]:
    """The time, in its one place."""
    return [100.0]


@pytest.fixture
def lookout(seconds: list[float]) -> Lookout:
    return Lookout(
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


def test_who_finds_too_little_waits_longer_each_time_up_to_a_bound(lookout: Lookout) -> None:
    waits = []
    for _ in range(5):
        lookout.plan_next(found=0, room=2)
        waits.append(lookout.seconds_to_look())

    assert waits == [1, 2, 4, 4, 4]


def test_a_worker_for_lab_reports_looks_every_so_many_seconds_and_for_one_job_at_a_time(tmp_path: Path) -> None:
    """R3-12."""
    lab = load_lab({"DB_PASSWORD": "secret", "POLL_INTERVAL_SECONDS": "7"})
    settings = load(environ={"BLOBFORGE_HOME": str(tmp_path)}, folder=tmp_path).settings
    loop_settings = loop_settings_for(settings, lab, Instance(tmp_path, ALICE))
    lookout, waits = Lookout(loop_settings, seconds=lambda: 0.0), []

    for _ in range(4):
        lookout.plan_next(found=0, room=1)
        waits.append(lookout.seconds_to_look())

    assert waits == [7, 7, 7, 7]
    assert (loop_settings.slots, lookout.ahead(), lookout.beside([99])) == (1, 0, 0)


def test_who_finds_all_that_fits_looks_again_at_once(lookout: Lookout) -> None:
    lookout.plan_next(found=0, room=2)
    assert not lookout.may_look()

    lookout.plan_next(found=2, room=2)

    assert lookout.may_look()


def test_news_and_endings_make_it_look_sooner(lookout: Lookout) -> None:
    for _ in range(5):
        lookout.plan_next(found=0, room=2)
    lookout.look_now()
    assert lookout.may_look()

    lookout.note_endings(1)
    lookout.plan_next(found=0, room=2)

    assert lookout.seconds_to_look() == 1


def test_a_queue_or_a_store_that_is_away_is_left_alone_for_a_while(lookout: Lookout, seconds: list[float]) -> None:
    lookout.look_later()
    lookout.claim_later()
    assert (lookout.may_look(), lookout.may_claim()) == (False, False)

    seconds[0] += 1

    assert (lookout.may_look(), lookout.may_claim()) == (True, True)


def test_the_quicker_jobs_end_the_more_are_claimed_ahead(lookout: Lookout, seconds: list[float]) -> None:
    at_first = lookout.ahead()
    seconds[0] += 1
    lookout.note_endings(50)
    quick = lookout.ahead()
    seconds[0] += 1
    lookout.note_endings(1000)

    assert (at_first, quick, lookout.ahead()) == (2, 10, 16)


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
    lookout: Lookout, tiers: list[int], beside: int
) -> None:
    """With two slots."""
    assert lookout.beside(tiers) == beside
