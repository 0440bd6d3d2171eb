"""Jobs as this process last saw them, so that the next transition of one needs no read before."""

import threading
from collections import OrderedDict, defaultdict

from blobforge.coordination.bucket.job_index import JobIndex
from blobforge.coordination.bucket.job_record import IN_PROGRESS, RecordState
from blobforge.coordination.bucket.names import lane_of
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.stored_state import (
    PublishedJob,
    Recorded,
    StateReader,
    StoredState,
    Tombstone,
    Unclaimed,
)
from blobforge.coordination.bucket.transitions import Transitioned
from blobforge.domain.errors import NotFound
from blobforge.domain.ids import JobId, JobKey

MOST_KEPT = 10_000


class LastSeen:
    """What is kept may be old: the ETag of the record decides, wherever something is written. Threads share it."""

    def __init__(self, objects: Objects, reader: StateReader, index: JobIndex) -> None:
        self._objects = objects
        self._reader = reader
        self._index = index
        self._lock = threading.Lock()
        self._kept: OrderedDict[JobId, StoredState] = OrderedDict()
        self._job_locks: dict[JobId, threading.Lock] = defaultdict(threading.Lock)

    def get(self, job_id: JobId) -> StoredState | None:
        """Without a request; None where nothing is kept."""
        return self._kept.get(job_id)

    def key_of(self, job_id: JobId) -> JobKey:
        """Raises NotFound."""
        known = self._kept.get(job_id)
        if known is not None and not isinstance(known, Tombstone):
            return known.job.key
        found = self._index.find(job_id)
        if found is None:
            raise NotFound(f"there is no job #{job_id}")
        return found.key

    def find_by_id(self, job_id: JobId) -> Unclaimed | Recorded | PublishedJob | None:
        """As it is now."""
        try:
            key = self.key_of(job_id)
        except NotFound:
            return None
        current = self._reader.read(key)
        if current is None or isinstance(current, Tombstone) or current.job.id != job_id:
            return None
        return current

    def recheck(self, job_id: JobId) -> Unclaimed | Recorded | PublishedJob | None:
        """A job that this process holds is compared by the ETag of its record: one request, and no listing."""
        known = self._kept.get(job_id)
        if isinstance(known, Recorded) and known.record.state in IN_PROGRESS:
            there = self._objects.head(lane_of(known.job.key).record(known.job.source_hash, known.generation))
            if there is not None and there.etag == known.etag:
                return known
        return self.find_by_id(job_id)

    def state_of(self, job_id: JobId) -> Unclaimed | Recorded | PublishedJob:
        """As it is now. Raises NotFound."""
        current = self.find_by_id(job_id)
        if current is None:
            raise NotFound(f"there is no job #{job_id}")
        return current

    def keep_change(self, changed: Transitioned) -> Transitioned:
        self._keep(changed.job.id, changed.current)
        return changed

    def keep_record(self, current: Recorded) -> Recorded:
        self._keep(current.job.id, current)
        return current

    def forget(self, job_id: JobId) -> None:
        with self._lock:
            self._kept.pop(job_id, None)

    def failed_here(self) -> list[Recorded]:
        """They are retried when their back-off is over, without waiting for the reaper."""
        with self._lock:
            return [
                current
                for current in self._kept.values()
                if isinstance(current, Recorded) and current.record.state is RecordState.FAILED
            ]

    def locked(self, job_id: JobId) -> threading.Lock:
        """One transition of a job at a time in this process, which would only lose races against itself."""
        with self._lock:
            return self._job_locks[job_id]

    def _keep(self, job_id: JobId, current: StoredState) -> None:
        with self._lock:
            self._kept[job_id] = current
            self._kept.move_to_end(job_id)
            if len(self._kept) > MOST_KEPT:
                forgotten, _ = self._kept.popitem(last=False)
                self._job_locks.pop(forgotten, None)
