"""The lines in which jobs wait: one for each project, type and set of needs, so that a claim never walks over jobs that
are not for its worker, however many there are."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from blobforge.domain.needs import are_met
from blobforge.ports.job_store import Queue


class Line(NamedTuple):
    project: str
    type: str
    needs: str = ""


NextNeeds = Callable[[Line], str | None]
"""The needs of the line behind this one that holds a job; one step in an index."""


def lines_for(queue: Queue, next_needs: NextNeeds) -> Iterator[Line]:
    """Those that a worker may take from. There are few, whatever the number of jobs."""
    for job_type in queue.types:
        line: Line | None = Line(queue.project, job_type)
        while line is not None:
            if are_met(line.needs, queue.has):
                yield line
            needs = next_needs(line) if queue.has else None
            line = None if needs is None else line._replace(needs=needs)
