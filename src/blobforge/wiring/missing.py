"""Counts the jobs without a document or a result in the store, so that whoever confirms that a queue and a store belong
together sees what that would leave behind."""

from typing import NamedTuple

from blobforge.domain.job import State
from blobforge.domain.result_record import result_record
from blobforge.ports.blob_store import BlobKey, source_key
from blobforge.ports.job_store import JobFilter
from blobforge.wiring.queues import OpenedCoordinator

MOST_JOBS = 1_000
"""Of many jobs the newest are looked at: a person is to see that something is amiss, not how much exactly."""
_TO_BE_DONE = frozenset({State.PENDING, State.RUNNING, State.FAILED, State.DEAD})


class Missing(NamedTuple):
    """`sources`: so many jobs that are not done have no document in the store; `results`: so many completed ones have
    no result. `is_all`: every job was looked at."""

    sources: int
    results: int
    is_all: bool


def missing_in_store(opened: OpenedCoordinator) -> Missing:
    """Raises StoreUnavailable."""
    if opened.publishes or not opened.is_shared:
        return Missing(0, 0, True)
    jobs = opened.coordinator.page(JobFilter(), limit=MOST_JOBS)
    sources = [source_key(job.source_hash) for job in jobs if job.state in _TO_BE_DONE]
    results = [BlobKey(key) for job in jobs if job.state is State.COMPLETED and (key := result_record(job).key)]
    blobs = opened.blobs()
    there = blobs.stat_many({*sources, *results}) if sources or results else {}
    return Missing(
        sources=sum(key not in there for key in sources),
        results=sum(key not in there for key in results),
        is_all=len(jobs) < MOST_JOBS,
    )
