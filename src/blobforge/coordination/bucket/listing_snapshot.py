"""All jobs of a lane from listings: one request a job only where its markers do not tell its state."""

from collections.abc import Iterable
from typing import NamedTuple

from blobforge.coordination.bucket.inventory import mention_in
from blobforge.coordination.bucket.job_record import JobRecord, RecordState
from blobforge.coordination.bucket.names import Lane, RecordName, parse_hash, parse_record_name, parse_waiting
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.stored_state import StateReader
from blobforge.domain.ids import JobKey
from blobforge.domain.job import State
from blobforge.objectstore.client import PAGE
from blobforge.thread_pool import ThreadPool

MOST_CACHED_RECORDS = 20_000
"""So many records are cached by their ETag, so that the next snapshot reads only what changed."""


class ListedRecord(NamedTuple):
    """The newest record of a job, as a listing names it; its content was not read."""

    lane: Lane
    name: RecordName
    etag: str
    earlier: tuple[int, ...] = ()
    """Earlier generations that have a record too."""


class ListingSnapshot(NamedTuple):
    """What the listings of a lane name, by hash. It may be older than any single read: who writes by it looks again."""

    lane: Lane
    waiting: dict[str, tuple[int, ...]]
    """The tiers in which a job is listed: one, unless a process died while it changed the priority."""
    records: dict[str, ListedRecord]
    """Of the highest generation."""
    failed: frozenset[str]
    dead: frozenset[str]
    cancelled: frozenset[str]
    outs: frozenset[str]
    cut_off: frozenset[str] = frozenset()
    """Results that were cut off while they were written, and are none."""
    torn: frozenset[str] = frozenset()
    """The jobs of which a record was."""
    foreign: tuple[str, ...] = ()
    """Foreign objects."""

    def hashes(self) -> set[str]:
        return {*self.waiting, *self.records, *self.failed, *self.dead, *self.outs, *self.cut_off}

    def state_by_markers(self, source_hash: str) -> State | None:
        """None where the record itself must be read, or where there is no job."""
        record = self.records.get(source_hash)
        if source_hash in self.outs and (record is None or record.name.generation == 1):
            return State.COMPLETED
        for state, listed in (
            (State.CANCELLED, self.cancelled),
            (State.DEAD, self.dead),
            (State.FAILED, self.failed),
        ):
            if source_hash in listed:
                return state
        if record is not None:
            return None
        if source_hash in self.waiting:
            return State.PENDING
        return State.DEAD if source_hash in self.cut_off else None

    def is_only_cut_off(self, source_hash: str) -> bool:
        """Whether nothing else is left of the job: whatever else there is tells its state."""
        others = (self.waiting, self.records, self.failed, self.dead, self.outs)
        return source_hash in self.cut_off and not any(source_hash in listed for listed in others)


class SnapshotReader:
    """Caches records by their ETag, so that a second snapshot reads only what changed."""

    def __init__(self, objects: Objects, reader: StateReader, pool: ThreadPool) -> None:
        self._objects = objects
        self._reader = reader
        self._pool = pool
        self._known: dict[tuple[str, str], JobRecord] = {}
        self._pages: dict[Lane, int] = {}

    def is_short(self, lane: Lane, *, pages: int) -> bool:
        """Whether a snapshot takes at most so many pages, by the last one; False for a lane that was never listed."""
        return self._pages.get(lane, pages + 1) <= pages

    def listing(self, lane: Lane) -> ListingSnapshot:
        """Lists in the order of a job's life, so that a job that changes meanwhile is seen at least once."""
        foreign: list[str] = []
        torn: list[str] = []
        cut_off: list[str] = []
        waiting, records = self._waiting(lane, foreign), self.records(lane, foreign, torn)
        kinds = ("failed", "dead", "cancelled")
        failed, dead, cancelled = (self._marked(lane.marker(kind), foreign) for kind in kinds)
        outs = self._marked(lane.outs, foreign, cut_off)
        self._pages[lane] = sum(1 + len(listed) // PAGE for listed in (waiting, records, failed, dead, cancelled, outs))
        return ListingSnapshot(
            *(lane, waiting, records, failed, dead, cancelled, outs, _hashes_in(cut_off), _hashes_in(torn)),
            tuple(foreign),
        )

    def cut_off(self, lane: Lane) -> list[JobKey]:
        """The jobs of which a result was cut off while it was written."""
        remains: list[str] = []
        for _ in self._objects.all(lane.outs, remains=remains):
            continue
        return [lane.key(source_hash) for source_hash in sorted(_hashes_in(remains))]

    def records(
        self, lane: Lane, foreign: list[str] | None = None, torn: list[str] | None = None
    ) -> dict[str, ListedRecord]:
        """By hash; adds the names of foreign objects to `foreign`, and those of cut off ones to `torn`."""
        found: dict[str, ListedRecord] = {}
        for facts in self._objects.all(lane.records, remains=torn):
            name = parse_record_name(facts.name) if _is_ours(facts.name, foreign) else None
            if name is None:
                continue
            known = found.get(name.source_hash)
            if known is None:
                found[name.source_hash] = ListedRecord(lane, name, facts.etag)
            elif known.name.generation < name.generation:
                earlier = (*known.earlier, known.name.generation)
                found[name.source_hash] = ListedRecord(lane, name, facts.etag, earlier)
            else:
                found[name.source_hash] = known._replace(earlier=(*known.earlier, name.generation))
        return found

    def read(self, listed: Iterable[ListedRecord]) -> list[tuple[JobRecord, str]]:
        """The records that are still there, each with its ETag; unchanged ones come from the cache."""
        return [found for found in self._pool.each(self._read_one, listed) if found is not None]

    def states(self, listing: ListingSnapshot, hashes: Iterable[str]) -> dict[JobKey, State]:
        """Those that exist."""
        states: dict[JobKey, State] = {}
        unclear: list[ListedRecord] = []
        for source_hash in hashes:
            state = listing.state_by_markers(source_hash)
            if state is not None:
                states[listing.lane.key(source_hash)] = state
            elif source_hash in listing.records:
                unclear.append(listing.records[source_hash])
        for record, _ in self.read(unclear):
            if record.state is not RecordState.PURGED:
                states[record.job.key] = record.job.state
        return states

    def _waiting(self, lane: Lane, foreign: list[str]) -> dict[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}
        for facts in self._objects.all(lane.todo):
            name = parse_waiting(facts.name) if _is_ours(facts.name, foreign) else None
            if name is not None:
                found[name.source_hash] = (*found.get(name.source_hash, ()), name.priority)
        return found

    def _marked(self, prefix: str, foreign: list[str], cut_off: list[str] | None = None) -> frozenset[str]:
        listed = self._objects.all(prefix, remains=cut_off)
        return _hashes_in([facts.name for facts in listed if _is_ours(facts.name, foreign)])

    def _read_one(self, listed: ListedRecord) -> tuple[JobRecord, str] | None:
        name = listed.lane.record(*listed.name)
        known = self._known.get((name, listed.etag))
        if known is not None:
            return known, listed.etag
        found = self._reader.record(listed.lane, listed.name)
        if found is not None:
            if len(self._known) > MOST_CACHED_RECORDS:
                self._known.clear()
            self._known[name, found[1]] = found[0]
        return found


def _hashes_in(names: Iterable[str]) -> frozenset[str]:
    found = ((record.source_hash if (record := parse_record_name(name)) else parse_hash(name)) for name in names)
    return frozenset(source_hash for source_hash in found if source_hash is not None)


def _is_ours(name: str, foreign: list[str] | None) -> bool:
    """By the rule of `gc` and `doctor`; adds the name of a foreign object to `foreign`."""
    is_ours = mention_in(name) is not None
    if not is_ours and foreign is not None:
        foreign.append(name)
    return is_ours
