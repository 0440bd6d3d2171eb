"""Jobs as people name them and as programs read them."""

import json

import pytest

from blobforge.cli.jobs import find_job, job_json, priority_text
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.errors import InvalidValue, NotFound
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Job
from blobforge.testing.builders import ALICE, a_job, new_job
from blobforge.testing.clock import START, FakeClock

ONE, TWO = SourceHash("abcd" + "1" * 60), SourceHash("abcd" + "2" * 60)


@pytest.fixture
def queue() -> CoordinationService:
    queue = CoordinationService(MemoryJobStore(), clock=FakeClock())
    queue.submit([new_job(source_hash=ONE), new_job(source_hash=TWO), new_job(source_hash=ONE, project="other")])
    return queue


@pytest.mark.parametrize("name", ["#1", ONE, ONE.upper(), "abcd1", "ABCD11"])
def test_a_job_is_found_by_its_number_its_hash_or_the_beginning_of_it(queue: CoordinationService, name: str) -> None:
    assert find_job(queue, name, project="default").source_hash == ONE


def test_a_bare_number_is_the_id_where_it_begins_no_hash(queue: CoordinationService) -> None:
    assert find_job(queue, "2", project="default").source_hash == TWO


def test_a_bare_number_that_is_no_id_is_the_beginning_of_a_hash(queue: CoordinationService) -> None:
    queue.submit([new_job(source_hash=SourceHash("1234" + "f" * 60))])

    assert find_job(queue, "1234", project="default").source_hash.startswith("1234f")


def test_a_bare_number_that_is_two_jobs_is_none() -> None:
    queue = CoordinationService(MemoryJobStore(), clock=FakeClock())
    queue.submit([new_job(source_hash=SourceHash(f"{number:04}" + "f" * 60)) for number in range(1000, 2100)])

    with pytest.raises(InvalidValue, match="id of one job and begins the hash of another; write '#1050'"):
        find_job(queue, "1050", project="default")


def test_a_beginning_that_several_hashes_have_is_not_enough(queue: CoordinationService) -> None:
    with pytest.raises(
        InvalidValue, match=r"several jobs: #1 \(pdf, abcd1111…\), #2 \(pdf, abcd2222…\); .* more digits"
    ):
        find_job(queue, "abcd", project="default")


@pytest.mark.parametrize("name", ["abce", "#17", "f" * 64])
def test_a_job_that_is_not_there_is_not_found(queue: CoordinationService, name: str) -> None:
    with pytest.raises(NotFound):
        find_job(queue, name, project="default")


def test_a_hash_is_looked_for_in_one_project(queue: CoordinationService) -> None:
    assert find_job(queue, "abcd", project="other").project == "other"


@pytest.mark.parametrize("name", ["", "#", "#x", "#-1", "#²", "#99999999999999999999", "abc", "not hex", "a" * 65])
def test_what_names_no_job_is_told_how_to(queue: CoordinationService, name: str) -> None:
    with pytest.raises(InvalidValue, match="is no job: write "):
        find_job(queue, name, project="default")


def test_the_fields_for_programs_are_those_of_the_job() -> None:
    job = a_job(worker_id=ALICE, lease_expires_at=START, tags='["rules"]', metadata='{"a":1}', result='{"pages":3}')

    fields = job_json(job)

    assert set(fields) == set(Job._fields) - {"lease_number", "rev"}
    assert fields["lease_expires_at"] == "2026-01-01T12:00:00+00:00"
    assert (fields["tags"], fields["metadata"], fields["result"]) == (["rules"], {"a": 1}, {"pages": 3})
    assert fields["completed_at"] is None
    json.dumps(fields)


def test_text_of_others_that_is_no_json_is_kept_as_it_is() -> None:
    assert job_json(a_job(metadata="{not json"))["metadata"] == "{not json"


def test_a_priority_is_called_by_its_name() -> None:
    assert priority_text(a_job(priority=1)) == "critical"


@pytest.mark.parametrize("text", ["no JSON", "[" * 100_000], ids=["no JSON", "deep"])
def test_what_others_wrote_into_a_job_is_shown_as_it_is(text: str) -> None:
    said = job_json(a_job()._replace(metadata=text, tags="null", result=None))

    assert (said["metadata"], said["tags"], said["result"]) == (text, None, None)


def test_an_example_of_an_id_can_be_pasted_into_a_shell() -> None:
    coordinator = CoordinationService(MemoryJobStore(), clock=FakeClock())

    with pytest.raises(InvalidValue, match="such as '#17'"):
        find_job(coordinator, "#x", project="default")
