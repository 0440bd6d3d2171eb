"""Changing one job: its cell by a conditional write first, then the markers that follow from it."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from secrets import token_hex
from typing import NamedTuple

from blobforge.coordination.bucket.cell import (
    IN_PROGRESS,
    STATE_OF,
    Cell,
    CellState,
    cell_body,
    dead_body,
    failed_body,
    todo_body,
)
from blobforge.coordination.bucket.hint import bump_hint
from blobforge.coordination.bucket.names import TIERS, Lane, lane_of
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.published import Published
from blobforge.coordination.bucket.publishing import Publishing
from blobforge.coordination.bucket.record import Record
from blobforge.coordination.bucket.standing import Celled, Done, Forgotten, Fresh, Reader, Standing
from blobforge.domain.errors import InvalidMove, LeaseLost, NotFound, StoreUnavailable
from blobforge.domain.files import FileRecord
from blobforge.domain.ids import JobId, JobKey
from blobforge.domain.job import Job, State
from blobforge.objectstore.client import Only
from blobforge.ports.job_store import Change

MOST_TRIES = 50
"""Every lost race is somebody else's success; so many in a row do not happen by chance."""


class Changed(NamedTuple):
    """How the job stands after a change."""

    job: Job
    standing: Standing


class Changes:
    def __init__(
        self,
        objects: Objects,
        reader: Reader,
        publishing: Publishing,
        *,
        on_free: Callable[[Job], None],
    ) -> None:
        self._objects = objects
        self._reader = reader
        self._publishing = publishing
        self._on_free = on_free
        self._unanswered: set[tuple[JobId, int]] = set()
        self.instance = token_hex(8)

    def apply(
        self, key: JobKey, change: Change, *, files: Sequence[FileRecord] = (), known: Standing | None = None
    ) -> Changed:
        """Reads, changes and writes until nobody came in between. Raises NotFound and what `change` raises."""
        standing = known or self._reader.look(key)
        for _ in range(MOST_TRIES):
            if standing is None or isinstance(standing, Forgotten):
                raise NotFound(f"there is no job of {key.source_hash} in {key.project}/{key.type}")
            changed = self._try(standing, change, files)
            if changed is not None:
                return changed
            standing = self._reader.look(key)
        raise StoreUnavailable(f"job {key.source_hash}: it is changed by others again and again; try again later")

    def _try(self, standing: Fresh | Celled | Done, change: Change, files: Sequence[FileRecord]) -> Changed | None:
        """None when someone else was first."""
        try:
            after = change(standing.job)
        except LeaseLost:
            if not isinstance(standing, Done) or _run_of(standing.job) not in self._unanswered:
                raise
            # We published it ourselves, and no answer came.
            self.tidy(standing.job.key, standing.out.generation)
            return Changed(standing.job, standing)
        if after == standing.job:
            return Changed(standing.job, standing)
        if isinstance(standing, Done) or _is_dead(standing):
            return self._begin_again(standing, after, files)
        if after.state is State.COMPLETED:
            return self._complete(standing, after, files)
        _require_not_published(standing, after)
        return self._write(standing, standing.record.moved(after, files))

    # From one state to the next

    def _write(self, standing: Fresh | Celled, record: Record) -> Changed | None:
        state = STATE_OF[record.job.state]
        if _is_finalising(standing) and state is CellState.HELD and _is_same_lease(standing.job, record.job):
            state = CellState.FINALISING  # a sign of life, and nothing more
        written = self._put_over(standing, Cell(state, standing.generation, record, self.instance))
        if written is None:
            return None
        if state not in IN_PROGRESS:
            self.reindex(written.cell)
        return Changed(record.job, written)

    def _complete(self, standing: Fresh | Celled, after: Job, files: Sequence[FileRecord]) -> Changed | None:
        finalising = self._finalising(standing)
        if finalising is None:
            return None
        record = finalising.record.moved(after, files)
        self._unanswered.add(_run_of(after))
        out = self._publishing.publish(finalising, record)
        self.tidy(after.key, out.generation)
        self._unanswered.discard(_run_of(after))
        if not _is_of(out.record, record.job):
            raise LeaseLost(f"job {after.id}: another run of it was published first")
        return Changed(record.job, Done(record, out))

    def _finalising(self, standing: Fresh | Celled) -> Celled | None:
        """From here on the job is not cancelled any more. Who began to publish goes on with it."""
        if isinstance(standing, Celled) and standing.cell.state is CellState.FINALISING:
            if standing.cell.instance != self.instance:
                raise LeaseLost(f"job {standing.job.id}: its result is being published by another process")
            return standing
        record = standing.record.moved(standing.job)
        return self._put_over(standing, Cell(CellState.FINALISING, standing.generation, record, self.instance))

    def _begin_again(self, ended: Done | Celled | Fresh, after: Job, files: Sequence[FileRecord]) -> Changed | None:
        """What has ended gets a cell of the next generation: nobody who still works on the old one can reach it."""
        if after.state is State.COMPLETED:
            return self._restore(ended, after)
        record = ended.record.moved(after, files)
        out = None if isinstance(ended, Fresh) else ended.out
        written = self.create(Cell(STATE_OF[after.state], ended.generation + 1, record, self.instance), out=out)
        if written is None:
            return None
        if written.cell.state is not CellState.HELD:
            self.reindex(written.cell)
        return Changed(record.job, written)

    def _restore(self, ended: Done | Celled | Fresh, after: Job) -> Changed | None:
        """What was published before becomes the result of the next generation. A dead cell of that one comes first:
        who retries or forgets the job at the same time wins or loses as a whole, and nothing late comes to count."""
        if not isinstance(ended, Celled) or ended.out is None:
            raise InvalidMove(f"job {after.id}: it is {ended.job.state}; only a new run changes it")
        record = ended.record.moved(ended.job)
        dead = self.create(Cell(CellState.DEAD, ended.generation + 1, record, self.instance), out=ended.out)
        if dead is None:
            return None
        out = self._publishing.republish(dead, ended.out, record.moved(after))
        if out is None:
            return None
        self.tidy(after.key, out.generation)
        restored = record.moved(after)
        return Changed(restored.job, Done(restored, out))

    # One write each

    def create(self, cell: Cell, *, out: Published | None = None) -> Celled | None:
        """None when there is such a cell already."""
        return self._put(cell, Only(if_new=True), out)

    def replace(self, standing: Celled, cell: Cell) -> Celled | None:
        """None when somebody wrote the cell since it was read."""
        return self._put(cell, Only(if_etag=standing.etag), standing.out)

    def _put(self, cell: Cell, only: Only, out: Published | None) -> Celled | None:
        name, body = lane_of(cell.job.key).cell(cell.job.source_hash, cell.generation), cell_body(cell)
        etag = self._objects.put(name, body, only=only)
        if etag is None:
            # Something between us and the store may have sent it twice, and brought only the second answer back.
            there = self._objects.get(name)
            etag = there.etag if there is not None and there.body == body else None
        return None if etag is None else Celled(cell, etag, out)

    def _put_over(self, standing: Fresh | Celled, cell: Cell) -> Celled | None:
        if isinstance(standing, Celled):
            return self.replace(standing, cell)
        written = self.create(cell)
        # A marker may be left over from a job that was done long ago.
        return None if written is None or self.is_done(written) else written

    def is_done(self, written: Celled) -> bool:
        """Whether this generation was published already; then what is left of it is removed."""
        key = written.job.key
        out = self._reader.out(lane_of(key), key.source_hash)
        if out is None or out.generation < written.generation:
            return False
        self.tidy(key, out.generation)
        return True

    # Markers

    def reindex(self, cell: Cell, *, tell: bool = True) -> None:
        """The markers that this state has, and none else. Who reindexes many tells of them once, by `announce`."""
        job, lane = cell.job, lane_of(cell.job.key)
        mine = self._markers_of(cell)
        for name, body in mine.items():
            self._objects.put(name, body)
        self._objects.delete_many([name for name in markers(lane, job.source_hash) if name not in mine])
        if cell.state is CellState.PENDING and tell:
            self.announce([job])

    def announce(self, jobs: Sequence[Job]) -> None:
        """There is something to claim: told after the markers are there."""
        news: dict[Lane, set[int]] = defaultdict(set)
        for job in jobs:
            news[lane_of(job.key)].add(job.priority)
            self._on_free(job)
        for lane, priorities in news.items():
            bump_hint(self._objects, lane, sorted(priorities))

    def tidy(self, key: JobKey, generation: int) -> None:
        """After something of this generation was seen published: no marker and no cell of it is needed any more."""
        lane = lane_of(key)
        cells = [lane.cell(key.source_hash, number) for number in range(1, generation + 1)]
        self._objects.delete_many([*markers(lane, key.source_hash), *cells])

    def _markers_of(self, cell: Cell) -> dict[str, bytes]:
        job, lane = cell.job, lane_of(cell.job.key)
        if cell.state is CellState.PENDING:
            body = todo_body(cell.record, generation=cell.generation, has_cell=True)
            return {lane.waiting(job.priority, job.source_hash): body}
        if cell.state is CellState.FAILED:
            return {lane.marker("failed", job.source_hash): failed_body(cell)}
        if cell.state is CellState.DEAD:
            kinds = ("dead", "cancelled") if job.state is State.CANCELLED else ("dead",)
            return {lane.marker(kind, job.source_hash): dead_body(cell) for kind in kinds}
        return {}


def markers(lane: Lane, source_hash: str) -> list[str]:
    """All that a job can have."""
    todo = [f"{lane.todo}{tier}/{source_hash}" for tier in TIERS]
    return todo + [lane.marker(kind, source_hash) for kind in ("failed", "dead", "cancelled")]


def _is_dead(standing: Standing) -> bool:
    return isinstance(standing, Celled) and standing.cell.state is CellState.DEAD


def _is_finalising(standing: Standing) -> bool:
    return isinstance(standing, Celled) and standing.cell.state is CellState.FINALISING


def _is_same_lease(before: Job, after: Job) -> bool:
    return (before.worker_id, before.lease_number) == (after.worker_id, after.lease_number)


def _require_not_published(standing: Standing, after: Job) -> None:
    if _is_finalising(standing) and after.state is State.CANCELLED:
        raise InvalidMove(f"job {after.id}: its result is being published; there is nothing to cancel any more")


def _run_of(job: Job) -> tuple[JobId, int]:
    return job.id, job.lease_number


def _is_of(published: Record | None, job: Job) -> bool:
    """By its result too: a job that died went back to the result of an earlier run, and has the lease of the last."""
    return published is not None and (published.job.lease_number, published.job.result) == (
        job.lease_number,
        job.result,
    )
