"""The reconciler: rebuilds markers from records, and removes what crashes left of completed jobs."""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import NamedTuple

from blobforge.coordination.bucket.adoption import Adoption
from blobforge.coordination.bucket.job_record import IN_PROGRESS, JobRecord, RecordState
from blobforge.coordination.bucket.listing_snapshot import ListingSnapshot, SnapshotReader
from blobforge.coordination.bucket.names import Lane, RecordName, lane_of
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.published_result import PublishedResult
from blobforge.coordination.bucket.stored_state import StateReader, Unclaimed
from blobforge.coordination.bucket.transitions import Transitions
from blobforge.domain import lifecycle
from blobforge.domain.errors import NotFound
from blobforge.domain.ids import JobKey, SourceHash
from blobforge.domain.job import Job, State, is_ready
from blobforge.ports.job_store import Inconsistency
from blobforge.thread_pool import ThreadPool


class FoundInconsistency(NamedTuple):
    """An inconsistency, and what repairs it."""

    text: str
    repair: Callable[[], None] | None = None
    """None for a foreign object, which is left alone."""


class Reconciler:
    """Listings are older than what they name: no repair undoes what was written since. What is not ours stays."""

    def __init__(
        self,
        objects: Objects,
        reader: StateReader,
        transitions: Transitions,
        snapshots: SnapshotReader,
        adoption: Adoption,
        pool: ThreadPool,
    ) -> None:
        self._objects = objects
        self._reader = reader
        self._transitions = transitions
        self._snapshots = snapshots
        self._adoption = adoption
        self._pool = pool

    def reconcile(
        self, lanes: Sequence[Lane], indexed: Callable[[], AbstractSet[JobKey]], *, dry_run: bool
    ) -> list[Inconsistency]:
        """Describes every inconsistency and repairs what can be. `indexed` gives the jobs in the index of ids."""
        listings = [self._snapshots.listing(lane) for lane in lanes]
        # After the listings: an id is written before the marker, so a listed job without one is another program's.
        known = indexed()
        described: list[Inconsistency] = []
        for listing in listings:
            found = list(self._inconsistencies(listing, known))
            described += [Inconsistency(one.text, is_left_alone=one.repair is None) for one in found]
            if not dry_run:
                self._pool.each(
                    lambda repair: repair(),
                    [one.repair for one in found if one.repair is not None],
                )
        return described

    def _inconsistencies(self, listing: ListingSnapshot, indexed: AbstractSet[JobKey]) -> Iterator[FoundInconsistency]:
        for name in listing.foreign:
            # Only people can know whose it is.
            yield FoundInconsistency(f"{name} is no object of BlobForge; it is left alone")
        yield from self._cut_off(listing)
        records = {record.job.source_hash: record for record, _ in self._snapshots.read(listing.records.values())}
        for source_hash in sorted(listing.hashes() - {cut for cut in listing.cut_off if listing.is_only_cut_off(cut)}):
            record = records.get(SourceHash(source_hash))
            is_purged = record is not None and record.state is RecordState.PURGED
            is_settled = source_hash in listing.records or source_hash in listing.outs
            is_marked_alone = not is_settled and source_hash in listing.failed | listing.dead
            if listing.lane.key(source_hash) not in indexed and not is_purged and not is_marked_alone:
                yield self._not_indexed(listing, source_hash)
            elif not is_settled and not is_marked_alone and len(listing.waiting[source_hash]) > 1:
                yield self._in_several_tiers(listing, source_hash)
            if source_hash in listing.outs:
                yield from self._leftovers(listing, source_hash, record)
            elif record is not None:
                yield from self._wrong_markers(listing, record)
            elif is_marked_alone:
                yield self._marker_without_record(listing, source_hash)

    def _cut_off(self, listing: ListingSnapshot) -> Iterator[FoundInconsistency]:
        """What a cut write has left is not there, and replaced by the next one: where nobody would write again, the job
        is taken up here."""
        for source_hash in sorted(listing.cut_off):
            if listing.is_only_cut_off(source_hash):
                yield FoundInconsistency(
                    f"the result of {source_hash} was cut off while it was written, and is empty; it is run again",
                    partial(self._run_again, listing.lane.key(source_hash)),
                )
        for source_hash in sorted(listing.torn.difference(listing.records, listing.outs)):
            for priority in listing.waiting.get(source_hash, ())[:1]:
                marker = self._reader.unclaimed(listing.lane, priority, source_hash)
                if marker is not None and marker.has_record:
                    yield FoundInconsistency(
                        f"the record of {source_hash} was cut off while it was written, and is empty; it is pending",
                        partial(self._record_again, listing.lane.key(source_hash)),
                    )

    def _run_again(self, key: JobKey) -> None:
        """Whatever became of it since it was listed: only a dead job is run again."""
        now = self._objects.now()
        with suppress(NotFound):
            self._transitions.apply(key, lambda job: _retried(job, now))

    def _record_again(self, key: JobKey) -> None:
        current = self._reader.read(key)
        if isinstance(current, Unclaimed):
            self._transitions.record_again(current)

    def _leftovers(
        self, listing: ListingSnapshot, source_hash: str, record: JobRecord | None
    ) -> Iterator[FoundInconsistency]:
        """What is left of a completed job. A record of a later generation is a new run, and stays."""
        has_markers = any(
            source_hash in listed for listed in (listing.waiting, listing.failed, listing.dead, listing.cancelled)
        )
        if record is None and not has_markers:
            return
        key = listing.lane.key(source_hash)
        out = self._reader.out(listing.lane, source_hash)
        if out is None or (record is not None and record.generation > out.generation):
            if record is not None:
                yield from self._wrong_markers(listing, record)
                yield from self._stale_records(listing, source_hash, out)
            return
        generation = out.generation
        yield FoundInconsistency(
            f"{source_hash} is done, and traces of its run are left",
            lambda: self._transitions.remove_leftovers(key, generation),
        )

    def _stale_records(
        self, listing: ListingSnapshot, source_hash: str, out: PublishedResult | None
    ) -> Iterator[FoundInconsistency]:
        """Records of published generations: a left-over marker of such a run would refer to them for ever."""
        earlier = listing.records[source_hash].earlier if out is not None else ()
        names = [listing.lane.record(source_hash, one) for one in earlier if out is not None and one <= out.generation]
        if names:
            yield FoundInconsistency(
                f"{source_hash} is run again, and the record of a run that is done is left",
                lambda: self._objects.delete_many(names),
            )

    def _wrong_markers(self, listing: ListingSnapshot, record: JobRecord) -> Iterator[FoundInconsistency]:
        job = record.job
        if record.state in IN_PROGRESS:
            return
        if _listed(listing, job) != _expected(record):
            what = "forgotten" if record.state is RecordState.PURGED else job.state.value
            yield FoundInconsistency(
                f"{job.source_hash} is {what}, and its markers say otherwise", lambda: self._reindex(record)
            )

    def _reindex(self, record: JobRecord) -> None:
        """Reads the record again: the listing may be stale, and markers that were written since must not be removed."""
        found = self._reader.record(lane_of(record.job.key), RecordName(record.job.source_hash, record.generation))
        if found is not None and found[0].state not in IN_PROGRESS:
            self._transitions.reindex(found[0])

    def _marker_without_record(self, listing: ListingSnapshot, source_hash: str) -> FoundInconsistency:
        kind = "dead" if source_hash in listing.dead else "failed"
        return FoundInconsistency(
            f"{source_hash} is {kind} by a marker alone; it is taken on",
            lambda: self._adoption.adopt_marked(listing.lane, source_hash, kind, listing.waiting.get(source_hash, ())),
        )

    def _not_indexed(self, listing: ListingSnapshot, source_hash: str) -> FoundInconsistency:
        key, tiers = listing.lane.key(source_hash), listing.waiting.get(source_hash, ())
        return FoundInconsistency(
            f"{source_hash} was put there by another program; it is taken on",
            lambda: self._adoption.adopt(key, tiers),
        )

    def _in_several_tiers(self, listing: ListingSnapshot, source_hash: str) -> FoundInconsistency:
        key, tiers = listing.lane.key(source_hash), listing.waiting[source_hash]
        return FoundInconsistency(
            f"{source_hash} waits in several tiers; the most urgent one counts",
            lambda: self._adoption.adopt(key, tiers),
        )


def _retried(job: Job, now: datetime) -> Job:
    return lifecycle.retry(job, now=now) if job.state is State.DEAD else job


def _listed(listing: ListingSnapshot, job: Job) -> tuple[tuple[int, ...], bool, bool, bool]:
    name = job.source_hash
    return listing.waiting.get(name, ()), name in listing.failed, name in listing.dead, name in listing.cancelled


def _expected(record: JobRecord) -> tuple[tuple[int, ...], bool, bool, bool]:
    job = record.job
    return (
        (job.priority,) if record.state is RecordState.PENDING and is_ready(job) else (),
        record.state is RecordState.FAILED,
        record.state is RecordState.DEAD,
        record.state is RecordState.DEAD and job.state is State.CANCELLED,
    )
