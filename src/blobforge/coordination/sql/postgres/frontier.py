"""Where the line of a queue begins, when the way to it has become long.

A job that was taken leaves a dead entry at the head of the index until the next vacuum, and a drain of a hundred
thousand jobs is quicker than that: each look would walk over all of them. So a look that took long is remembered with
the place of the last job that it gave, and for a moment the next looks begin there. More urgent jobs are looked for as
always; what is late by that moment at most is a job that came back to a place before it.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

from blobforge.domain.job import Job

LONG_SECONDS = 0.0005
VALID_SECONDS = 0.5

Line = tuple[str, str]
"""A project and a type."""


class Frontier(NamedTuple):
    last: Job
    until: float


class Frontiers:
    """Shared by the threads of a process; what one of them overwrites is only another's memory of the same line."""

    def __init__(self, *, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._known: dict[Line, Frontier] = {}

    def of(self, line: Line) -> Job | None:
        """The job behind which to look, if that is known."""
        known = self._known.get(line)
        return known.last if known is not None and self._clock() < known.until else None

    def started(self) -> float:
        return self._clock()

    def looked(self, line: Line, last: Job | None, *, since: float) -> None:
        """After a look from the front: worth remembering if it took long and gave something."""
        now = self._clock()
        if last is not None and now - since > LONG_SECONDS:
            self._known[line] = Frontier(last, now + VALID_SECONDS)
        else:
            self._known.pop(line, None)

    def moved_on(self, line: Line, last: Job) -> None:
        """After a look from the frontier that gave enough."""
        known = self._known.get(line)
        if known is not None:
            self._known[line] = known._replace(last=last)

    def forget(self) -> None:
        """This process has itself put something into a line."""
        self._known.clear()
