"""Where a worker's jobs come from: a queue, or a list of its own."""

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from enum import Enum
from typing import Protocol

from blobforge.domain.endings import Ending
from blobforge.domain.errors import BlobForgeError, DiskFull, Forbidden, StoreUnavailable
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.job import FINAL_STATES, Job, Lease, State, is_ready, lease_of
from blobforge.domain.needs import are_met
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Coordinator, EndedAndClaimed
from blobforge.ports.job_store import JobFilter, Queue
from blobforge.telemetry.lazy import LazyLogger
from blobforge.worker.abilities import Abilities

log = LazyLogger(__name__)

_LOOKED_AT = 1_000
"""Jobs of others, while a drained worker waits for them."""


class Feed(Protocol):
    """What the loop asks for jobs, so that it need not know whether there is a queue behind them."""

    def settle(self, endings: Sequence[Ending], *, limit: int) -> EndedAndClaimed:
        """Reports endings and claims up to `limit` new jobs."""
        ...

    def exhausted(self, *, running: int) -> bool:
        """Whether no more jobs will come, while so many are still running."""
        ...


class Until(Enum):
    """When a worker on a queue stops by itself."""

    STOPPED = "stopped"
    DRAINED = "drained"
    ONE_JOB = "one job"


class QueueFeed:
    """Jobs of a queue that others serve, too. An answer that was lost is asked for again, so that no claim is
    forgotten."""

    def __init__(
        self,
        coordinator: Coordinator,
        queue: Queue,
        worker_id: WorkerId,
        *,
        until: Until,
        abilities: Abilities | None = None,
        may_ask: Callable[[], bool] = lambda: True,
        on_idle: Callable[[], None] = lambda: None,
    ) -> None:
        """`may_ask` says whether the queue may be polled now: while it may not, it does not count as empty. `on_idle`
        is called when there was nothing to claim."""
        self._abilities = abilities or Abilities(queue.has)
        self._coordinator = coordinator
        self._queue = queue
        self._worker_id = worker_id
        self._until = until
        self._may_ask = may_ask
        self._on_idle = on_idle
        self._given = 0
        self._has_asked = False
        self._held: set[Lease] = set()
        self._may_have_claimed = False
        self._drain_wait = _DrainWait(coordinator, queue)
        self.left_behind: Counter[str] = Counter()
        """The needs of jobs that were left to other workers, with how many jobs have them."""

    def settle(self, endings: Sequence[Ending], *, limit: int) -> EndedAndClaimed:
        if self._until is Until.ONE_JOB:
            limit = min(limit, 1 - self._given)
        unconfirmed = self._unconfirmed() if self._may_have_claimed and limit > 0 else []
        found = unconfirmed[:limit]
        still_unconfirmed = self._may_have_claimed and (limit <= 0 or len(unconfirmed) > len(found))
        limit -= len(found)
        try:
            ended, claimed = self._coordinator.end_and_claim(
                endings, self._asked(), worker_id=self._worker_id, limit=limit
            )
        except StoreUnavailable:
            # The claim may have been made, and only the answer lost.
            self._may_have_claimed = True
            raise
        self._may_have_claimed = still_unconfirmed
        claimed = [*found, *claimed]
        self._held.difference_update(lease_of(ending.job) for ending, _ in _acknowledged(endings, ended))
        self._held.update(map(lease_of, claimed))
        self._given += len(claimed)
        self._has_asked = True
        if claimed:
            self._drain_wait.is_over()
        elif limit > 0:
            self._on_idle()
        return EndedAndClaimed(ended, claimed)

    def exhausted(self, *, running: int) -> bool:
        if running or self._until is Until.STOPPED:
            return False
        if self._until is Until.ONE_JOB:
            return self._has_asked
        return self._may_ask() and not self._work_is_left()

    def _paused_types(self) -> frozenset[str]:
        """Nobody is given their jobs, so that nobody waits for them."""
        pauses = self._coordinator.pauses(project=self._queue.project)
        return frozenset(pause.type for pause in pauses if pause.type in self._queue.types)

    def _unconfirmed(self) -> list[Job]:
        """Jobs that the queue leased to us without our knowing: they would wait for their leases to expire."""
        running = JobFilter(project=self._queue.project, state=State.RUNNING, worker_id=self._worker_id)
        ours = self._coordinator.page(running, limit=1_000)
        return [job for job in ours if job.type in self._queue.types and lease_of(job) not in self._held]

    def _asked(self) -> Queue:
        return self._queue._replace(has=self._abilities.has)

    def _work_is_left(self) -> bool:
        """Also jobs that wait for a retry, or run elsewhere and may come back; not those that need another worker."""
        self.left_behind = Counter()
        counts = self._coordinator.counts(project=self._queue.project)
        is_pending = any(counts.get((kind, State.PENDING)) for kind in self._queue.types)
        paused = self._paused_types() if is_pending else frozenset()
        if any(counts.get((kind, state)) for kind in self._queue.types for state in (State.FAILED, State.RUNNING)):
            if not is_pending:
                self._drain_wait.goes_on()
            return True
        if not is_pending:
            return False
        waiting = self._coordinator.waiting(project=self._queue.project)
        ours: Counter[str] = Counter()
        for (kind, needs), count in waiting.items():
            if kind in self._queue.types and kind not in paused:
                ours[needs] += count
        has = self._abilities.has
        self.left_behind = Counter({needs: count for needs, count in ours.items() if not are_met(needs, has)})
        return ours.total() > self.left_behind.total()


class _DrainWait:
    """Tells for which jobs of others a drained worker waits, once for each time of waiting: it may be a quarter of an
    hour, for the lease of a worker that died."""

    def __init__(self, coordinator: Coordinator, queue: Queue) -> None:
        self._coordinator = coordinator
        self._queue = queue
        self._is_told = False

    def goes_on(self) -> None:
        if self._is_told:
            return
        self._is_told = True
        try:
            held, later = self._jobs(State.RUNNING), self._jobs(State.FAILED)
        except Forbidden:
            return  # a server shows a worker no jobs but its own
        ends = [job.lease_expires_at for job in held if job.lease_expires_at is not None]
        ends += [job.available_at for job in later if job.available_at is not None]
        if not ends:
            return
        log.info(
            "waiting for jobs that are not this worker's",
            held=len(held),
            held_by=" ".join(sorted({job.worker_id for job in held if job.worker_id})) or "nobody",
            tried_again=len(later),
            until_at_most=max(ends).astimezone().isoformat(timespec="seconds"),
        )

    def is_over(self) -> None:
        self._is_told = False

    def _jobs(self, state: State) -> list[Job]:
        found = self._coordinator.page(JobFilter(project=self._queue.project, state=state), limit=_LOOKED_AT)
        return [job for job in found if job.type in self._queue.types]


class ListFeed:
    """Only the jobs that were added to it, from any thread.

    A job that another worker holds is waited for; `on_final` is called when it has ended there.
    """

    RECHECK_AFTER = timedelta(seconds=0.5)

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
        self._recheck_at: datetime | None = None
        self._held: set[Lease] = set()
        # Leased to us, but the answer to the claim was lost.
        self._found: list[Job] = []

    def add(self, jobs: Iterable[Job]) -> None:
        """Jobs as they were last read: claiming them needs no further read."""
        with self._lock:
            self._waiting.extend(jobs)

    def close(self) -> None:
        """Says that the list is complete."""
        with self._lock:
            self._complete = True

    def settle(self, endings: Sequence[Ending], *, limit: int) -> EndedAndClaimed:
        self._recheck_elsewhere()
        ended, claimed = self._step(endings, limit=limit)
        if limit > 0:
            claimed, self._found = self._found + claimed, []
        for ending, outcome in _acknowledged(endings, ended):
            self._held.discard(lease_of(ending.job))
            if not isinstance(outcome, Job) or outcome.state not in FINAL_STATES:
                self._elsewhere.add(ending.job.id)
        # What was done so far must be returned, or endings are reported twice and claimed jobs forgotten.
        with suppress(StoreUnavailable):
            while len(claimed) < limit and self._waiting:
                claimed += self._step([], limit=limit - len(claimed)).claimed
        self._held.update(map(lease_of, claimed))
        return EndedAndClaimed(ended, sorted(claimed, key=lambda job: (job.priority, job.id)))

    def exhausted(self, *, running: int) -> bool:
        with self._lock:
            return self._complete and not (running or self._waiting or self._elsewhere or self._found)

    def _step(self, endings: Sequence[Ending], *, limit: int) -> EndedAndClaimed:
        """Reports endings and claims up to `limit` of the list; jobs that another worker holds are set aside."""
        wanted = self._next(limit)
        if not endings and not wanted:
            return EndedAndClaimed([], [])
        try:
            settled = self._coordinator.end_and_claim_exactly(endings, wanted, worker_id=self._worker_id)
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

    def _recheck_elsewhere(self) -> None:
        """Jobs that another worker holds or that wait for a retry: finished ones leave, free ones come back."""
        now = self._clock.now()
        if not self._elsewhere or (self._recheck_at is not None and now < self._recheck_at <= now + self.RECHECK_AFTER):
            return
        self._recheck_at = now + self.RECHECK_AFTER
        for job in self._coordinator.get_many(sorted(self._elsewhere)):
            if job.state in FINAL_STATES:
                self._elsewhere.discard(job.id)
                self._on_final(job)
            elif job.worker_id == self._worker_id and lease_of(job) not in self._held:
                self._elsewhere.discard(job.id)
                self._found.append(job)
            elif is_ready(job) or _is_over(job.lease_expires_at or job.available_at, now):
                self._elsewhere.discard(job.id)
                self.add([job])


def _acknowledged(
    endings: Sequence[Ending], outcomes: Sequence[Job | BlobForgeError]
) -> Iterator[tuple[Ending, Job | BlobForgeError]]:
    """Without those for which the queue did not answer or had no space: their jobs are still held, and they are
    reported again."""
    for ending, outcome in zip(endings, outcomes, strict=True):
        if not isinstance(outcome, StoreUnavailable | DiskFull):
            yield ending, outcome


def _is_over(moment: datetime | None, now: datetime) -> bool:
    return moment is not None and moment <= now
