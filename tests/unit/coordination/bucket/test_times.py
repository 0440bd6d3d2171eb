"""Every time that is written or shown has its zone, and is UTC."""

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from blobforge.cli.jobs import job_json
from blobforge.coordination.bucket.reaper_election import ReaperElection
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.domain.job import State
from blobforge.domain.json_value import JsonValue
from blobforge.domain.service_record import ServiceRecord
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.objectstore import bucket_format
from blobforge.objectstore.probe import Probed
from blobforge.ports.job_store import JobFilter
from blobforge.testing.builders import ALICE
from blobforge.testing.clock import START
from blobforge.testing.job_store.reconciling import jobs_in_all_states
from blobforge.testing.simulated_bucket import SimulatedBucket
from blobforge.thread_pool import ThreadPool

_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")
_CALLED_TIME = re.compile(r".*_at|started|since|last_heartbeat")


def texts_in(value: JsonValue, name: str) -> Iterator[tuple[str, str]]:
    """Every text below a value, with the last name above it; texts that are JSON themselves are opened."""
    if isinstance(value, dict):
        for field, part in value.items():
            yield from texts_in(part, field)
    elif isinstance(value, list):
        for part in value:
            yield from texts_in(part, name)
    elif isinstance(value, str) and value[:1] in ("{", "["):
        yield from texts_in(json.loads(value), name)
    elif isinstance(value, str):
        yield name, value


def times_in(value: JsonValue) -> dict[str, str]:
    """By their fields: whatever looks like a time, and whatever is called one."""
    return {name: text for name, text in texts_in(value, "") if _TIME.fullmatch(text) or _CALLED_TIME.fullmatch(name)}


def is_utc(text: str) -> bool:
    return datetime.fromisoformat(text).utcoffset() == timedelta()


@pytest.fixture
def bucket() -> SimulatedBucket:
    """With jobs in all states, a worker with its record, and all that is written beside."""
    bucket = SimulatedBucket(start=START)
    store = BucketJobStore(bucket.objects(), pool=ThreadPool(1))
    jobs_in_all_states(store)
    store.put_worker(Worker(id=ALICE, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=START))
    store.change_record("alice", lambda _: ServiceRecord(since=START, completed=1), now=START)
    ReaperElection(bucket.objects()).try_to_win()
    bucket_format.record(bucket.objects(), Probed(server="a store", conditional_delete=True, ahead=timedelta()))
    return bucket


def test_every_time_in_every_object_of_a_bucket_is_utc_and_says_so(bucket: SimulatedBucket) -> None:
    """R2-15: records, markers, the headers of results, workers and what else is in the registry."""
    written: dict[str, dict[str, str]] = {}
    for name, held in bucket.contents.objects.items():
        texts = [held.body.decode(), *dict(held.metadata).values()]
        found = [times_in(json.loads(text)) for text in texts if text[:1] == "{"]
        written[name] = {field: text for times in found for field, text in times.items()}

    assert [(name, times) for name, times in written.items() if not all(map(is_utc, times.values()))] == []
    rooms = {name.rpartition("/")[0] for name, times in written.items() if times}
    assert rooms >= {
        *("queue/processing", "queue/todo/3_normal", "queue/failed", "queue/dead", "store/out"),
        *("registry", "registry/workers", "registry/records"),
    }
    fields = {field for times in written.values() for field in times}
    assert fields >= {
        *("queued_at", "started", "last_heartbeat", "failed_at", "retry_at", "died_at", "next_at", "since"),
        *("created_at", "updated_at", "started_at", "completed_at", "lease_expires_at", "available_at"),
    }


def test_every_time_in_the_json_of_a_job_is_utc_and_says_so(bucket: SimulatedBucket) -> None:
    """R2-15."""
    jobs = BucketJobStore(bucket.objects(), pool=ThreadPool(1)).page(JobFilter())

    shown = [times_in(job_json(job)) for job in jobs]

    assert {job.state for job in jobs} == set(State)
    assert [times for times in shown if not all(map(is_utc, times.values()))] == []
    assert {field for times in shown for field in times} == {
        *("created_at", "updated_at", "started_at", "completed_at", "lease_expires_at", "available_at"),
    }
