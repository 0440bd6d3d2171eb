"""A job at its beginning."""

from typing import Any

import pytest

from blobforge.domain.errors import InvalidValue
from blobforge.domain.ids import JobId
from blobforge.domain.job import FINAL_STATES, Job, Lease, NewJob, State, created, lease_of, tags_of
from blobforge.domain.priority import Priority
from blobforge.testing.builders import ALICE, a_job, hash_of, job_in, new_job
from blobforge.testing.clock import START


def test_a_new_job_waits_and_was_never_claimed() -> None:
    job = created(new_job(), job_id=JobId(7), now=START)

    assert (job.id, job.state, job.attempts, job.lease_number, job.rev) == (7, State.PENDING, 0, 0, 0)
    assert job.created_at == job.updated_at == START
    assert (job.worker_id, job.lease_expires_at, job.available_at, job.started_at) == (None, None, None, None)


def test_a_new_job_keeps_what_its_submitter_said() -> None:
    new = NewJob("books", "pdf", hash_of("a"), "/a.pdf", 12, Priority.HIGH, 5, '["x"]', '{"k":1}', START)

    job = created(new, job_id=JobId(1), now=START)

    assert (job.project, job.type, job.source_hash, job.source_path, job.source_size) == new[:5]
    assert (job.priority, job.max_attempts, job.tags, job.metadata, job.available_at) == new[5:]


def test_a_priority_becomes_a_plain_number() -> None:
    assert type(created(new_job(), job_id=JobId(1), now=START).priority) is int


def test_three_attempts_in_total_are_the_default() -> None:
    assert a_job().max_attempts == 3


@pytest.mark.parametrize("facts", [{"priority": 0}, {"priority": 6}, {"max_attempts": 0}])
def test_a_job_that_makes_no_sense_is_refused(facts: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue):
        created(new_job(**facts), job_id=JobId(1), now=START)


def test_a_claimed_job_carries_its_lease() -> None:
    assert lease_of(job_in(State.RUNNING)) == Lease(JobId(1), ALICE, 1)


@pytest.mark.parametrize("state", sorted(set(State) - {State.RUNNING}))
def test_a_job_without_a_worker_has_no_lease(state: State) -> None:
    with pytest.raises(AssertionError, match="only a claimed job"):
        lease_of(job_in(state))


def test_only_an_end_that_time_does_not_change_is_final() -> None:
    assert {State.COMPLETED, State.DEAD, State.CANCELLED} == FINAL_STATES


def test_the_builder_gives_a_job_in_every_state() -> None:
    assert [job_in(state).state for state in State] == list(State)
    assert isinstance(job_in(State.DEAD), Job)


@pytest.mark.parametrize(("tags", "words"), [('["a","b"]', ["a", "b"]), ("[1]", ["1"]), ("invoices", ["invoices"])])
def test_tags_are_words_and_a_text_that_is_no_list_is_one(tags: str, words: list[str]) -> None:
    assert tags_of(a_job(tags=tags)) == words
