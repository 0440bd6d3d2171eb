"""The transition of one job: a conditional write of its record first, then its markers."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from blobforge.coordination.bucket.change_token import bump_change_tokens
from blobforge.coordination.bucket.job_history import JobHistory
from blobforge.coordination.bucket.job_record import (
    IN_PROGRESS,
    STATE_OF,
    JobRecord,
    RecordState,
    dead_body,
    failed_body,
    job_record_body,
    todo_body,
)
from blobforge.coordination.bucket.names import TIERS, Lane, lane_of
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.published_result import PublishedResult
from blobforge.coordination.bucket.publishing import Publishing
from blobforge.coordination.bucket.stored_state import (
    PublishedJob,
    Recorded,
    StateReader,
    StoredState,
    Tombstone,
    Unclaimed,
)
from blobforge.domain.errors import InvalidMove, LeaseLost, NotFound, StoreUnavailable
from blobforge.domain.files import FileRecord
from blobforge.domain.ids import JobId, JobKey
from blobforge.domain.job import Job, State, awaits_source, is_ready, title
from blobforge.objectstore.client import Only
from blobforge.ports.job_store import Change
from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME

MOST_TRIES = 50
"""Every lost race is the success of another process; so many in a row do not happen by chance."""


class Transitioned(NamedTuple):
    """The job after a transition, and its stored state."""

    job: Job
    current: StoredState


class Transitions:
    """A crash between a record and its markers loses nothing: the record is the truth, and the reconciler writes the
    rest."""

    def __init__(
        self,
        objects: Objects,
        reader: StateReader,
        publishing: Publishing,
        *,
        on_free: Callable[[Job], None],
        runtime: Runtime = SYSTEM_RUNTIME,
    ) -> None:
        self._objects = objects
        self._reader = reader
        self._publishing = publishing
        self._on_free = on_free
        self._unanswered: set[tuple[JobId, int]] = set()
        self._nonce = runtime.nonce
        self.instance = self._nonce(8)

    def apply(
        self, key: JobKey, change: Change, *, files: Sequence[FileRecord] = (), known: StoredState | None = None
    ) -> Transitioned:
        """Reads, changes and writes until no other write came in between. Raises NotFound and what `change` raises."""
        current = known or self._reader.read(key)
        for _ in range(MOST_TRIES):
            if current is None or isinstance(current, Tombstone):
                raise NotFound(f"there is no job of {key.source_hash} in {key.project}/{key.type}")
            changed = self._try(current, change, files)
            if changed is not None:
                return changed
            current = self._reader.read(key)
        raise StoreUnavailable(f"job {key.source_hash}: it is changed by others again and again; try again later")

    def _try(
        self, current: Unclaimed | Recorded | PublishedJob, change: Change, files: Sequence[FileRecord]
    ) -> Transitioned | None:
        """None when another write came first."""
        try:
            after = change(current.job)
        except LeaseLost:
            if not isinstance(current, PublishedJob) or _run_of(current.job) not in self._unanswered:
                raise
            # This process published it, and the response was lost.
            self.remove_leftovers(current.job.key, current.out.generation)
            return Transitioned(current.job, current)
        if after == current.job:
            return Transitioned(current.job, current)
        if isinstance(current, PublishedJob) or _is_dead(current):
            return self._start_next_generation(current, after, files)
        if after.state is State.COMPLETED:
            return self._complete(current, after, files)
        _require_not_published(current, after)
        return self._write(current, current.history.after(after, files))

    # From one state to the next

    def _write(self, current: Unclaimed | Recorded, history: JobHistory) -> Transitioned | None:
        state = STATE_OF[history.job.state]
        if _is_finalising(current) and state is RecordState.HELD and _is_same_lease(current.job, history.job):
            state = RecordState.FINALISING  # a renewal, and nothing more
        written = self._overwrite(current, JobRecord(state, current.generation, history, self.instance))
        if written is None:
            return None
        if state not in IN_PROGRESS:
            self.reindex(written.record)
        return Transitioned(history.job, written)

    def _complete(self, current: Unclaimed | Recorded, after: Job, files: Sequence[FileRecord]) -> Transitioned | None:
        finalising = self._finalising(current)
        if finalising is None:
            return None
        history = finalising.history.after(after, files)
        self._unanswered.add(_run_of(after))
        out = self._publishing.publish(finalising, history)
        self.remove_leftovers(after.key, out.generation)
        self._unanswered.discard(_run_of(after))
        if not _is_of(out.history, history.job):
            raise LeaseLost(f"{title(after)}: another run of it was published first")
        return Transitioned(history.job, PublishedJob(history, out))

    def _finalising(self, current: Unclaimed | Recorded) -> Recorded | None:
        """From here on the job cannot be cancelled. A process that began to publish may go on with it."""
        if isinstance(current, Recorded) and current.record.state is RecordState.FINALISING:
            if current.record.instance != self.instance:
                raise LeaseLost(f"{title(current.job)}: its result is being published by another process")
            return current
        history = current.history.after(current.job)
        return self._overwrite(current, JobRecord(RecordState.FINALISING, current.generation, history, self.instance))

    def _start_next_generation(
        self, ended: PublishedJob | Recorded | Unclaimed, after: Job, files: Sequence[FileRecord]
    ) -> Transitioned | None:
        """A job that has ended gets a record of the next generation, which a worker of the old one cannot write."""
        if after.state is State.COMPLETED:
            return self._restore(ended, after)
        history = ended.history.after(after, files)
        out = None if isinstance(ended, Unclaimed) else ended.out
        written = self.create(JobRecord(STATE_OF[after.state], ended.generation + 1, history, self.instance), out=out)
        if written is None:
            return None
        if written.record.state is not RecordState.HELD:
            self.reindex(written.record)
        return Transitioned(history.job, written)

    def _restore(self, ended: PublishedJob | Recorded | Unclaimed, after: Job) -> Transitioned | None:
        """The earlier published result becomes that of the next generation. A dead record of that generation is written
        first: a concurrent retry or forget wins or loses as a whole, and no late write of an old run counts."""
        if not isinstance(ended, Recorded) or ended.out is None:
            raise InvalidMove(f"{title(after)}: it is {ended.job.state}; only a new run changes it")
        history = ended.history.after(ended.job)
        dead = self.create(JobRecord(RecordState.DEAD, ended.generation + 1, history, self.instance), out=ended.out)
        if dead is None:
            return None
        out = self._publishing.republish(dead, ended.out, history.after(after))
        if out is None:
            return None
        self.remove_leftovers(after.key, out.generation)
        restored = history.after(after)
        return Transitioned(restored.job, PublishedJob(restored, out))

    def record_again(self, unclaimed: Unclaimed) -> None:
        """Where its record was cut off while it was written, the job is pending, as its marker has it."""
        name = lane_of(unclaimed.job.key).record(unclaimed.job.source_hash, unclaimed.generation)
        if not unclaimed.has_record or self._objects.remains(name) is None:
            return
        record = JobRecord(RecordState.PENDING, unclaimed.generation, unclaimed.history, self.instance)
        written = self.create(record)
        if written is not None and not self.is_done(written):
            self.reindex(record)

    # One write each

    def create(self, record: JobRecord, *, out: PublishedResult | None = None) -> Recorded | None:
        """None when there is such a record already."""
        return self._put(record, Only(if_new=True), out)

    def replace(self, current: Recorded, record: JobRecord) -> Recorded | None:
        """None when the record was written since it was read."""
        return self._put(record, Only(if_etag=current.etag), current.out)

    def _put(self, record: JobRecord, only: Only, out: PublishedResult | None) -> Recorded | None:
        name = lane_of(record.job.key).record(record.job.source_hash, record.generation)
        body = job_record_body(record, nonce=self._nonce(8))
        etag = self._objects.put(name, body, only=only)
        if etag is None:
            # A proxy or the SDK may have sent it twice, and returned only the second response.
            there = self._objects.get(name)
            etag = there.etag if there is not None and there.body == body else None
        return None if etag is None else Recorded(record, etag, out)

    def _overwrite(self, current: Unclaimed | Recorded, record: JobRecord) -> Recorded | None:
        if isinstance(current, Recorded):
            return self.replace(current, record)
        written = self.create(record)
        # The marker may be left over from a run that was published long ago.
        return None if written is None or self.is_done(written) else written

    def is_done(self, written: Recorded) -> bool:
        """Whether this generation was published already; then its record and markers are removed."""
        key = written.job.key
        out = self._reader.out(lane_of(key), key.source_hash)
        if out is None or out.generation < written.generation:
            return False
        self.remove_leftovers(key, out.generation)
        return True

    # Markers

    def reindex(self, record: JobRecord, *, announce: bool = True) -> None:
        """Writes the markers of this state and deletes all others. Who reindexes many jobs announces them together."""
        job, lane = record.job, lane_of(record.job.key)
        expected = self._markers_of(record)
        for name, body in expected.items():
            self._objects.put(name, body)
        self._objects.delete_many([name for name in markers(lane, job.source_hash) if name not in expected])
        if record.state is RecordState.PENDING and announce:
            self.announce([job])

    def announce(self, jobs: Sequence[Job]) -> None:
        """Changes the tokens of the tiers that have new jobs to claim; after their markers were written."""
        tiers: dict[Lane, set[int]] = defaultdict(set)
        for job in filter(is_ready, jobs):
            tiers[lane_of(job.key)].add(job.priority)
            self._on_free(job)
        for lane, priorities in tiers.items():
            bump_change_tokens(self._objects, lane, sorted(priorities), nonce=self._nonce)

    def remove_leftovers(self, key: JobKey, generation: int) -> None:
        """Deletes the markers and records up to a generation whose result was seen published."""
        lane = lane_of(key)
        records = [lane.record(key.source_hash, number) for number in range(1, generation + 1)]
        self._objects.delete_many([*markers(lane, key.source_hash), *records])

    def _markers_of(self, record: JobRecord) -> dict[str, bytes]:
        job, lane = record.job, lane_of(record.job.key)
        if awaits_source(job):
            return {}  # nobody may find it before its source came; the record alone knows of it
        if record.state is RecordState.PENDING:
            body = todo_body(record.history, generation=record.generation, has_record=True)
            return {lane.waiting(job.priority, job.source_hash): body}
        if record.state is RecordState.FAILED:
            return {lane.marker("failed", job.source_hash): failed_body(record)}
        if record.state is RecordState.DEAD:
            kinds = ("dead", "cancelled") if job.state is State.CANCELLED else ("dead",)
            return {lane.marker(kind, job.source_hash): dead_body(record) for kind in kinds}
        return {}


def markers(lane: Lane, source_hash: str) -> list[str]:
    """The names of all markers that a job can have."""
    todo = [f"{lane.todo}{tier}/{source_hash}" for tier in TIERS]
    return todo + [lane.marker(kind, source_hash) for kind in ("failed", "dead", "cancelled")]


def _is_dead(current: StoredState) -> bool:
    return isinstance(current, Recorded) and current.record.state is RecordState.DEAD


def _is_finalising(current: StoredState) -> bool:
    return isinstance(current, Recorded) and current.record.state is RecordState.FINALISING


def _is_same_lease(before: Job, after: Job) -> bool:
    return (before.worker_id, before.lease_number) == (after.worker_id, after.lease_number)


def _require_not_published(current: StoredState, after: Job) -> None:
    if _is_finalising(current) and after.state is State.CANCELLED:
        raise InvalidMove(f"{title(after)}: its result is being published; there is nothing to cancel any more")


def _run_of(job: Job) -> tuple[JobId, int]:
    return job.id, job.lease_number


def _is_of(published: JobHistory | None, job: Job) -> bool:
    """By lease and result: a dead job that was restored has the result of an earlier run and the lease of the last."""
    return published is not None and (published.job.lease_number, published.job.result) == (
        job.lease_number,
        job.result,
    )
