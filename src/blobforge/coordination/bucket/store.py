"""The JobStore in a bucket.

There are no transactions over several objects. The transition of one job is atomic by its record. A batch is tried in
memory first, so that a bug in one change leaves all jobs as they were, and is then written job by job.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from blobforge.coordination.bucket.adopted_documents import Documents
from blobforge.coordination.bucket.adoption import Adoption
from blobforge.coordination.bucket.bulk_reads import BulkReader
from blobforge.coordination.bucket.claims import Claims
from blobforge.coordination.bucket.inventory import Inventory
from blobforge.coordination.bucket.job_history import JobHistory
from blobforge.coordination.bucket.job_index import JobIndex
from blobforge.coordination.bucket.job_record import JobRecord, RecordState, todo_body
from blobforge.coordination.bucket.last_seen import LastSeen
from blobforge.coordination.bucket.listing_snapshot import SnapshotReader
from blobforge.coordination.bucket.names import lane_of
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.publishing import Publishing
from blobforge.coordination.bucket.reaper import Reaper
from blobforge.coordination.bucket.reconciler import Reconciler
from blobforge.coordination.bucket.stored_state import (
    Recorded,
    StateReader,
    StoredState,
    Tombstone,
)
from blobforge.coordination.bucket.transition_batch import by_job, has_files, in_order, is_free, only_of
from blobforge.coordination.bucket.transitions import Transitioned, Transitions
from blobforge.coordination.bucket.worker_entries import WorkerEntries
from blobforge.domain.errors import BlobForgeError, InvalidSettings, StoreUnavailable
from blobforge.domain.events import History, history_of
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import JobId, JobKey, WorkerId
from blobforge.domain.job import FINAL_STATES, Job, State, awaits_source
from blobforge.domain.pause import Pause
from blobforge.domain.worker import Worker
from blobforge.objectstore.client import Only
from blobforge.objectstore.key_layout import raw_name
from blobforge.ports.blob_store import source_key
from blobforge.ports.job_store import (
    Applied,
    Change,
    Inconsistency,
    Inserted,
    JobFilter,
    Queue,
    References,
    Transition,
)
from blobforge.ports.result_staging import NoStaging, ResultStaging
from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.telemetry.lazy import LazyLogger
from blobforge.thread_pool import ThreadPool

log = LazyLogger(__name__)


class BucketJobStore:
    """Threads may share it."""

    def __init__(
        self,
        objects: Objects,
        *,
        staging: ResultStaging | None = None,
        pool: ThreadPool | None = None,
        runtime: Runtime = SYSTEM_RUNTIME,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """`now_ns` is the time that ids grow with."""
        self._objects = objects
        self._pool = pool or ThreadPool()
        documents = Documents(objects)
        self._reader = StateReader(objects, documents)
        self._index = JobIndex(objects, self._pool, runtime=runtime, now_ns=now_ns)
        self._worker_entries = WorkerEntries(objects, self._pool)
        # These are about no job: the entries of the workers serve them directly.
        self.identity, self.change_record, self.records = (
            self._worker_entries.identity,
            self._worker_entries.change_record,
            self._worker_entries.records,
        )
        self._snapshots = SnapshotReader(objects, self._reader, self._pool)
        self._transitions = Transitions(
            objects,
            self._reader,
            Publishing(objects, staging or NoStaging(), runtime=runtime),
            on_free=self._on_free,
            runtime=runtime,
        )
        self.claims = Claims(objects, self._reader, self._transitions, self._pool)
        self._reaper = Reaper(self._reader, self._transitions, self._snapshots, self._pool)
        adoption = Adoption(objects, self._reader, self._transitions, self._index, documents)
        self._reconciler = Reconciler(objects, self._reader, self._transitions, self._snapshots, adoption, self._pool)
        self._bulk = BulkReader(objects, self._reader, self._snapshots, self._index, self._pool)
        self._inventory = Inventory(objects, self._reader, self._pool)
        self._last_seen = LastSeen(objects, self._reader, self._index)

    # Adding

    def insert(self, jobs: Sequence[Job]) -> list[Inserted]:
        keys = list(dict.fromkeys(job.key for job in jobs))
        known = self._bulk.before_adding(keys)
        new = {job.key: job for job in reversed(jobs) if is_free(known.get(job.key))}
        ids = self._index.new_ids(len(new))
        order = [key for key in keys if key in new]
        numbered = [new[key]._replace(id=job_id) for key, job_id in zip(order, ids, strict=True)]
        for lane in {lane_of(key) for key in new}:
            self._index.open_lane(lane)
        self._index.index(numbered)
        added = self._pool.each(lambda job: self._add(job, known.get(job.key)), numbered)
        self._index.unindex([job for job, entry in zip(numbered, added, strict=True) if not entry.created])
        self._transitions.announce([entry.job for entry in added if entry.created])
        return in_order(jobs, known, dict(zip(order, added, strict=True)))

    def _add(self, job: Job, known: StoredState | None) -> Inserted:
        if isinstance(known, Tombstone) or awaits_source(job):
            # A marker alone would be claimed: a job that waits for its source has a record instead, and no marker.
            generation = known.generation + 1 if isinstance(known, Tombstone) else 1
            record = JobRecord(RecordState.PENDING, generation, JobHistory(job), self._transitions.instance)
            if self._transitions.create(record) is not None:
                self._transitions.reindex(record)
                return Inserted(job, created=True)
        else:
            body = todo_body(JobHistory(job), generation=1, has_record=False)
            name = lane_of(job.key).waiting(job.priority, job.source_hash)
            if self._objects.put(name, body, only=Only(if_new=True)) is not None:
                return Inserted(job, created=True)
        there = self._reader.read(job.key)
        if there is None or isinstance(there, Tombstone):
            return self._add(job, there)
        return Inserted(there.job, created=False)

    def _on_free(self, job: Job) -> None:
        self.claims.on_free(job)

    # Finding

    def get(self, job_id: JobId) -> Job:
        return self._last_seen.state_of(job_id).job

    def get_many(self, job_ids: Sequence[JobId]) -> list[Job]:
        found = self._pool.each(self._last_seen.recheck, dict.fromkeys(job_ids))
        return [current.job for current in found if current is not None]

    def find(self, keys: Sequence[JobKey]) -> dict[JobKey, Job]:
        found = self._bulk.stored_states(keys)
        return {key: there.job for key, there in found.items() if not isinstance(there, Tombstone)}

    def states(self, keys: Sequence[JobKey]) -> dict[JobKey, State]:
        return self._bulk.states(keys)

    def find_by_prefix(self, prefix: str, *, project: str, limit: int) -> list[Job]:
        return self._bulk.by_prefix(prefix, project=project, limit=limit)

    def page(self, wanted: JobFilter, *, after: JobId | None = None, limit: int = 50) -> list[Job]:
        return self._bulk.page(wanted, after=after, limit=limit)

    def count(self, wanted: JobFilter, *, most: int) -> int:
        return self._bulk.count(wanted, most=most)

    def references(self) -> References:
        return self._inventory.references()

    def counts(self, *, project: str | None = None) -> Mapping[tuple[str, State], int]:
        return self._bulk.counts(project=project)

    def waiting(self, *, project: str) -> Mapping[tuple[str, str], int]:
        return self._bulk.waiting(project=project)

    def gaps(self, *, project: str | None = None) -> Mapping[str, int]:
        return self._bulk.gaps(project=project)

    def doubts(self, *, project: str | None = None) -> Mapping[str, int]:
        return self._bulk.doubts(project=project)

    def history(self, job_id: JobId) -> History:
        history = self._last_seen.state_of(job_id).history
        return history_of(history.job, history.attempts, history.events)

    def files(self, job_id: JobId) -> list[FileRecord]:
        current = self._last_seen.find_by_id(job_id)
        if current is None:
            return []
        kept = [*current.history.files, *self._index.files(current.job)]
        recorded = [entry.file for entry in sorted(kept, key=lambda entry: entry.rev)]
        return [*self._source(current.job), *recorded]

    def _source(self, job: Job) -> list[FileRecord]:
        """It is not recorded: its name is its hash."""
        facts = self._objects.head(raw_name(job.source_hash))
        if facts is None:
            return []
        key = source_key(job.source_hash)
        return [FileRecord(FileRole.SOURCE, key, facts.size, "application/pdf", job.source_hash)]

    # Changing

    def update(self, job_id: JobId, change: Change) -> Job:
        key = self._last_seen.key_of(job_id)
        with self._last_seen.locked(job_id):
            return self._last_seen.keep_change(self._transitions.apply(key, change)).job

    def apply(
        self,
        transitions: Sequence[Transition],
        *,
        take: Change | None = None,
        queue: Queue | None = None,
        limit: int = 0,
    ) -> Applied:
        if take is None or queue is None or limit <= 0:
            return Applied(self._apply_all(transitions), [])
        if not transitions:
            return Applied([], self._take(take, queue, limit))
        self.claims.check_take(take, queue, limit)
        outcomes = self._apply_all(transitions)
        # A job whose ending did not arrive keeps its place: its worker has counted it as free, and would hold too many.
        limit -= sum(isinstance(outcome, StoreUnavailable) for outcome in outcomes)
        try:
            return Applied(outcomes, self._take(take, queue, limit) if limit > 0 else [])
        except StoreUnavailable as error:
            # The outcomes must be returned, or the caller would repeat the transitions and get LeaseLost.
            log.warning("nothing could be claimed", error=str(error))
            return Applied(outcomes, [])

    def _apply_all(self, transitions: Sequence[Transition]) -> list[Job | BlobForgeError]:
        for transition in transitions:
            self._try_in_memory(transition)
        applied = self._pool.each(self._apply_in_order, by_job(transitions))
        outcomes = {place: outcome for group in applied for place, outcome in group}
        return [outcomes[place] for place in range(len(transitions))]

    def _take(self, take: Change, queue: Queue, limit: int) -> list[Job]:
        taken = [
            self._last_seen.keep_record(found).job
            for found in self.claims.take(take, queue, limit, own=self._last_seen.failed_here())
        ]
        foreign = [job for job in taken if job.id in self._reader.foreign]
        with suppress(StoreUnavailable):  # they would only be missing in listings by id
            self._index.index(foreign)
        return taken

    def _try_in_memory(self, transition: Transition) -> None:
        """Calls the change on the job as it was last seen, so that a bug in it raises before anything is written."""
        known = self._last_seen.get(transition.seen.id)
        try:
            transition.change(transition.seen if known is None or isinstance(known, Tombstone) else known.job)
        except BlobForgeError:
            return

    def _apply_in_order(self, transitions: Iterable[tuple[int, Transition]]) -> list[tuple[int, Job | BlobForgeError]]:
        return [(place, self._apply_one(transition)) for place, transition in transitions]

    def _apply_one(self, transition: Transition) -> Job | BlobForgeError:
        try:
            with self._last_seen.locked(transition.seen.id):
                changed = self._apply_transition(transition)
        except BlobForgeError as error:
            return error
        return changed.job

    def _apply_transition(self, transition: Transition) -> Transitioned:
        known, key = self._last_seen.get(transition.seen.id), transition.seen.key
        transition = transition._replace(change=only_of(transition.seen, transition.change))
        changed = self._try_cached(key, transition, known) if isinstance(known, Recorded) else None
        if changed is None:
            changed = self._transitions.apply(key, transition.change, files=transition.files)
        if transition.files and not has_files(changed.current, transition.files):
            self._index.add_files(changed.job, transition.files)
        return self._last_seen.keep_change(changed)

    def _try_cached(self, key: JobKey, transition: Transition, known: Recorded) -> Transitioned | None:
        """Saves the read where the cached state is current; if the change refuses or keeps that, the job is read."""
        try:
            if transition.change(known.job) == known.job:
                return None
        except BlobForgeError:
            return None
        return self._transitions.apply(key, transition.change, files=transition.files, known=known)

    def update_due(self, change: Change, *, now: datetime, limit: int) -> list[Job]:
        return self._reaper.reap(self._index.recently_listed_lanes(), change, now=now, limit=limit)

    def reconcile(self, *, dry_run: bool) -> list[Inconsistency]:
        return self._reconciler.reconcile(self._index.lanes(), self._index.indexed, dry_run=dry_run)

    def archive(self, *, completed_before: datetime, stretch: int) -> int:  # noqa: ARG002 - fixed by the port
        """Not needed: workers list only the markers of pending jobs."""
        return 0

    def forget(self, jobs: Sequence[Job]) -> int:
        return sum(self._pool.each(self._forget, [job for job in jobs if job.state in FINAL_STATES]))

    def _forget(self, job: Job) -> bool:
        """Writes a tombstone as the record of the next generation: a concurrent retry wins or loses as a whole, the
        generation is never used again, and no late write of an old run counts."""
        current = self._reader.read(job.key)
        if current is None or isinstance(current, Tombstone) or current.job != job:
            return False
        history = JobHistory(job._replace(rev=job.rev + 1))
        purged = JobRecord(RecordState.PURGED, current.generation + 1, history, self._transitions.instance)
        if self._transitions.create(purged) is None:
            return False
        self._transitions.reindex(purged)
        self._index.unindex([job])
        self._last_seen.forget(job.id)
        return True

    # Workers

    def pause(self, pause: Pause) -> Pause:
        raise InvalidSettings(
            f"a queue in a bucket cannot be paused ({pause.type}): its workers claim without asking anybody, and may "
            "be of another program; stop them, or set their run windows"
        )

    def resume(self, project: str, job_type: str) -> Pause | None:  # noqa: ARG002 - fixed by the port
        return None

    def pauses(self, *, project: str | None = None) -> list[Pause]:  # noqa: ARG002 - fixed by the port
        """There are none, and it costs no request to know that."""
        return []

    def put_worker(self, worker: Worker) -> None:
        self._worker_entries.put_worker(worker)

    def remove_worker(self, worker_id: WorkerId) -> None:
        self._worker_entries.remove_worker(worker_id)

    def workers(self) -> list[Worker]:
        return self._worker_entries.workers()

    def close(self) -> None:
        self._pool.close()
        self._objects.close()
