"""What each transition records in a job's history."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import pytest

from blobforge.domain import lifecycle
from blobforge.domain.events import Attempt, Event, attempt_of, event_of, history_of
from blobforge.domain.job import Failure, Job, State, lease_of
from blobforge.domain.retry import RetryPolicy
from blobforge.testing.builders import ALICE, BOB, LEASE, a_job, job_in
from blobforge.testing.clock import START

SOON = START + timedelta(seconds=1)
LATE = START + timedelta(hours=1)
TIMED_OUT = Failure("timed_out", "it took too long", retryable=True)
NOT_A_PDF = Failure("not_a_pdf", "it is a web page")

Change = Callable[[Job], Job]


def claiming(now: datetime = SOON) -> Change:
    return lambda job: lifecycle.claim(job, worker_id=BOB, now=now, until=now + LEASE)


def failing(failure: Failure) -> Change:
    return lambda job: lifecycle.fail(job, lease_of(job), failure, policy=RetryPolicy(), roll=0.5, now=SOON)


def releasing(job: Job) -> Job:
    return lifecycle.release(job, lease_of(job), now=SOON)


def renewing(job: Job) -> Job:
    return lifecycle.renew(job, lease_of(job), now=SOON, until=SOON + LEASE)


def completing(job: Job) -> Job:
    return lifecycle.complete(job, lease_of(job), result="{}", now=SOON)


def cancelling(job: Job) -> Job:
    return lifecycle.cancel(job, now=SOON)


def reaping(job: Job) -> Job:
    return lifecycle.reap(job, now=LATE)


def retrying(job: Job) -> Job:
    return lifecycle.retry(job, now=SOON)


def reprocessing(job: Job) -> Job:
    return lifecycle.reprocess(job, metadata='{"engine":"x"}', now=SOON)


def abandoning(job: Job) -> Job:
    return lifecycle.abandon(job, worker_id=ALICE, now=SOON)


def arriving(job: Job) -> Job:
    return lifecycle.source_arrived(job, now=SOON)


def expecting(job: Job) -> Job:
    return lifecycle.expect_source(job, until=LATE + LEASE, now=SOON)


AWAITING = job_in(State.PENDING)._replace(available_at=LATE)
GIVEN_UP = lifecycle.reap(AWAITING, now=LATE)
ON_ITS_LAST = job_in(State.RUNNING)._replace(attempts=3)


@pytest.mark.parametrize(
    ("before", "change", "kind"),
    [
        (AWAITING, arriving, "source arrived"),
        (AWAITING, expecting, "source expected"),
        (AWAITING, cancelling, "cancelled"),
        (AWAITING, reaping, "dead"),
        (GIVEN_UP, arriving, "source arrived"),
        (GIVEN_UP, expecting, "source expected"),
        (GIVEN_UP, retrying, "retried"),
        (job_in(State.PENDING), cancelling, "cancelled"),
        (job_in(State.FAILED), cancelling, "cancelled"),
        (job_in(State.FAILED), reaping, "promoted"),
        (job_in(State.FAILED), retrying, "retried"),
        (job_in(State.DEAD), retrying, "retried"),
        (job_in(State.CANCELLED), retrying, "retried"),
        (job_in(State.COMPLETED), retrying, "retried"),
        (job_in(State.COMPLETED), reprocessing, "reprocessed"),
        (job_in(State.FAILED), reprocessing, "reprocessed"),
        (job_in(State.PENDING), reprocessing, "amended"),
        (job_in(State.PENDING), lambda job: lifecycle.reprioritize(job, priority=1, now=SOON), "reprioritized"),
        (job_in(State.FAILED), lambda job: lifecycle.reprioritize(job, priority=1, now=SOON), "reprioritized"),
        (job_in(State.PENDING), lambda job: lifecycle.amend(job, metadata="[]", now=SOON), "amended"),
    ],
)
def test_a_transition_outside_an_attempt_is_an_event_of_its_own(before: Job, change: Change, kind: str) -> None:
    after = change(before)

    assert event_of(before, after) == Event(before.id, after.updated_at, kind, before.lease_number)
    assert attempt_of(before, after) is None


@pytest.mark.parametrize(
    ("before", "change", "outcome", "code"),
    [
        (job_in(State.RUNNING), completing, "completed", None),
        (job_in(State.RUNNING), failing(TIMED_OUT), "failed", "timed_out"),
        (job_in(State.RUNNING), failing(NOT_A_PDF), "died", "not_a_pdf"),
        (ON_ITS_LAST, failing(TIMED_OUT), "died", "timed_out"),
        (job_in(State.RUNNING), releasing, "released", None),
        (job_in(State.RUNNING), cancelling, "cancelled", None),
        (job_in(State.RUNNING), reaping, "expired", "lease_expired"),
        (ON_ITS_LAST, reaping, "expired", "lease_expired"),
        (job_in(State.RUNNING), abandoning, "expired", "lease_expired"),
        (job_in(State.RUNNING), claiming(LATE), "expired", "lease_expired"),
    ],
)
def test_the_end_of_a_claim_is_an_attempt(before: Job, change: Change, outcome: str, code: str | None) -> None:
    after = change(before)

    attempt = attempt_of(before, after)

    assert attempt == Attempt(
        before.id, 1, ALICE, START, after.updated_at, outcome, code, after.last_error if code else None
    )
    assert event_of(before, after) is None


@pytest.mark.parametrize(
    ("before", "change"),
    [
        (job_in(State.PENDING), claiming()),
        (job_in(State.FAILED), claiming(LATE)),
        (job_in(State.RUNNING), renewing),
        (job_in(State.PENDING), lambda job: lifecycle.reprioritize(job, priority=job.priority, now=SOON)),
    ],
    ids=["a claim, until it ends", "a claim of a job that waited", "a renewal", "the same priority again"],
)
def test_a_transition_that_is_no_event_records_nothing(before: Job, change: Change) -> None:
    after = change(before)

    assert event_of(before, after) is None
    assert attempt_of(before, after) is None


def test_the_second_of_two_equal_failures_is_recorded_like_the_first() -> None:
    once = failing(TIMED_OUT)(job_in(State.RUNNING))
    again = claiming(LATE)(once)

    attempt = attempt_of(again, failing(TIMED_OUT)(again))

    assert attempt is not None
    assert (attempt.outcome, attempt.error_code, attempt.error) == ("failed", "timed_out", "it took too long")


def test_a_release_after_a_failure_does_not_record_the_failure_again() -> None:
    again = claiming(LATE)(failing(TIMED_OUT)(job_in(State.RUNNING)))

    attempt = attempt_of(again, releasing(again))

    assert attempt is not None
    assert (attempt.outcome, attempt.error_code, attempt.error) == ("released", None, None)


def lived(job: Job, changes: Sequence[Change]) -> tuple[Job, list[Attempt], list[Event]]:
    attempts, events = [], []
    for change in changes:
        before, job = job, change(job)
        attempts += [attempt] if (attempt := attempt_of(before, job)) else []
        events += [event] if (event := event_of(before, job)) else []
    return job, attempts, events


def test_a_history_has_every_transition_in_order() -> None:
    job, attempts, events = lived(
        a_job(),
        [
            lambda job: lifecycle.reprioritize(job, priority=1, now=SOON),
            claiming(),
            releasing,
            lambda job: lifecycle.amend(job, metadata="[]", now=SOON),
            claiming(),
            failing(TIMED_OUT),
            reaping,
            claiming(LATE),
            failing(NOT_A_PDF),
            retrying,
            claiming(LATE),
        ],
    )

    history = history_of(job, list(reversed(attempts)), events)

    assert [event.kind for event in history.events] == [
        *("submitted", "reprioritized"),
        *("claimed", "released", "amended"),
        *("claimed", "failed", "promoted"),
        *("claimed", "died", "retried"),
        "claimed",
    ]
    assert [attempt.lease_number for attempt in history.attempts] == [1, 2, 3]
    assert history.events[-1] == Event(job.id, LATE, "claimed", 4, BOB)
    assert history.events[0].at == START


def test_a_job_that_nobody_touched_was_submitted() -> None:
    job = a_job()

    assert history_of(job, [], []).events == [Event(job.id, START, "submitted", 0)]


def test_an_attempt_without_a_start_is_dated_by_its_end() -> None:
    ended = Attempt(a_job().id, 1, ALICE, None, SOON, "expired", "lease_expired", "gone")

    assert [event.at for event in history_of(a_job(), [ended], []).events] == [START, SOON, SOON]


def test_an_attempt_that_ended_during_the_read_is_listed_once() -> None:
    running = job_in(State.RUNNING)
    ended = attempt_of(running, completing(running))
    assert ended is not None

    assert [event.kind for event in history_of(running, [ended], []).events] == ["submitted", "claimed", "completed"]


def test_a_dead_job_that_goes_back_to_its_result_was_restored() -> None:
    dead = job_in(State.DEAD)._replace(result="{}")

    event = event_of(dead, lifecycle.restore(dead, now=SOON))

    assert event is not None
    assert event.kind == "restored"
