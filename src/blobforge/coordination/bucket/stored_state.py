"""How a job stands, read from the objects that tell of it.

A marker in `todo` alone means never touched; a record is the state of any other; an object under `store/out` of the
record's generation or a later one means done, whatever else is there. A record is deleted only after that was seen, and
markers only after the state says so: that is why the reads below have their order.
"""

from collections.abc import Sequence
from typing import NamedTuple

from blobforge.coordination.bucket.adopted_documents import Documents
from blobforge.coordination.bucket.job_history import JobHistory, adopted
from blobforge.coordination.bucket.job_record import (
    JobRecord,
    RecordState,
    foreign_record,
    parse_job_record,
    parse_todo_body,
)
from blobforge.coordination.bucket.names import Lane, RecordName, lane_of, parse_record_name
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.published_result import PublishedResult, history_of, published_in
from blobforge.domain.ids import JobId, JobKey
from blobforge.domain.job import Job
from blobforge.domain.priority import Priority
from blobforge.objectstore.client import StoredObject
from blobforge.telemetry.lazy import LazyLogger

log = LazyLogger(__name__)


_LIKELIEST_FIRST = (Priority.NORMAL, Priority.HIGH, Priority.CRITICAL, Priority.LOW, Priority.BACKGROUND)


class Unclaimed(NamedTuple):
    """Only a marker says that there is such a job."""

    history: JobHistory
    generation: int
    priority: int

    @property
    def job(self) -> Job:
        return self.history.job


class Recorded(NamedTuple):
    record: JobRecord
    etag: str
    out: PublishedResult | None
    """Of an earlier generation, if there is one."""

    @property
    def history(self) -> JobHistory:
        return self.record.history

    @property
    def job(self) -> Job:
        return self.record.job

    @property
    def generation(self) -> int:
        return self.record.generation


class PublishedJob(NamedTuple):
    history: JobHistory
    out: PublishedResult
    records: int = 0
    """The highest generation of a cell that is still there, to be tidied up."""

    @property
    def job(self) -> Job:
        return self.history.job

    @property
    def generation(self) -> int:
        return max(self.out.generation, self.records)


class Tombstone(NamedTuple):
    """It was purged: nobody finds it, and its numbers are not used again."""

    generation: int
    etag: str


StoredState = Unclaimed | Recorded | PublishedJob | Tombstone


class StateReader:
    def __init__(self, objects: Objects, documents: Documents) -> None:
        self._objects = objects
        self._documents = documents
        self.foreign: set[JobId] = set()
        """Jobs that another program put there, and that were met here: they are in no index."""

    def look(self, key: JobKey) -> StoredState | None:
        """None for a job that nobody ever submitted."""
        # It may be claimed and completed while we look for its marker.
        return self.glance(key) or self._settled(key)

    def glance(self, key: JobKey, *, tiers: Sequence[int] = _LIKELIEST_FIRST) -> StoredState | None:
        """Like a look, but None also for a job that is taken out of one of these tiers and done in this very moment."""
        found = self._settled(key)
        if found is not None:
            return found
        fresh = (self.fresh(lane_of(key), priority, key.source_hash) for priority in tiers)
        return next((one for one in fresh if one is not None), None)

    def fresh(self, lane: Lane, priority: int, source_hash: str) -> Unclaimed | None:
        """What the marker of a job that waits tells; also of one that has a record, if it tells the job itself."""
        stored = self._objects.get(lane.waiting(priority, source_hash))
        if stored is None:
            return None
        return self.told(lane.key(source_hash), priority, stored)

    def told(self, key: JobKey, priority: int, stored: StoredObject) -> Unclaimed:
        waiting = parse_todo_body(stored.body)
        history = waiting.history
        if history is None or history.job.key != key:
            history = adopted(key, waiting.facts, modified=stored.modified)
            if not waiting.has_record and history.job.id not in self.foreign:
                self.foreign.add(history.job.id)
                log.warning("a marker was not written by BlobForge", hash=key.source_hash, tier=Priority(priority).slug)
        return Unclaimed(history._replace(job=history.job._replace(priority=priority)), waiting.generation, priority)

    def record(self, lane: Lane, name: RecordName) -> tuple[JobRecord, str] | None:
        """The record and its ETag; None when it is gone."""
        stored = self._objects.get(lane.record(*name))
        if stored is None:
            return None
        record, key = parse_job_record(stored.body, generation=name.generation), lane.key(name.source_hash)
        if record is None or record.job.key != key:
            log.warning("a lock was not written by BlobForge", hash=name.source_hash)
            record = foreign_record(key, stored.body, generation=name.generation, modified=stored.modified)
            named = self._documents.about(name.source_hash).told_to(record.job)
            record = record._replace(history=JobHistory(named))
        return record, stored.etag

    def out(self, lane: Lane, source_hash: str) -> PublishedResult | None:
        return published_in(self._objects.head(lane.out(source_hash)), lane.key(source_hash))

    def done(self, key: JobKey, out: PublishedResult, *, records: int = 0) -> PublishedJob:
        return PublishedJob(history_of(self._objects, key, out), out, records)

    def generations(self, lane: Lane, source_hash: str) -> list[int]:
        listed = self._objects.page(f"{lane.records}{source_hash}")
        return sorted(name.generation for facts in listed if (name := parse_record_name(facts.name)) is not None)

    def _settled(self, key: JobKey) -> Recorded | PublishedJob | Tombstone | None:
        """By its record and by what was published."""
        lane = lane_of(key)
        while True:
            generations = self.generations(lane, key.source_hash)
            out = self.out(lane, key.source_hash)
            highest = generations[-1] if generations else 0
            if out is not None and out.generation >= highest:
                return self.done(key, out, records=highest)
            if not highest:
                return None
            found = self.record(lane, RecordName(key.source_hash, highest))
            if found is not None:
                record, etag = found
                return Tombstone(highest, etag) if record.state is RecordState.PURGED else Recorded(record, etag, out)
