"""What a worker would claim."""

from datetime import timedelta

import pytest

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed, Failed
from blobforge.domain.job import Failure
from blobforge.domain.needs import with_needs
from blobforge.ports.job_store import Queue
from blobforge.testing.builders import ALICE, BOB, new_job
from blobforge.testing.clock import START, FakeClock
from blobforge.worker import claim_preview
from blobforge.worker.claim_preview import preview_claims

PDFS = Queue("default", ("pdf",))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def queue(clock: FakeClock) -> CoordinationService:
    return CoordinationService(MemoryJobStore(), clock=clock)


def test_it_is_what_a_claim_gives_then_in_the_same_order(
    queue: CoordinationService, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claim_preview, "PAGE", 2)
    queue.submit([new_job(f"{number}", priority=priority) for number, priority in enumerate([3, 5, 1, 3, 1])])
    queue.submit([new_job("other", type="echo"), new_job("elsewhere", project="another")])

    foreseen = preview_claims(queue, PDFS, limit=3, now=clock.now())

    assert foreseen.waiting == 5
    claimed = queue.claim(PDFS, worker_id=ALICE, limit=3)
    assert [job.id for job in foreseen.jobs] == [job.id for job in claimed]


def test_nothing_is_claimed_by_it(queue: CoordinationService, clock: FakeClock) -> None:
    (added,) = queue.submit([new_job("a")])

    preview_claims(queue, PDFS, limit=3, now=clock.now())

    assert queue.get(added.job.id) == added.job


def test_jobs_whose_lease_or_back_off_has_ended_count_and_others_do_not(
    queue: CoordinationService, clock: FakeClock
) -> None:
    queue.submit([new_job(name) for name in "abcd"])
    done, failed, held, _waiting = queue.claim(PDFS, worker_id=BOB, limit=4)
    queue.end([Completed(done, "{}"), Failed(failed, Failure("timed_out", "too slow", retryable=True))])

    assert preview_claims(queue, PDFS, limit=9, now=clock.now()).jobs == []
    later = preview_claims(queue, PDFS, limit=9, now=clock.now() + timedelta(hours=1))

    assert [job.id for job in later.jobs] == [failed.id, held.id, _waiting.id]


def test_what_needs_more_than_the_worker_has_is_not_foreseen() -> None:
    queue = CoordinationService(MemoryJobStore(), clock=FakeClock())
    queue.submit([new_job("a", metadata=with_needs("{}", ["engine:marker"])), new_job("b")])

    plain = preview_claims(queue, PDFS, limit=5, now=START)
    able = preview_claims(queue, PDFS._replace(has=frozenset({"engine:marker"})), limit=5, now=START)

    assert (plain.waiting, able.waiting) == (1, 2)


def test_jobs_of_a_paused_type_are_none_of_them_and_it_is_named(queue: CoordinationService, clock: FakeClock) -> None:
    queue.submit([new_job("a"), new_job("b", type="echo"), new_job("c", type="echo", project="theirs")])
    queue.pause("default", "pdf", by="local:alice")
    queue.pause("theirs", "echo", by="local:alice")

    foreseen = preview_claims(queue, Queue("default", ("pdf", "echo")), limit=3, now=clock.now())

    assert ([job.type for job in foreseen.jobs], foreseen.waiting, foreseen.paused) == (["echo"], 1, ["pdf"])
