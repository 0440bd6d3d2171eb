"""Claim cursors: a low-water mark in the claim index, past its dead entries.

A claimed job leaves a dead entry at the head of the index until the next vacuum. A drain of a hundred thousand jobs is
quicker than vacuum, so every claim would scan all of them again. A claim that took long therefore remembers the
position of the last job that it got, and for half a second the next claims start there. More urgent jobs have smaller
positions and are still claimed first; a job that comes back to a position before the cursor waits that half second.
"""

import time
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from blobforge.coordination.sql.claim_partitions import ClaimPartition
from blobforge.domain.job import Job, claim_order

LONG_SECONDS = 0.0005
VALID_SECONDS = 0.5


class ClaimPosition(NamedTuple):
    """A job's position in the claim order of its partition: later ones are larger."""

    priority: int
    created_at: datetime
    id: int


class ClaimCursor(NamedTuple):
    """No ready job is before `after`, as far as was seen; not trusted any more at `until`."""

    after: ClaimPosition
    until: float


def position_of(job: Job) -> ClaimPosition:
    return ClaimPosition(*claim_order(job))


class ClaimCursors:
    """One per partition, shared by the threads of a process. They may overwrite each other's: any of them is valid."""

    def __init__(self, *, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._cursors: dict[ClaimPartition, ClaimCursor] = {}

    def position(self, partition: ClaimPartition) -> ClaimPosition | None:
        """After which to scan; None where the scan starts at the head."""
        cursor = self._cursors.get(partition)
        return cursor.after if cursor is not None and self._clock() < cursor.until else None

    def started(self) -> float:
        return self._clock()

    def scanned_from_head(self, partition: ClaimPartition, last: Job | None, *, since: float) -> None:
        """Sets the cursor where the scan took long and found something."""
        now = self._clock()
        if last is not None and now - since > LONG_SECONDS:
            self._cursors[partition] = ClaimCursor(position_of(last), now + VALID_SECONDS)
        else:
            self._cursors.pop(partition, None)

    def advance(self, partition: ClaimPartition, last: Job) -> None:
        """After a scan from the cursor that found enough."""
        cursor = self._cursors.get(partition)
        if cursor is not None:
            self._cursors[partition] = cursor._replace(after=position_of(last))

    def rewind_for(self, jobs: Iterable[Job]) -> None:
        """This process has itself made these jobs claimable: a cursor past one of them moves back to it."""
        if not self._cursors:
            return
        for job in jobs:
            partition = ClaimPartition(job.project, job.type, job.needs)
            cursor = self._cursors.get(partition)
            if cursor is not None and (position := position_of(job)) <= cursor.after:
                self._cursors[partition] = cursor._replace(after=position._replace(id=position.id - 1))
