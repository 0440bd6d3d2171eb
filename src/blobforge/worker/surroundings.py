"""What there is around a job, by which it is explained why it does not run."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from blobforge.domain.job import Job, State
from blobforge.domain.needs import NOTHING
from blobforge.domain.why import Surroundings, comes_before
from blobforge.domain.worker import Worker
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import JobFilter

PAGE = 500
PAGES_COUNTED = 20
"""Beyond them a person knows enough: there are thousands ahead."""


class _Line(NamedTuple):
    ahead: int
    is_all: bool


def surroundings_of(
    job: Job,
    queue: Coordinator,
    *,
    workers: Sequence[Worker],
    now: datetime,
    silent_after: timedelta,
    has_here: frozenset[str] = NOTHING,
) -> Surroundings:
    """`workers` are those that who asks may see."""
    line = _line(queue, job) if job.state in (State.PENDING, State.FAILED) else _Line(0, True)
    return Surroundings(
        now=now,
        workers=workers,
        silent_after=silent_after,
        ahead=line.ahead,
        ahead_is_all=line.is_all,
        has_here=has_here,
        pause=next((pause for pause in queue.pauses(project=job.project) if pause.type == job.type), None),
    )


def _line(queue: Coordinator, job: Job) -> _Line:
    ahead = 0
    waiting = JobFilter(project=job.project, type=job.type, state=State.PENDING)
    for number, jobs in enumerate(_pages(queue, waiting)):
        if number == PAGES_COUNTED:
            return _Line(ahead, False)
        ahead += sum(comes_before(other, job) for other in jobs)
    return _Line(ahead, True)


def _pages(queue: Coordinator, wanted: JobFilter) -> Iterator[list[Job]]:
    page = queue.page(wanted, limit=PAGE)
    while page:
        yield page
        page = queue.page(wanted, after=page[-1].id, limit=PAGE) if len(page) == PAGE else []
