"""The reaper: frees expired leases and ends back-offs."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from blobforge.coordination.bucket.job_record import IN_PROGRESS, STATE_OF, JobRecord, RecordState
from blobforge.coordination.bucket.listing_snapshot import SnapshotReader
from blobforge.coordination.bucket.names import Lane, lane_of
from blobforge.coordination.bucket.stored_state import Recorded, StateReader
from blobforge.coordination.bucket.transitions import Transitions
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.job import Job, State
from blobforge.ports.job_store import Change
from blobforge.thread_pool import ThreadPool


class _Plan(NamedTuple):
    """A change that is computed but not yet written: all are computed before the first write."""

    current: Recorded
    after: Job


class Reaper:
    """Safe beside other reapers and workers: each job is changed by a conditional write of its record."""

    def __init__(
        self, reader: StateReader, transitions: Transitions, snapshots: SnapshotReader, pool: ThreadPool
    ) -> None:
        self._reader = reader
        self._transitions = transitions
        self._snapshots = snapshots
        self._pool = pool

    def reap(self, lanes: Sequence[Lane], change: Change, *, now: datetime, limit: int) -> list[Job]:
        """Changes up to `limit` due jobs, earliest first, and returns them; skips those that were written meanwhile."""
        changed: list[Job] = []
        due = sorted(self._due(lanes, now), key=lambda current: (_due_at(current.record) or now, current.job.id))
        while due and len(changed) < limit:
            wanted = limit - len(changed)
            plans = [plan for current in due[:wanted] if (plan := _plan_for(current, change)) is not None]
            due = due[wanted:]
            changed += [job for job in self._pool.each(self._apply, plans) if job is not None]
        self._transitions.announce([job for job in changed if job.state is State.PENDING])
        return changed

    def _due(self, lanes: Sequence[Lane], now: datetime) -> Iterator[Recorded]:
        listed = [record for lane in lanes for record in self._snapshots.records(lane).values()]
        for record, etag in self._snapshots.read(listed):
            at = _due_at(record)
            if at is not None and at <= now:
                yield Recorded(record, etag, None)

    def _apply(self, plan: _Plan) -> Job | None:
        """Writes only if the ETag is the one that was read, so a heartbeat since then wins. A job that was published
        meanwhile is completed."""
        current, after = plan
        key = current.job.key
        out = self._reader.out(lane_of(key), key.source_hash)
        if out is not None and out.generation >= current.generation:
            self._transitions.remove_leftovers(key, out.generation)
            return None
        history = current.history.after(after)
        record = JobRecord(STATE_OF[after.state], current.generation, history, self._transitions.instance)
        written = self._transitions.replace(current._replace(out=out), record)
        if written is None:
            return None
        if record.state not in IN_PROGRESS:
            self._transitions.reindex(record, announce=False)
        return history.job


def _plan_for(current: Recorded, change: Change) -> _Plan | None:
    try:
        after = change(current.job)
    except BlobForgeError:
        return None
    return None if after == current.job else _Plan(current, after)


def _due_at(record: JobRecord) -> datetime | None:
    if record.state in IN_PROGRESS:
        return record.job.lease_expires_at
    # Of a pending one it is the moment by which its source must have come.
    return record.job.available_at if record.state in (RecordState.FAILED, RecordState.PENDING) else None
