"""The queue with its rules: passes transitions of the lifecycle to a store, and supplies the time and the jitter."""

import random
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from blobforge.coordination import changes
from blobforge.domain import lifecycle
from blobforge.domain.endings import Completed, Ending, end
from blobforge.domain.errors import BlobForgeError, NotFound, StoreUnavailable
from blobforge.domain.events import History
from blobforge.domain.files import FileRecord
from blobforge.domain.ids import JobId, JobKey, WorkerId
from blobforge.domain.job import Job, NewJob, State, created
from blobforge.domain.pairing import QueueIdentity
from blobforge.domain.pause import Pause
from blobforge.domain.priority import check_priority
from blobforge.domain.retry import RetryPolicy
from blobforge.domain.service_record import ServiceRecord, together
from blobforge.domain.worker import Worker
from blobforge.gc_pause import gc_paused
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Cleared, EndedAndClaimed, Swept
from blobforge.ports.job_store import ANY, Change, Inserted, JobFilter, JobStore, Queue, References, Transition
from blobforge.telemetry.lazy import LazyLogger

SWEEP_EVERY = timedelta(seconds=1)
SWEEP_LIMIT = 100
ARCHIVE_EVERY = timedelta(minutes=1)
ARCHIVE_STRETCH = 5_000
RECONCILE_EVERY = timedelta(minutes=10)
MOST_SWEPT = 100_000

log = LazyLogger(__name__)

_UNSAVED = JobId(0)


class CoordinationService:
    """A Coordinator over any JobStore. Threads may share it."""

    def __init__(
        self,
        store: JobStore,
        *,
        clock: Clock,
        lease_for: timedelta = timedelta(seconds=180),
        policy: RetryPolicy | None = None,
        roll: Callable[[], float] = random.random,
        archive_after: timedelta | None = timedelta(days=30),
        sweep_every: timedelta = SWEEP_EVERY,
        reconcile_every: timedelta = RECONCILE_EVERY,
        may_reap: Callable[[], bool] = lambda: True,
    ) -> None:
        """`may_reap` is the reaper election: whether this process, of all workers, sweeps now."""
        self._store = store
        self._clock = clock
        self._lease_for = lease_for
        self._policy = policy or RetryPolicy()
        self._roll = roll
        self._sweep_lock = threading.Lock()
        self._next_sweep: datetime | None = None
        self._archive_after = archive_after
        # Not at once: a worker that runs for a moment leaves this to those that stay.
        self._next_archiving = clock.now() + ARCHIVE_EVERY
        self._next_reconciliation = clock.now() + reconcile_every
        self._reconcile_every = reconcile_every
        self._sweep_every = sweep_every
        self._may_reap = may_reap

    def submit(self, jobs: Sequence[NewJob]) -> list[Inserted]:
        now = self._clock.now()
        with gc_paused():
            entries = self._store.insert([created(job, job_id=_UNSAVED, now=now) for job in jobs])
            return self._with_sources(jobs, entries, now)

    def claim(self, queue: Queue, *, worker_id: WorkerId, limit: int = 1) -> list[Job]:
        return self.end_and_claim([], queue, worker_id=worker_id, limit=limit).claimed

    def claim_exactly(self, jobs: Sequence[Job], *, worker_id: WorkerId) -> list[Job]:
        return self.end_and_claim_exactly([], jobs, worker_id=worker_id).claimed

    def renew(self, jobs: Sequence[Job]) -> list[Job | BlobForgeError]:
        now = self._clock.now()
        until = now + self._lease_for
        # A lease is lost only when the queue says so, not when it does not answer.
        return _raise_unavailable(
            self._store.apply([Transition(job, changes.renewal_of(job, now=now, until=until)) for job in jobs]).outcomes
        )

    def end(self, endings: Sequence[Ending]) -> list[Job | BlobForgeError]:
        with gc_paused():
            return self._store.apply(self._endings(endings, self._clock.now())).outcomes

    def end_and_claim(
        self, endings: Sequence[Ending], queue: Queue, *, worker_id: WorkerId, limit: int
    ) -> EndedAndClaimed:
        if limit <= 0:
            return EndedAndClaimed(self.end(endings), [])
        with gc_paused():
            now = self._clock.now()
            transitions = self._endings(endings, now)
            self._sweep_when_due(now)
            done = self._store.apply(transitions, take=self._claim(worker_id), queue=queue, limit=limit)
            return EndedAndClaimed(done.outcomes, done.taken)

    def end_and_claim_exactly(
        self, endings: Sequence[Ending], jobs: Sequence[Job], *, worker_id: WorkerId
    ) -> EndedAndClaimed:
        with gc_paused():
            claim = self._claim(worker_id)
            transitions = self._endings(endings, self._clock.now())
            outcomes = self._store.apply([*transitions, *(Transition(job, claim) for job in jobs)]).outcomes
            claimed = [outcome for outcome in outcomes[len(endings) :] if isinstance(outcome, Job)]
            return EndedAndClaimed(outcomes[: len(endings)], claimed)

    def cancel(self, job_id: JobId, *, rev: int | None = None) -> Job:
        now = self._clock.now()
        return self._store.update(job_id, changes.at_revision(rev, lambda job: lifecycle.cancel(job, now=now)))

    def cancel_many(self, job_ids: Sequence[JobId], *, still: JobFilter = ANY) -> list[Job | BlobForgeError]:
        now = self._clock.now()
        return self._each(job_ids, changes.while_matching(still, lambda job: lifecycle.cancel(job, now=now)))

    def requeue(self, job_id: JobId) -> Job:
        now = self._clock.now()
        return self._store.update(job_id, lambda job: lifecycle.requeue(job, now=now))

    def retry(
        self,
        job_id: JobId,
        *,
        reset_attempts: bool = True,
        priority: int | None = None,
        metadata: str | None = None,
        source_expected_by: datetime | None = None,
        rev: int | None = None,
    ) -> Job:
        now = self._clock.now()

        def again(job: Job) -> Job:
            return lifecycle.retry(
                job,
                now=now,
                reset_attempts=reset_attempts,
                priority=priority,
                metadata=metadata,
                source_expected_by=source_expected_by,
            )

        return self._store.update(job_id, changes.at_revision(rev, again))

    def retry_many(
        self,
        job_ids: Sequence[JobId],
        *,
        reset_attempts: bool = True,
        priority: int | None = None,
        still: JobFilter = ANY,
    ) -> list[Job | BlobForgeError]:
        now = self._clock.now()
        if priority is not None:
            check_priority(priority)

        def again(job: Job) -> Job:
            return lifecycle.retry(job, now=now, reset_attempts=reset_attempts, priority=priority)

        return self._each(job_ids, changes.while_matching(still, again))

    def source_arrived(self, job_id: JobId) -> Job:
        now = self._clock.now()
        return self._store.update(job_id, lambda job: lifecycle.source_arrived(job, now=now))

    def expect_source(self, job_id: JobId, *, until: datetime, source_size: int | None = None) -> Job:
        now = self._clock.now()
        return self._store.update(
            job_id, lambda job: lifecycle.expect_source(job, until=until, now=now, source_size=source_size)
        )

    def retry_unchanged(self, jobs: Sequence[Job]) -> list[Job | BlobForgeError]:
        now = self._clock.now()
        return self._store.apply([Transition(job, changes.retry_of(job, now=now)) for job in jobs]).outcomes

    def reprocess(self, jobs: Sequence[Job], metadata: Callable[[Job], str]) -> list[Job | BlobForgeError]:
        now = self._clock.now()
        return self._store.apply(
            [Transition(job, changes.reprocess_by(job, metadata(job), now=now)) for job in jobs]
        ).outcomes

    def clear_dead(self, jobs: Sequence[Job]) -> Cleared:
        now = self._clock.now()
        dead = [job for job in jobs if job.state is State.DEAD]
        transitions = [Transition(job, changes.restoration_of(job, now=now)) for job in dead if job.result is not None]
        restored = _raise_unavailable(self._store.apply(transitions).outcomes)
        purged = self._store.forget([job for job in dead if job.result is None])
        return Cleared(purged, sum(isinstance(outcome, Job) for outcome in restored))

    def reprioritize(self, job_id: JobId, *, priority: int, rev: int | None = None) -> Job:
        now = self._clock.now()

        def placed(job: Job) -> Job:
            return lifecycle.reprioritize(job, priority=priority, now=now)

        return self._store.update(job_id, changes.at_revision(rev, placed))

    def amend(self, job_id: JobId, *, metadata: str) -> Job:
        now = self._clock.now()
        return self._store.update(job_id, lambda job: lifecycle.amend(job, metadata=metadata, now=now))

    def sweep(self, *, dry_run: bool = False) -> Swept:
        now, reaped = self._clock.now(), []

        def reap(job: Job) -> Job:
            after = lifecycle.reap(job, now=now)
            if after is not job and dry_run:
                reaped.append(after)
            return job if dry_run else after

        changed = self._store.update_due(reap, now=now, limit=MOST_SWEPT)
        found = self._store.reconcile(dry_run=dry_run)
        repaired = [inconsistency.text for inconsistency in found if not inconsistency.is_left_alone]
        left_alone = [inconsistency.text for inconsistency in found if inconsistency.is_left_alone]
        return Swept(reaped if dry_run else changed, repaired, left_alone)

    def expire_worker(self, worker_id: WorkerId) -> list[Job]:
        now = self._clock.now()
        held = self._store.page(JobFilter(state=State.RUNNING, worker_id=worker_id), limit=10_000)
        transitions = [
            Transition(job, lambda seen: lifecycle.abandon(seen, worker_id=worker_id, now=now)) for job in held
        ]
        return [outcome for outcome in self._store.apply(transitions).outcomes if isinstance(outcome, Job)]

    def get(self, job_id: JobId) -> Job:
        return self._store.get(job_id)

    def get_many(self, job_ids: Sequence[JobId]) -> list[Job]:
        return self._store.get_many(job_ids)

    def find(self, keys: Sequence[JobKey]) -> dict[JobKey, Job]:
        return self._store.find(keys)

    def states(self, keys: Sequence[JobKey]) -> dict[JobKey, State]:
        return self._store.states(keys)

    def find_by_prefix(self, prefix: str, *, project: str, limit: int = 10) -> list[Job]:
        return self._store.find_by_prefix(prefix, project=project, limit=limit)

    def page(self, wanted: JobFilter, *, after: JobId | None = None, limit: int = 50) -> list[Job]:
        return self._store.page(wanted, after=after, limit=limit)

    def count(self, wanted: JobFilter, *, most: int) -> int:
        return self._store.count(wanted, most=most)

    def references(self) -> References:
        return self._store.references()

    def counts(self, *, project: str | None = None) -> Mapping[tuple[str, State], int]:
        return self._store.counts(project=project)

    def waiting(self, *, project: str) -> Mapping[tuple[str, str], int]:
        return self._store.waiting(project=project)

    def gaps(self, *, project: str | None = None) -> Mapping[str, int]:
        return self._store.gaps(project=project)

    def doubts(self, *, project: str | None = None) -> Mapping[str, int]:
        return self._store.doubts(project=project)

    def history(self, job_id: JobId) -> History:
        return self._store.history(job_id)

    def record_files(self, job_id: JobId, files: Sequence[FileRecord]) -> None:
        self._store.apply([Transition(self._store.get(job_id), lambda job: job, tuple(files))])

    def record_many(self, records: Sequence[tuple[Job, FileRecord]]) -> None:
        self._store.apply([Transition(seen, lambda job: job, (record,)) for seen, record in records])

    def files(self, job_id: JobId) -> list[FileRecord]:
        return self._store.files(job_id)

    def pause(self, project: str, job_type: str, *, by: str) -> Pause:
        return self._store.pause(Pause(project, job_type, self._clock.now(), by))

    def resume(self, project: str, job_type: str) -> Pause | None:
        return self._store.resume(project, job_type)

    def pauses(self, *, project: str | None = None) -> list[Pause]:
        return self._store.pauses(project=project)

    def register_worker(self, worker: Worker) -> None:
        self._store.put_worker(worker)

    def beat(self, jobs: Sequence[Job], worker: Worker) -> list[Job | BlobForgeError]:
        renewed = self.renew(jobs) if jobs else []
        self.register_worker(worker)
        return renewed

    def deregister_worker(self, worker_id: WorkerId) -> None:
        self._store.remove_worker(worker_id)

    def workers(self) -> list[Worker]:
        return self._store.workers()

    def identity(
        self, proposed: QueueIdentity | None = None, *, instead_of: QueueIdentity | None = None
    ) -> QueueIdentity | None:
        return self._store.identity(proposed, instead_of=instead_of)

    def add_to_record(self, name: str, more: ServiceRecord) -> ServiceRecord:
        now = self._clock.now()
        return self._store.change_record(name, lambda kept: together(kept, more, now=now), now=now)

    def records(self) -> dict[str, ServiceRecord]:
        return self._store.records()

    def close(self) -> None:
        self._store.close()

    def _sweep_when_due(self, now: datetime) -> None:
        """Frees expired leases and ends back-offs, at most once per interval however often jobs are claimed."""
        with self._sweep_lock:
            # A clock set back must not stop the sweeps.
            is_early = self._next_sweep is not None and now < self._next_sweep <= now + self._sweep_every
            if is_early:
                return
            self._next_sweep = now + self._sweep_every
        if not self._may_reap():
            return
        changed = SWEEP_LIMIT
        while changed == SWEEP_LIMIT:
            changed = len(self._store.update_due(lambda job: lifecycle.reap(job, now=now), now=now, limit=SWEEP_LIMIT))
        self._reconcile_and_archive(now)

    def _reconcile_and_archive(self, now: datetime) -> None:
        if not now < self._next_reconciliation <= now + self._reconcile_every:
            self._next_reconciliation = now + self._reconcile_every
            for found in self._store.reconcile(dry_run=False):
                log.warning(
                    "foreign object left alone" if found.is_left_alone else "inconsistency in the queue",
                    what=found.text,
                )
        if self._archive_after is None or now < self._next_archiving <= now + ARCHIVE_EVERY:
            return
        self._next_archiving = now + ARCHIVE_EVERY
        # A store that is too busy now may not be a minute later.
        with suppress(StoreUnavailable):
            self._store.archive(completed_before=now - self._archive_after, stretch=ARCHIVE_STRETCH)

    def _with_sources(self, jobs: Sequence[NewJob], entries: list[Inserted], now: datetime) -> list[Inserted]:
        """The entries, with those jobs ready that waited for the source that their submitter has."""
        places = [
            place
            for place, (new, entry) in enumerate(zip(jobs, entries, strict=True))
            if not entry.created and new.source_expected_by is None and lifecycle.lacks_source(entry.job)
        ]
        transitions = [
            Transition(entries[place].job, lambda job: lifecycle.source_arrived(job, now=now)) for place in places
        ]
        arrived = self._store.apply(transitions).outcomes if transitions else []
        for place, outcome in zip(places, arrived, strict=True):
            # Whoever cancelled it meanwhile has the last word.
            if isinstance(outcome, Job):
                entries[place] = entries[place]._replace(job=outcome)
        return entries

    def _each(self, job_ids: Sequence[JobId], change: Change) -> list[Job | BlobForgeError]:
        """One outcome an id, in order; an id that comes twice is changed once."""
        found = {job.id: job for job in self._store.get_many(job_ids)}
        outcomes = self._store.apply([Transition(job, change) for job in found.values()]).outcomes if found else []
        by_id = dict(zip(found, outcomes, strict=True))
        return [by_id.get(job_id) or NotFound(f"there is no job #{job_id}") for job_id in job_ids]

    def _claim(self, worker_id: WorkerId) -> Change:
        # Made once for all jobs of the batch: a store writes equal rows in one statement.
        now = self._clock.now()
        until = now + self._lease_for
        return lambda job: lifecycle.claim(job, worker_id=worker_id, now=now, until=until)

    def _endings(self, endings: Sequence[Ending], now: datetime) -> list[Transition]:
        return [self._ending(ending, now) for ending in endings]

    def _ending(self, ending: Ending, now: datetime) -> Transition:
        def change(job: Job) -> Job:
            return end(job, ending, policy=self._policy, roll=self._roll(), now=now)

        return Transition(ending.job, change, ending.files if isinstance(ending, Completed) else ())


def _raise_unavailable(outcomes: list[Job | BlobForgeError]) -> list[Job | BlobForgeError]:
    """Raises StoreUnavailable."""
    for outcome in outcomes:
        if isinstance(outcome, StoreUnavailable):
            raise outcome
    return outcomes
