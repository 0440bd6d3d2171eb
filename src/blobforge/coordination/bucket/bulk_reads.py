"""Reads many jobs at once: by key, by the prefix of a hash, in pages, and as counts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice

from blobforge.coordination.bucket.change_token import read_change_tokens
from blobforge.coordination.bucket.job_index import JobIndex
from blobforge.coordination.bucket.job_record import RecordState, parse_todo_body
from blobforge.coordination.bucket.listing_snapshot import ListingSnapshot, SnapshotReader
from blobforge.coordination.bucket.names import (
    DOUBTS,
    GAPS,
    IDS,
    TIERS,
    IndexName,
    Lane,
    lane_of,
    parse_hash,
    parse_record_name,
)
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.stored_state import StateReader, StoredState, Tombstone
from blobforge.domain.ids import JobId, JobKey
from blobforge.domain.job import Job, State
from blobforge.ports.job_store import JobFilter, matches
from blobforge.thread_pool import ThreadPool

LIST_ABOVE = 500
"""When so many jobs are added, listing the whole lane is always cheaper than reading each."""
MOST_SINGLE_READS = 20
"""Up to so many jobs are read one by one; for more, the lane is listed once."""
READS_PER_LISTING = 5
"""So many concurrent reads take as long as one page of a listing, since each page waits for the one before it."""
_DIGITS = frozenset("0123456789abcdef")
_IN_RECORDS = frozenset({State.RUNNING, State.FAILED, State.DEAD, State.CANCELLED})


class BulkReader:
    """Reads single objects while there are few, and listings as soon as these cost less."""

    def __init__(
        self, objects: Objects, reader: StateReader, snapshots: SnapshotReader, index: JobIndex, pool: ThreadPool
    ) -> None:
        self._objects = objects
        self._reader = reader
        self._snapshots = snapshots
        self._index = index
        self._pool = pool

    def stored_states(self, keys: Iterable[JobKey]) -> dict[JobKey, StoredState]:
        """Those that exist."""
        wanted = list(dict.fromkeys(keys))
        if len(wanted) > MOST_SINGLE_READS:
            listings = self._listings(wanted)
            wanted = [key for key in wanted if key.source_hash in listings[lane_of(key)].hashes()]
        found = zip(wanted, self._pool.each(self._reader.read, wanted), strict=True)
        return {key: current for key, current in found if current is not None}

    def before_adding(self, keys: Sequence[JobKey]) -> dict[JobKey, StoredState]:
        """Those that exist, in fewer requests. May miss a marker in a tier that the change token does not name, and a
        job that is completed at this moment; the claim of the job detects it."""
        lanes = {lane_of(key) for key in keys}
        worth = len(keys) // READS_PER_LISTING
        if len(keys) > LIST_ABOVE or all(self._snapshots.is_short(lane, pages=worth // len(lanes)) for lane in lanes):
            return self.stored_states(keys)
        tiers = {lane: sorted(read_change_tokens(self._objects, lane)) for lane in lanes}
        found = self._pool.each(lambda key: self._reader.read_once(key, tiers=tiers[lane_of(key)]), keys)
        return {key: current for key, current in zip(keys, found, strict=True) if current is not None}

    def states(self, keys: Sequence[JobKey]) -> dict[JobKey, State]:
        if len(keys) <= MOST_SINGLE_READS:
            found = self.stored_states(keys)
            return {key: there.job.state for key, there in found.items() if not isinstance(there, Tombstone)}
        states: dict[JobKey, State] = {}
        hashes: dict[Lane, list[str]] = defaultdict(list)
        for key in keys:
            hashes[lane_of(key)].append(key.source_hash)
        for lane, wanted in hashes.items():
            states |= self._snapshots.states(self._snapshots.listing(lane), wanted)
        return states

    def by_prefix(self, prefix: str, *, project: str, limit: int) -> list[Job]:
        if len(prefix) > 64 or not _DIGITS.issuperset(prefix):
            return []
        keys = [
            key for lane in self._index.lanes(project=project) for key in self._keys_with_prefix(lane, prefix, limit)
        ]
        found = self.stored_states(sorted(keys, key=lambda key: (key.source_hash, key.type)))
        jobs = [there.job for there in found.values() if not isinstance(there, Tombstone)]
        return sorted(jobs, key=lambda job: (job.source_hash, job.type))[:limit]

    def page(self, wanted: JobFilter, *, after: JobId | None, limit: int) -> list[Job]:
        if wanted.worker_id is not None or wanted.state in _IN_RECORDS or wanted.awaits_source:
            return self._page_of_records(wanted, after, limit)
        index = GAPS if wanted.gaps else DOUBTS if wanted.doubts else IDS
        names = (name for name in self._index.newest_first(after, index=index) if _is_in(name, wanted))
        if wanted.state is not None and index == IDS:
            states = self._all_states(wanted)
            names = (name for name in names if states.get(name.key) is wanted.state)
        jobs: list[Job] = []
        while len(jobs) < limit and (chosen := list(islice(names, limit))):
            found = self._pool.each(self._reader.read, [name.key for name in chosen])
            read = (_job(there, name) for name, there in zip(chosen, found, strict=True))
            jobs += [job for job in read if job is not None and matches(job, wanted)]
        return jobs[:limit]

    def count(self, wanted: JobFilter, *, most: int) -> int:
        if wanted != JobFilter(project=wanted.project, type=wanted.type, state=wanted.state):
            return len(self.page(wanted, after=None, limit=most + 1))
        counts = self.counts(project=wanted.project).items()
        is_asked = (number for (kind, state), number in counts if _is_asked(kind, state, wanted))
        return min(sum(is_asked), most + 1)

    def gaps(self, *, project: str | None) -> Mapping[str, int]:
        return self._indexed(GAPS, project)

    def doubts(self, *, project: str | None) -> Mapping[str, int]:
        return self._indexed(DOUBTS, project)

    def _indexed(self, index: str, project: str | None) -> Mapping[str, int]:
        """From the index alone, which may have an entry too many: of a worker that died before it published."""
        names = self._index.newest_first(None, index=index)
        return Counter(name.key.type for name in names if project in (None, name.key.project))

    def counts(self, *, project: str | None) -> Mapping[tuple[str, State], int]:
        counts: Counter[tuple[str, State]] = Counter()
        for lane in self._index.lanes(project=project):
            listing = self._snapshots.listing(lane)
            counts.update((lane.type, state) for state in self._snapshots.states(listing, listing.hashes()).values())
        return counts

    def waiting(self, *, project: str) -> Mapping[tuple[str, str], int]:
        waiting: Counter[tuple[str, str]] = Counter()
        for lane in self._index.lanes(project=project):
            listing = self._snapshots.listing(lane)
            states = self._snapshots.states(listing, listing.waiting)
            pending = [key for key, state in states.items() if state is State.PENDING]
            markers = [lane.waiting(listing.waiting[key.source_hash][0], key.source_hash) for key in pending]
            needs_of_each = self._pool.each(self._needs, markers)
            waiting.update((lane.type, needs) for needs in needs_of_each if needs is not None)
        return waiting

    def _needs(self, marker: str) -> str | None:
        """None when the marker is gone."""
        stored = self._objects.get(marker)
        return None if stored is None else parse_todo_body(stored.body).needs

    def _page_of_records(self, wanted: JobFilter, after: JobId | None, limit: int) -> list[Job]:
        """Every job that was ever claimed or changed, and is not published, has a record."""
        lanes = [lane for lane in self._index.lanes(project=wanted.project) if wanted.type in (None, lane.type)]
        listed = [record for lane in lanes for record in self._snapshots.records(lane).values()]
        jobs = [record.job for record, _ in self._snapshots.read(listed) if record.state is not RecordState.PURGED]
        if wanted.state is State.DEAD:
            jobs += self._cut_off(lanes, {job.key for job in jobs})
        chosen = [job for job in jobs if matches(job, wanted) and (after is None or job.id < after)]
        return sorted(chosen, key=lambda job: -job.id)[:limit]

    def _cut_off(self, lanes: Sequence[Lane], recorded: AbstractSet[JobKey]) -> list[Job]:
        """The dead jobs without a record: of each there is nothing but a result that was cut off."""
        keys = [key for lane in lanes for key in self._snapshots.cut_off(lane) if key not in recorded]
        found = self._pool.each(self._reader.read, keys)
        return [there.job for there in found if there is not None and not isinstance(there, Tombstone)]

    def _all_states(self, wanted: JobFilter) -> dict[JobKey, State]:
        states: dict[JobKey, State] = {}
        for lane in self._index.lanes(project=wanted.project):
            if wanted.type in (None, lane.type):
                listing = self._snapshots.listing(lane)
                states |= self._snapshots.states(listing, listing.hashes())
        return states

    def _listings(self, keys: Iterable[JobKey]) -> dict[Lane, ListingSnapshot]:
        return {lane: self._snapshots.listing(lane) for lane in {lane_of(key) for key in keys}}

    def _keys_with_prefix(self, lane: Lane, prefix: str, limit: int) -> set[JobKey]:
        folders = [lane.records, *(f"{lane.todo}{tier}/" for tier in TIERS)]
        listed = self._pool.each(lambda folder: self._objects.page(folder + prefix, limit=2 * limit + 1), folders)
        names = [facts.name for page in listed for facts in page] + self._results_with_prefix(lane.outs + prefix, limit)
        hashes = (record.source_hash if (record := parse_record_name(name)) else parse_hash(name) for name in names)
        return {lane.key(source_hash) for source_hash in hashes if source_hash is not None}

    def _results_with_prefix(self, prefix: str, limit: int) -> list[str]:
        """With those of which a cut write left nothing but the name: they have a job, too."""
        cut_off: list[str] = []
        whole = [facts.name for facts in islice(self._objects.all(prefix, remains=cut_off), 2 * limit + 1)]
        return whole + cut_off


def _is_in(name: IndexName, wanted: JobFilter) -> bool:
    return wanted.project in (None, name.key.project) and wanted.type in (None, name.key.type)


def _job(there: StoredState | None, name: IndexName) -> Job | None:
    """The job of an index entry, which may be stale: another process may have added the job first, with another id."""
    if there is None or isinstance(there, Tombstone) or there.job.id != name.job_id:
        return None
    return there.job


def _is_asked(kind: str, state: State, wanted: JobFilter) -> bool:
    return wanted.type in (None, kind) and wanted.state in (None, state)
