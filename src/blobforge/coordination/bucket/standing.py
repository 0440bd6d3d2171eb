"""How a job stands, read from the objects that tell of it.

A marker in `todo` alone means never touched; a cell is the state of any other; an object under `store/out` of the
cell's generation or a later one means done, whatever else is there. A cell is deleted only after that was seen, and
markers only after the state says so: that is why the reads below have their order.
"""

from collections.abc import Sequence
from typing import NamedTuple

from blobforge.coordination.bucket.cell import Cell, CellState, foreign_cell, parse_cell_body, parse_todo_body
from blobforge.coordination.bucket.documents import Documents
from blobforge.coordination.bucket.names import CellName, Lane, lane_of, parse_cell
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.published import Published, published_in, record_of
from blobforge.coordination.bucket.record import Record, adopted
from blobforge.domain.ids import JobId, JobKey
from blobforge.domain.job import Job
from blobforge.domain.priority import Priority
from blobforge.objectstore.client import StoredObject
from blobforge.telemetry.lazy import LazyLogger

log = LazyLogger(__name__)


_LIKELIEST_FIRST = (Priority.NORMAL, Priority.HIGH, Priority.CRITICAL, Priority.LOW, Priority.BACKGROUND)


class Fresh(NamedTuple):
    """Only a marker says that there is such a job."""

    record: Record
    generation: int
    priority: int

    @property
    def job(self) -> Job:
        return self.record.job


class Celled(NamedTuple):
    cell: Cell
    etag: str
    out: Published | None
    """Of an earlier generation, if there is one."""

    @property
    def record(self) -> Record:
        return self.cell.record

    @property
    def job(self) -> Job:
        return self.cell.job

    @property
    def generation(self) -> int:
        return self.cell.generation


class Done(NamedTuple):
    record: Record
    out: Published
    cells: int = 0
    """The highest generation of a cell that is still there, to be tidied up."""

    @property
    def job(self) -> Job:
        return self.record.job

    @property
    def generation(self) -> int:
        return max(self.out.generation, self.cells)


class Forgotten(NamedTuple):
    """It was purged: nobody finds it, and its numbers are not used again."""

    generation: int
    etag: str


Standing = Fresh | Celled | Done | Forgotten


class Reader:
    def __init__(self, objects: Objects, documents: Documents) -> None:
        self._objects = objects
        self._documents = documents
        self.strangers: set[JobId] = set()
        """Jobs that another program put there, and that were met here: they are in no index."""

    def look(self, key: JobKey) -> Standing | None:
        """None for a job that nobody ever submitted."""
        # It may be claimed and completed while we look for its marker.
        return self.glance(key) or self._settled(key)

    def glance(self, key: JobKey, *, tiers: Sequence[int] = _LIKELIEST_FIRST) -> Standing | None:
        """Like a look, but None also for a job that is taken out of one of these tiers and done in this very moment."""
        found = self._settled(key)
        if found is not None:
            return found
        fresh = (self.fresh(lane_of(key), priority, key.source_hash) for priority in tiers)
        return next((one for one in fresh if one is not None), None)

    def fresh(self, lane: Lane, priority: int, source_hash: str) -> Fresh | None:
        """What the marker of a job that waits tells; also of one that has a cell, if it tells the job itself."""
        stored = self._objects.get(lane.waiting(priority, source_hash))
        if stored is None:
            return None
        return self.told(lane.key(source_hash), priority, stored)

    def told(self, key: JobKey, priority: int, stored: StoredObject) -> Fresh:
        waiting = parse_todo_body(stored.body)
        record = waiting.record
        if record is None:
            record = adopted(key, waiting.facts, modified=stored.modified)
            if not waiting.has_cell and record.job.id not in self.strangers:
                self.strangers.add(record.job.id)
                log.warning("a marker was not written by BlobForge", hash=key.source_hash, tier=Priority(priority).slug)
        return Fresh(record._replace(job=record.job._replace(priority=priority)), waiting.generation, priority)

    def cell(self, lane: Lane, name: CellName) -> tuple[Cell, str] | None:
        """The cell and its ETag; None when it is gone."""
        stored = self._objects.get(lane.cell(*name))
        if stored is None:
            return None
        cell = parse_cell_body(stored.body, generation=name.generation)
        if cell is None:
            log.warning("a lock was not written by BlobForge", hash=name.source_hash)
            key = lane.key(name.source_hash)
            cell = foreign_cell(key, stored.body, generation=name.generation, modified=stored.modified)
            named = self._documents.about(name.source_hash).told_to(cell.job)
            cell = cell._replace(record=Record(named))
        return cell, stored.etag

    def out(self, lane: Lane, source_hash: str) -> Published | None:
        return published_in(self._objects.head(lane.out(source_hash)), lane.key(source_hash))

    def done(self, key: JobKey, out: Published, *, cells: int = 0) -> Done:
        return Done(record_of(self._objects, key, out), out, cells)

    def generations(self, lane: Lane, source_hash: str) -> list[int]:
        listed = self._objects.page(f"{lane.cells}{source_hash}")
        return sorted(name.generation for facts in listed if (name := parse_cell(facts.name)) is not None)

    def _settled(self, key: JobKey) -> Celled | Done | Forgotten | None:
        """By its cell and by what was published."""
        lane = lane_of(key)
        while True:
            generations = self.generations(lane, key.source_hash)
            out = self.out(lane, key.source_hash)
            highest = generations[-1] if generations else 0
            if out is not None and out.generation >= highest:
                return self.done(key, out, cells=highest)
            if not highest:
                return None
            found = self.cell(lane, CellName(key.source_hash, highest))
            if found is not None:
                cell, etag = found
                return Forgotten(highest, etag) if cell.state is CellState.PURGED else Celled(cell, etag, out)
