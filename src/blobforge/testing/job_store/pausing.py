"""Lanes that somebody paused. A store where claims ask nobody refuses to pause: `can_pause` is False there."""

from datetime import timedelta
from typing import ClassVar

import pytest

from blobforge.domain.errors import InvalidSettings
from blobforge.domain.job import Job, State
from blobforge.domain.needs import with_needs
from blobforge.domain.pause import Pause
from blobforge.ports.job_store import JobStore, Queue, Transition
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import PDFS, OpenStore, added, claiming, completing

PAUSE = Pause("default", "pdf", START, "local:alice")


class PausingContract:
    can_pause: ClassVar[bool] = True

    @pytest.fixture
    def pausing(self, store: JobStore) -> JobStore:
        if not self.can_pause:
            pytest.skip("this queue cannot be paused, which another test shows")
        return store

    def test_a_queue_that_cannot_be_paused_says_so(self, store: JobStore) -> None:
        if self.can_pause:
            assert store.pause(PAUSE) == PAUSE
            return
        with pytest.raises(InvalidSettings, match="cannot be paused"):
            store.pause(PAUSE)
        assert (store.resume("default", "pdf"), store.pauses(), store.pauses(project="default")) == (None, [], [])

    def test_a_pause_is_kept_and_the_first_one_stays(self, pausing: JobStore, open_store: OpenStore) -> None:
        pausing.pause(PAUSE)
        later = PAUSE._replace(since=START + timedelta(hours=1), by="token:3")
        theirs = pausing.pause(Pause("theirs", "echo", START, "token:1"))

        assert open_store().pause(later) == PAUSE
        assert open_store().pauses() == [PAUSE, theirs]
        assert open_store().pauses(project="theirs") == [theirs]

    def test_a_pause_is_ended_once(self, pausing: JobStore) -> None:
        pausing.pause(PAUSE)

        assert pausing.resume("theirs", "pdf") is None
        assert pausing.resume("default", "pdf") == PAUSE
        assert pausing.resume("default", "pdf") is None
        assert pausing.pauses() == []

    def test_nothing_is_taken_from_a_paused_lane(self, pausing: JobStore, open_store: OpenStore) -> None:
        added(pausing, "a")
        added(pausing, "b", type="echo")
        added(pausing, "c", project="theirs")
        other = open_store()
        other.pause(PAUSE)

        both = Queue("default", ("pdf", "echo"))
        assert taken(pausing, PDFS) == []
        assert [job.type for job in taken(pausing, both)] == ["echo"]
        assert [job.project for job in taken(pausing, Queue("theirs", ("pdf",)))] == ["theirs"]

        other.resume("default", "pdf")
        assert [job.type for job in taken(pausing, both)] == ["pdf"]

    def test_nothing_is_taken_with_abilities_from_a_paused_lane(self, pausing: JobStore) -> None:
        added(pausing, "a")
        added(pausing, "b", metadata=with_needs('{"options":{}}', ["engine:x"]))
        able = PDFS._replace(has=frozenset({"engine:x"}))
        pausing.pause(PAUSE)

        assert taken(pausing, able) == []

        pausing.resume("default", "pdf")
        assert len(taken(pausing, able)) == 2

    def test_a_job_of_a_paused_lane_that_runs_ends_as_ever(self, pausing: JobStore) -> None:
        added(pausing, "a")
        (held,) = taken(pausing, PDFS)
        pausing.pause(PAUSE)

        (outcome,) = pausing.apply([Transition(held, completing(held))], take=claiming(), queue=PDFS, limit=1).outcomes

        assert isinstance(outcome, Job)
        assert pausing.get(held.id).state is State.COMPLETED


def taken(store: JobStore, queue: Queue) -> list[Job]:
    return store.apply([], take=claiming(), queue=queue, limit=10).taken
