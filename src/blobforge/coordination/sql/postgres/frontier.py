"""Where the line of a queue begins, when the way to it has become long.

A job that was taken leaves a dead entry at the head of the index until the next vacuum, and a drain of a hundred
thousand jobs is quicker than that: each look would walk over all of them. So a look that took long is remembered with
the place of the last job that it gave, and for a moment the next looks begin there. More urgent jobs are looked for as
always; what is late by that moment at most is a job that came back to a place before it.
"""

import time
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from blobforge.coordination.sql.lines import Line
from blobforge.domain.job import Job

LONG_SECONDS = 0.0005
VALID_SECONDS = 0.5


class Place(NamedTuple):
    """Where a job stands in its line; what is behind it has a larger one."""

    priority: int
    created_at: datetime
    id: int


class Frontier(NamedTuple):
    behind: Place
    until: float


def place_of(job: Job) -> Place:
    return Place(job.priority, job.created_at, job.id)


class Frontiers:
    """Shared by the threads of a process; what one of them overwrites is only another's memory of the same line."""

    def __init__(self, *, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._known: dict[Line, Frontier] = {}

    def of(self, line: Line) -> Place | None:
        """The place behind which to look, if that is known."""
        known = self._known.get(line)
        return known.behind if known is not None and self._clock() < known.until else None

    def started(self) -> float:
        return self._clock()

    def looked(self, line: Line, last: Job | None, *, since: float) -> None:
        """After a look from the front: worth remembering if it took long and gave something."""
        now = self._clock()
        if last is not None and now - since > LONG_SECONDS:
            self._known[line] = Frontier(place_of(last), now + VALID_SECONDS)
        else:
            self._known.pop(line, None)

    def moved_on(self, line: Line, last: Job) -> None:
        """After a look from the frontier that gave enough."""
        known = self._known.get(line)
        if known is not None:
            self._known[line] = known._replace(behind=place_of(last))

    def came(self, jobs: Iterable[Job]) -> None:
        """This process has itself put jobs into their lines: those before a frontier move it back."""
        if not self._known:
            return
        for job in jobs:
            line = Line(job.project, job.type, job.needs)
            known = self._known.get(line)
            if known is not None and (place := place_of(job)) <= known.behind:
                self._known[line] = known._replace(behind=place._replace(id=place.id - 1))
