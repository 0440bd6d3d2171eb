"""The state of a job, read from its objects.

A marker in `todo` alone: never claimed or changed. A record: the state of any other job. An object under `store/out` of
the record's generation or a later one: completed, whatever else is there. A record is deleted only after that object
was seen, and a marker only after the record says so; the order of the reads below relies on it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from blobforge.coordination.bucket import adoption_record
from blobforge.coordination.bucket.adopted_documents import Documents
from blobforge.coordination.bucket.foreign_notices import ForeignNotices
from blobforge.coordination.bucket.job_history import JobHistory, adopted, as_priority
from blobforge.coordination.bucket.job_record import (
    JobRecord,
    RecordState,
    facts_of,
    foreign_record,
    parse_job_record,
    parse_todo_body,
)
from blobforge.coordination.bucket.names import Lane, RecordName, lane_of, parse_record_name
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.published_result import PublishedResult, history_of, published_in
from blobforge.domain.errors import ResultDamaged
from blobforge.domain.ids import JobId, JobKey
from blobforge.domain.job import Job, State
from blobforge.domain.priority import Priority
from blobforge.objectstore.client import StoredObject

_CUT_OFF = "its result was cut off while it was written, and is empty"
_LIKELIEST_FIRST = (Priority.NORMAL, Priority.HIGH, Priority.CRITICAL, Priority.LOW, Priority.BACKGROUND)


class Unclaimed(NamedTuple):
    """There is only a marker, which has this ETag."""

    history: JobHistory
    generation: int
    priority: int
    etag: str
    has_record: bool = False
    """Its marker was written for a record, which is gone."""

    @property
    def job(self) -> Job:
        return self.history.job


class Recorded(NamedTuple):
    """The job's record says its state; `etag` is the condition of the next write."""

    record: JobRecord
    etag: str
    out: PublishedResult | None
    """The result of an earlier generation, if there is one."""

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
    """The result was published, which makes the job done whatever its records and markers still say."""

    history: JobHistory
    out: PublishedResult
    records: int = 0
    """The highest generation of a record that is still there, to be removed."""

    @property
    def job(self) -> Job:
        return self.history.job

    @property
    def generation(self) -> int:
        return max(self.out.generation, self.records)


class Tombstone(NamedTuple):
    """The job was purged: it is not found, and its generations are not used again."""

    generation: int
    etag: str


StoredState = Unclaimed | Recorded | PublishedJob | Tombstone


class StateReader:
    """Reads in an order that misses no job which another process changes at the same time."""

    def __init__(self, objects: Objects, documents: Documents) -> None:
        self._objects = objects
        self._documents = documents
        self._notices = ForeignNotices()
        self.foreign: set[JobId] = set()
        """Jobs of another program that this process has read: they are in no index."""

    def read(self, key: JobKey) -> StoredState | None:
        """None for a job that was never submitted."""
        # It may be claimed and completed between the reads of its record and its marker: read the record again.
        return self.read_once(key) or self._recorded_or_published(key) or self._cut_off(key)

    def read_once(self, key: JobKey, *, tiers: Sequence[int] = _LIKELIEST_FIRST) -> StoredState | None:
        """Like `read`, but may miss a job that is claimed and completed at this moment, or whose tier is not given."""
        found = self._recorded_or_published(key)
        if found is not None:
            return found
        unclaimed = (self.unclaimed(lane_of(key), priority, key.source_hash) for priority in tiers)
        return next((one for one in unclaimed if one is not None), None)

    def unclaimed(self, lane: Lane, priority: int, source_hash: str) -> Unclaimed | None:
        """The job as its marker in `todo` describes it."""
        stored = self._objects.get(lane.waiting(priority, source_hash))
        if stored is None:
            return None
        return self.recognised(self.parse_marker(lane.key(source_hash), priority, stored))

    def parse_marker(self, key: JobKey, priority: int, stored: StoredObject) -> Unclaimed:
        marker = parse_todo_body(stored.body)
        history = marker.history
        if history is None or history.job.key != key:
            history = adopted(key, marker.facts, modified=stored.modified)
            if not marker.has_record:
                self.foreign.add(history.job.id)
        history = history._replace(job=history.job._replace(priority=priority))
        return Unclaimed(history, marker.generation, priority, stored.etag, marker.has_record)

    def recognised(self, unclaimed: Unclaimed) -> Unclaimed:
        """A job of another program with the id and the name that it has here. This costs requests: whoever only
        compares markers does without."""
        job = unclaimed.job
        if job.id not in self.foreign:
            return unclaimed
        known = adoption_record.read(self._objects, job.key)
        if known is None:
            job = self._documents.facts(job.source_hash).fill_in(job)
            self._notices.on_marker(job)
        else:
            job = adoption_record.identified(job, known.job)._replace(priority=unclaimed.priority)
        return unclaimed._replace(history=JobHistory(job))

    def known(self, key: JobKey) -> Job | None:
        """The job as it was before the other program changed it: as it was adopted, or as its marker of ours has it."""
        adopted_before = adoption_record.read(self._objects, key)
        return adopted_before.job if adopted_before is not None else self._of_ours(self._in_all_tiers(key))

    def _of_ours(self, listed: Sequence[Unclaimed]) -> Job | None:
        return next((unclaimed.job for unclaimed in listed if unclaimed.job.id not in self.foreign), None)

    def _in_all_tiers(self, key: JobKey) -> list[Unclaimed]:
        """As its markers in `todo` describe it, the most urgent first."""
        stored = {tier: self._objects.get(lane_of(key).waiting(tier, key.source_hash)) for tier in Priority}
        return [self.parse_marker(key, tier, found) for tier, found in stored.items() if found is not None]

    def record(self, lane: Lane, name: RecordName) -> tuple[JobRecord, str] | None:
        """The record and its ETag; None when it is gone."""
        stored = self._objects.get(lane.record(*name))
        if stored is None:
            return None
        record, key = parse_job_record(stored.body, generation=name.generation), lane.key(name.source_hash)
        if record is None or record.job.key != key:
            record = self._foreign_record(key, stored, name.generation)
        return record, stored.etag

    def _foreign_record(self, key: JobKey, stored: StoredObject, generation: int) -> JobRecord:
        """A lock without a priority has that of its marker, which the other program leaves there while it works."""
        record = foreign_record(key, stored.body, generation=generation, modified=stored.modified)
        said = as_priority(facts_of(stored.body).get("priority"))
        adopted_before = adoption_record.read(self._objects, key)
        listed = self._in_all_tiers(key) if said is None or adopted_before is None else []
        known = adopted_before.job if adopted_before is not None else self._of_ours(listed)
        if known is None:
            job = self._documents.facts(key.source_hash).fill_in(record.job)
        else:
            job = adoption_record.identified(record.job, known)
        job = job._replace(priority=said or (listed[0].priority if listed else job.priority))
        self._notices.on_lock(job, now=self._objects.now())
        return record._replace(history=JobHistory(job))

    def out(self, lane: Lane, source_hash: str) -> PublishedResult | None:
        return published_in(self._objects.head(lane.out(source_hash)), lane.key(source_hash))

    def published_job(self, key: JobKey, out: PublishedResult, *, records: int = 0) -> PublishedJob:
        return PublishedJob(history_of(self._objects, key, out), out, records)

    def generations(self, lane: Lane, source_hash: str) -> list[int]:
        listed = self._objects.page(f"{lane.records}{source_hash}")
        return sorted(name.generation for facts in listed if (name := parse_record_name(facts.name)) is not None)

    def _cut_off(self, key: JobKey) -> Recorded | None:
        """A job of which nothing is left but a result that was cut off while it was written: an older release took it
        for whole, and removed the rest. It is dead, with what the headers say of it, until it is run again."""
        remains = published_in(self._objects.remains(lane_of(key).out(key.source_hash)), key)
        if remains is None:
            return None
        history = history_of(self._objects, key, remains)
        dead = history.job._replace(state=State.DEAD, completed_at=None, result=None)
        job = dead._replace(error_code=ResultDamaged.code, last_error=_CUT_OFF)
        return Recorded(JobRecord(RecordState.DEAD, remains.generation, history._replace(job=job), ""), "", None)

    def _recorded_or_published(self, key: JobKey) -> Recorded | PublishedJob | Tombstone | None:
        """From its record and its published result."""
        lane = lane_of(key)
        while True:
            generations = self.generations(lane, key.source_hash)
            out = self.out(lane, key.source_hash)
            highest = generations[-1] if generations else 0
            if out is not None and out.generation >= highest:
                return self.published_job(key, out, records=highest)
            if not highest:
                return None
            found = self.record(lane, RecordName(key.source_hash, highest))
            if found is not None:
                record, etag = found
                return Tombstone(highest, etag) if record.state is RecordState.PURGED else Recorded(record, etag, out)
