"""Partitions of the claim index: one per project, type and set of needs, so that a claim never scans jobs that are not
for its worker, however many there are."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from blobforge.domain.needs import are_met
from blobforge.ports.job_store import Queue


class ClaimPartition(NamedTuple):
    """Jobs that any worker may claim who may claim one of them, so that their order is that of one index scan."""

    project: str
    type: str
    needs: str = ""

    @property
    def lane(self) -> tuple[str, str]:
        return self.project, self.type


NextNeeds = Callable[[ClaimPartition], str | None]
"""The needs of the next partition in index order that holds a job; one step in the index."""


def partitions_for(queue: Queue, next_needs: NextNeeds) -> Iterator[ClaimPartition]:
    """Those that a worker may claim from. There are few, whatever the number of jobs."""
    for job_type in queue.types:
        partition: ClaimPartition | None = ClaimPartition(queue.project, job_type)
        while partition is not None:
            if are_met(partition.needs, queue.has):
                yield partition
            needs = next_needs(partition) if queue.has else None
            partition = None if needs is None else partition._replace(needs=needs)
