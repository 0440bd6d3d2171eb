"""What a worker would claim now, without claiming anything."""

from collections.abc import Iterator
from datetime import datetime
from heapq import nsmallest
from typing import NamedTuple

from blobforge.domain.job import Job, State, claim_order
from blobforge.domain.lifecycle import reap
from blobforge.domain.needs import are_met
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import JobFilter, Queue

PAGE = 1_000


class ClaimPreview(NamedTuple):
    """The jobs in the order of their claims, how many wait in all, and the types that are paused, of which none is
    claimed."""

    jobs: list[Job]
    waiting: int
    paused: list[str]


def preview_claims(coordinator: Coordinator, queue: Queue, *, limit: int, now: datetime) -> ClaimPreview:
    """Reads all waiting jobs, page by page: for a person who asks, not for a worker that polls every second."""
    waiting = 0
    paused = {pause.type for pause in coordinator.pauses(project=queue.project)}.intersection(queue.types)
    open_types = tuple(job_type for job_type in queue.types if job_type not in paused)

    def counted() -> Iterator[Job]:
        nonlocal waiting
        for job in _claimable(coordinator, queue._replace(types=open_types), now):
            waiting += 1
            yield job

    first = nsmallest(limit, counted(), key=claim_order)
    return ClaimPreview(first, waiting, sorted(paused))


def _claimable(coordinator: Coordinator, queue: Queue, now: datetime) -> Iterator[Job]:
    """Pending, or due: after a back-off, or held by a worker whose lease has ended."""
    for state in (State.PENDING, State.FAILED, State.RUNNING):
        for job_type in queue.types:
            for job in _all(coordinator, JobFilter(project=queue.project, type=job_type, state=state)):
                if reap(job, now=now).state is State.PENDING and are_met(job.needs, queue.has):
                    yield job


def _all(coordinator: Coordinator, wanted: JobFilter) -> Iterator[Job]:
    page = coordinator.page(wanted, limit=PAGE)
    while page:
        yield from page
        page = coordinator.page(wanted, after=page[-1].id, limit=PAGE)
