"""Where a worker's next jobs come from: a queue, or a list of its own."""

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from enum import Enum
from typing import Protocol

from blobforge.domain.endings import Ending
from blobforge.domain.errors import BlobForgeError, DiskFull, StoreUnavailable
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.job import FINAL_STATES, Job, Lease, State, lease_of
from blobforge.domain.needs import are_met
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Coordinator, Settled
from blobforge.ports.job_store import JobFilter, Queue
from blobforge.worker.abilities import Abilities
from blobforge.worker.drain_wait import DrainWait


class Feed(Protocol):
    def settle(self, endings: Sequence[Ending], *, limit: int) -> Settled:
        """Ends jobs and gives up to `limit` new ones, claimed."""
        ...

    def exhausted(self, *, running: int) -> bool:
        """Whether nothing more will come, now that so many jobs are still running."""
        ...


class Until(Enum):
    """When a worker on a queue stops by itself."""

    STOPPED = "stopped"
    DRAINED = "drained"
    ONE_JOB = "one job"


class QueueFeed:
    def __init__(
        self,
        coordinator: Coordinator,
        queue: Queue,
        worker_id: WorkerId,
        *,
        until: Until,
        abilities: Abilities | None = None,
        may_ask: Callable[[], bool] = lambda: True,
    ) -> None:
        """`may_ask` says whether the queue may be asked now: while it may not, nobody knows whether it is empty."""
        self._abilities = abilities or Abilities(queue.has)
        self._coordinator = coordinator
        self._queue = queue
        self._worker_id = worker_id
        self._until = until
        self._may_ask = may_ask
        self._given = 0
        self._looked = False
        self._held: set[Lease] = set()
        self._is_unsure = False
        self._drain_wait = DrainWait(coordinator, queue)
        self.left_behind: Counter[str] = Counter()
        """What the jobs need that were left to other workers, with their numbers."""

    def settle(self, endings: Sequence[Ending], *, limit: int) -> Settled:
        if self._until is Until.ONE_JOB:
            limit = min(limit, 1 - self._given)
        unknown = self._unknown() if self._is_unsure and limit > 0 else []
        found = unknown[:limit]
        still_unsure = self._is_unsure and (limit <= 0 or len(unknown) > len(found))
        limit -= len(found)
        try:
            ended, claimed = self._coordinator.settle(
                endings, queue=self._asked() if limit > 0 else None, worker_id=self._worker_id, limit=limit
            )
        except StoreUnavailable:
            # Perhaps it was done, and only the answer was lost.
            self._is_unsure = True
            raise
        self._is_unsure = still_unsure
        claimed = [*found, *claimed]
        self._held.difference_update(lease_of(ending.job) for ending, _ in _heard(endings, ended))
        self._held.update(map(lease_of, claimed))
        self._given += len(claimed)
        self._looked = True
        if claimed:
            self._drain_wait.is_over()
        return Settled(ended, claimed)

    def exhausted(self, *, running: int) -> bool:
        if running or self._until is Until.STOPPED:
            return False
        if self._until is Until.ONE_JOB:
            return self._looked
        return self._may_ask() and not self._work_is_left()

    def _unknown(self) -> list[Job]:
        """Jobs that are ours, and nobody told us: they would wait for the end of their lease."""
        running = JobFilter(project=self._queue.project, state=State.RUNNING, worker_id=self._worker_id)
        ours = self._coordinator.page(running, limit=1_000)
        return [job for job in ours if job.type in self._queue.types and lease_of(job) not in self._held]

    def _asked(self) -> Queue:
        return self._queue._replace(has=self._abilities.has)

    def _work_is_left(self) -> bool:
        """Also what waits for another try, or runs elsewhere and may come back; not what is for other workers."""
        counts = self._coordinator.counts(project=self._queue.project)
        is_pending = any(counts.get((kind, State.PENDING)) for kind in self._queue.types)
        if any(counts.get((kind, state)) for kind in self._queue.types for state in (State.FAILED, State.RUNNING)):
            if not is_pending:
                self._drain_wait.goes_on()
            return True
        if not is_pending:
            return False
        waiting = self._coordinator.waiting(project=self._queue.project)
        ours: Counter[str] = Counter()
        for (kind, needs), count in waiting.items():
            ours[needs] += count if kind in self._queue.types else 0
        has = self._abilities.has
        self.left_behind = Counter({needs: count for needs, count in ours.items() if not are_met(needs, has)})
        return ours.total() > self.left_behind.total()


class ListFeed:
    """Only the jobs that it was told of. Others may add to the list from another thread.

    A job that another worker holds is waited for; `on_final` hears when it ended there.
    """

    LOOK_AGAIN = timedelta(seconds=0.5)

    def __init__(
        self, coordinator: Coordinator, worker_id: WorkerId, *, clock: Clock, on_final: Callable[[Job], None]
    ) -> None:
        self._coordinator = coordinator
        self._worker_id = worker_id
        self._clock = clock
        self._on_final = on_final
        self._lock = threading.Lock()
        self._waiting: deque[Job] = deque()
        self._elsewhere: set[JobId] = set()
        self._complete = False
        self._look_at: datetime | None = None
        self._held: set[Lease] = set()
        # Ours, though nobody told us: the answer to the claim was lost.
        self._found: list[Job] = []

    def add(self, jobs: Iterable[Job]) -> None:
        """Jobs as they were last seen: so claiming them needs no look before."""
        with self._lock:
            self._waiting.extend(jobs)

    def close(self) -> None:
        """Says that the list is complete."""
        with self._lock:
            self._complete = True

    def settle(self, endings: Sequence[Ending], *, limit: int) -> Settled:
        self._look_elsewhere()
        ended, claimed = self._step(endings, limit=limit)
        if limit > 0:
            claimed, self._found = self._found + claimed, []
        for ending, outcome in _heard(endings, ended):
            self._held.discard(lease_of(ending.job))
            if not isinstance(outcome, Job) or outcome.state not in FINAL_STATES:
                self._elsewhere.add(ending.job.id)
        # What has happened must be told, or endings are reported twice and claimed jobs forgotten.
        with suppress(StoreUnavailable):
            while len(claimed) < limit and self._waiting:
                claimed += self._step([], limit=limit - len(claimed)).claimed
        self._held.update(map(lease_of, claimed))
        return Settled(ended, sorted(claimed, key=lambda job: (job.priority, job.id)))

    def exhausted(self, *, running: int) -> bool:
        with self._lock:
            return self._complete and not (running or self._waiting or self._elsewhere or self._found)

    def _step(self, endings: Sequence[Ending], *, limit: int) -> Settled:
        """Ends jobs and claims up to `limit` of the list; those that another worker holds are left out."""
        wanted = self._next(limit)
        if not endings and not wanted:
            return Settled([], [])
        try:
            settled = self._coordinator.settle(endings, worker_id=self._worker_id, wanted=wanted)
        except StoreUnavailable:
            self._put_back(wanted)
            raise
        self._elsewhere.update({job.id for job in wanted} - {job.id for job in settled.claimed})
        return settled

    def _next(self, count: int) -> list[Job]:
        with self._lock:
            return [self._waiting.popleft() for _ in range(min(count, len(self._waiting)))]

    def _put_back(self, jobs: Sequence[Job]) -> None:
        with self._lock:
            self._waiting.extendleft(reversed(jobs))

    def _look_elsewhere(self) -> None:
        """Jobs that another worker holds, or that wait for another try: finished ones leave, free ones come back."""
        now = self._clock.now()
        if not self._elsewhere or (self._look_at is not None and now < self._look_at <= now + self.LOOK_AGAIN):
            return
        self._look_at = now + self.LOOK_AGAIN
        for job in self._coordinator.get_many(sorted(self._elsewhere)):
            if job.state in FINAL_STATES:
                self._elsewhere.discard(job.id)
                self._on_final(job)
            elif job.worker_id == self._worker_id and lease_of(job) not in self._held:
                self._elsewhere.discard(job.id)
                self._found.append(job)
            elif job.state is State.PENDING or _is_over(job.lease_expires_at or job.available_at, now):
                self._elsewhere.discard(job.id)
                self.add([job])


def _heard(
    endings: Sequence[Ending], outcomes: Sequence[Job | BlobForgeError]
) -> Iterator[tuple[Ending, Job | BlobForgeError]]:
    """Without those for which the queue did not answer or had no room: their jobs are still held, and they are told
    again."""
    for ending, outcome in zip(endings, outcomes, strict=True):
        if not isinstance(outcome, StoreUnavailable | DiskFull):
            yield ending, outcome


def _is_over(moment: datetime | None, now: datetime) -> bool:
    return moment is not None and moment <= now
