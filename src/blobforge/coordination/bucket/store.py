"""The JobStore in a bucket.

There are no transactions over several objects. Each job's move is atomic by its cell; a step of many moves is made on
paper first, so that a fault in one leaves all as they were, and is then written job by job.
"""

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from blobforge.coordination.bucket.adoption import Adoption
from blobforge.coordination.bucket.cell import IN_PROGRESS, Cell, CellState, todo_body
from blobforge.coordination.bucket.changes import Changed, Changes
from blobforge.coordination.bucket.claims import Claims
from blobforge.coordination.bucket.crew import Crew
from blobforge.coordination.bucket.documents import Documents
from blobforge.coordination.bucket.inventory import Inventory
from blobforge.coordination.bucket.janitor import Janitor
from blobforge.coordination.bucket.looking import Looking
from blobforge.coordination.bucket.mending import Mending
from blobforge.coordination.bucket.names import lane_of
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.publishing import Publishing
from blobforge.coordination.bucket.record import Record
from blobforge.coordination.bucket.registry import Registry
from blobforge.coordination.bucket.standing import Celled, Done, Forgotten, Fresh, Reader, Standing
from blobforge.coordination.bucket.steps import by_job, has_files, in_order, is_free, only_of
from blobforge.coordination.bucket.survey import Surveyor
from blobforge.domain.errors import BlobForgeError, NotFound, StoreUnavailable
from blobforge.domain.events import History, history_of
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import JobId, JobKey, WorkerId
from blobforge.domain.job import FINAL_STATES, Job, State
from blobforge.domain.worker import Worker
from blobforge.objectstore.client import Only
from blobforge.objectstore.key_layout import raw_name
from blobforge.ports.archives import Archives, NoArchives
from blobforge.ports.blob_store import source_key
from blobforge.ports.job_store import Change, Exchanged, Inserted, JobFilter, Move, Named, Queue
from blobforge.telemetry.lazy import LazyLogger

log = LazyLogger(__name__)

MOST_REMEMBERED = 10_000
"""So many jobs are remembered as they were last seen, so that the next move of one needs no look before."""


class BucketJobStore:
    """Threads may share it."""

    def __init__(self, objects: Objects, *, archives: Archives | None = None, crew: Crew | None = None) -> None:
        self._objects = objects
        self._crew = crew or Crew()
        documents = Documents(objects)
        self._reader = Reader(objects, documents)
        self._registry = Registry(objects, self._crew)
        # What is no job's is the registry's alone.
        self.identity, self.change_record, self.records = (
            self._registry.identity,
            self._registry.change_record,
            self._registry.records,
        )
        self._surveyor = Surveyor(objects, self._reader, self._crew)
        self._changes = Changes(
            objects,
            self._reader,
            Publishing(objects, archives or NoArchives()),
            on_free=self._freed,
        )
        self.claims = Claims(objects, self._reader, self._changes, self._crew)
        self._janitor = Janitor(self._reader, self._changes, self._surveyor, self._crew)
        adoption = Adoption(objects, self._reader, self._changes, self._registry, documents)
        self._mending = Mending(objects, self._reader, self._changes, self._surveyor, adoption, self._crew)
        self._looking = Looking(objects, self._reader, self._surveyor, self._registry, self._crew)
        self._inventory = Inventory(objects, self._reader, self._crew)
        self._lock = threading.Lock()
        self._remembered: OrderedDict[JobId, Standing] = OrderedDict()
        self._turns: dict[JobId, threading.Lock] = defaultdict(threading.Lock)

    # Adding

    def insert(self, jobs: Sequence[Job]) -> list[Inserted]:
        keys = list(dict.fromkeys(job.key for job in jobs))
        known = self._looking.before_adding(keys)
        new = {job.key: job for job in reversed(jobs) if is_free(known.get(job.key))}
        ids = self._registry.new_ids(len(new))
        order = [key for key in keys if key in new]
        numbered = [new[key]._replace(id=job_id) for key, job_id in zip(order, ids, strict=True)]
        for lane in {lane_of(key) for key in new}:
            self._registry.open_lane(lane)
        self._registry.index(numbered)
        added = self._crew.each(lambda job: self._add(job, known.get(job.key)), numbered)
        self._registry.unindex([job for job, entry in zip(numbered, added, strict=True) if not entry.created])
        self._changes.announce([entry.job for entry in added if entry.created])
        return in_order(jobs, known, dict(zip(order, added, strict=True)))

    def _add(self, job: Job, known: Standing | None) -> Inserted:
        if isinstance(known, Forgotten):
            cell = Cell(CellState.PENDING, known.generation + 1, Record(job), self._changes.instance)
            if self._changes.create(cell) is not None:
                self._changes.reindex(cell)
                return Inserted(job, created=True)
        else:
            body = todo_body(Record(job), generation=1, has_cell=False)
            name = lane_of(job.key).waiting(job.priority, job.source_hash)
            if self._objects.put(name, body, only=Only(if_new=True)) is not None:
                return Inserted(job, created=True)
        there = self._reader.look(job.key)
        if there is None or isinstance(there, Forgotten):
            return self._add(job, there)
        return Inserted(there.job, created=False)

    def _freed(self, job: Job) -> None:
        self.claims.freed(job)

    # Finding

    def get(self, job_id: JobId) -> Job:
        return self._standing(job_id).job

    def get_many(self, job_ids: Sequence[JobId]) -> list[Job]:
        found = self._crew.each(self._look_again, dict.fromkeys(job_ids))
        return [standing.job for standing in found if standing is not None]

    def find(self, keys: Sequence[JobKey]) -> dict[JobKey, Job]:
        found = self._looking.standings(keys)
        return {key: there.job for key, there in found.items() if not isinstance(there, Forgotten)}

    def states(self, keys: Sequence[JobKey]) -> dict[JobKey, State]:
        return self._looking.states(keys)

    def find_by_prefix(self, prefix: str, *, project: str, limit: int) -> list[Job]:
        return self._looking.by_prefix(prefix, project=project, limit=limit)

    def page(self, wanted: JobFilter, *, after: JobId | None = None, limit: int = 50) -> list[Job]:
        return self._looking.page(wanted, after=after, limit=limit)

    def named(self) -> Named:
        return self._inventory.named()

    def counts(self, *, project: str | None = None) -> Mapping[tuple[str, State], int]:
        return self._looking.counts(project=project)

    def waiting(self, *, project: str) -> Mapping[tuple[str, str], int]:
        return self._looking.waiting(project=project)

    def gaps(self, *, project: str | None = None) -> Mapping[str, int]:
        return self._looking.gaps(project=project)

    def doubts(self, *, project: str | None = None) -> Mapping[str, int]:
        return self._looking.doubts(project=project)

    def history(self, job_id: JobId) -> History:
        record = self._standing(job_id).record
        return history_of(record.job, record.attempts, record.events)

    def files(self, job_id: JobId) -> list[FileRecord]:
        standing = self._find_by_id(job_id)
        if standing is None:
            return []
        kept = [*standing.record.files, *self._registry.files(standing.job)]
        recorded = [entry.file for entry in sorted(kept, key=lambda entry: entry.rev)]
        return [*self._source(standing.job), *recorded]

    def _source(self, job: Job) -> list[FileRecord]:
        """Nobody records it: it lies under its own hash."""
        facts = self._objects.head(raw_name(job.source_hash))
        if facts is None:
            return []
        key = source_key(job.source_hash)
        return [FileRecord(FileRole.SOURCE, key, facts.size, "application/pdf", job.source_hash)]

    # Changing

    def update(self, job_id: JobId, change: Change) -> Job:
        key = self._key(job_id)
        with self._turn(job_id):
            return self._remember(self._changes.apply(key, change)).job

    def exchange(
        self, moves: Sequence[Move], *, take: Change | None = None, queue: Queue | None = None, limit: int = 0
    ) -> Exchanged:
        if take is None or queue is None or limit <= 0:
            return Exchanged(self._move_together(moves), [])
        if not moves:
            return Exchanged([], self._take(take, queue, limit))
        self.claims.try_out(take, queue, limit)
        moved = self._move_together(moves)
        try:
            return Exchanged(moved, self._take(take, queue, limit))
        except StoreUnavailable as error:
            # What has moved must be told, or the caller would move it again and hear that it came too late.
            log.warning("nothing could be claimed", error=str(error))
            return Exchanged(moved, [])

    def _move_together(self, moves: Sequence[Move]) -> list[Job | BlobForgeError]:
        for move in moves:
            self._try_out(move)
        moved = self._crew.each(self._move_all, by_job(moves))
        outcomes = {place: outcome for group in moved for place, outcome in group}
        return [outcomes[place] for place in range(len(moves))]

    def _take(self, take: Change, queue: Queue, limit: int) -> list[Job]:
        taken = [self._keep(found).job for found in self.claims.take(take, queue, limit, own=self._own_failed())]
        strangers = [job for job in taken if job.id in self._reader.strangers]
        with suppress(StoreUnavailable):  # they would only be missing in lists
            self._registry.index(strangers)
        return taken

    def _try_out(self, move: Move) -> None:
        """On paper, with the job as it was last seen: only a fault of the change itself comes out of it."""
        known = self._remembered.get(move.seen.id)
        try:
            move.change(move.seen if known is None or isinstance(known, Forgotten) else known.job)
        except BlobForgeError:
            return

    def _move_all(self, moves: Iterable[tuple[int, Move]]) -> list[tuple[int, Job | BlobForgeError]]:
        return [(place, self._move(move)) for place, move in moves]

    def _move(self, move: Move) -> Job | BlobForgeError:
        try:
            with self._turn(move.seen.id):
                changed = self._apply_move(move)
        except BlobForgeError as error:
            return error
        return changed.job

    def _apply_move(self, move: Move) -> Changed:
        known, key = self._remembered.get(move.seen.id), move.seen.key
        move = move._replace(change=only_of(move.seen, move.change))
        changed = self._try_remembered(key, move, known) if isinstance(known, Celled) else None
        if changed is None:
            changed = self._changes.apply(key, move.change, files=move.files)
        if move.files and not has_files(changed.standing, move.files):
            self._registry.add_files(changed.job, move.files)
        return self._remember(changed)

    def _try_remembered(self, key: JobKey, move: Move, known: Celled) -> Changed | None:
        """A job that is as we left it needs no look. What the memory refuses or leaves alone is asked again."""
        try:
            if move.change(known.job) == known.job:
                return None
        except BlobForgeError:
            return None
        return self._changes.apply(key, move.change, files=move.files, known=known)

    def update_due(self, change: Change, *, now: datetime, limit: int) -> list[Job]:
        return self._janitor.wake(self._registry.lanes_of_late(), change, now=now, limit=limit)

    def mend(self, *, dry_run: bool) -> list[str]:
        return self._mending.mend(self._registry.lanes(), self._registry.indexed, dry_run=dry_run)

    def archive(self, *, completed_before: datetime, stretch: int) -> int:  # noqa: ARG002 - fixed by the port
        """Completed jobs are in nobody's way: workers list what waits."""
        return 0

    def forget(self, jobs: Sequence[Job]) -> int:
        return sum(self._crew.each(self._forget, [job for job in jobs if job.state in FINAL_STATES]))

    def _forget(self, job: Job) -> bool:
        """A purged cell takes the place of its next run: who retries it at the same time wins or loses as a whole, its
        numbers are not used again, and nothing late comes to count."""
        standing = self._reader.look(job.key)
        if standing is None or isinstance(standing, Forgotten) or standing.job != job:
            return False
        record = Record(job._replace(rev=job.rev + 1))
        purged = Cell(CellState.PURGED, standing.generation + 1, record, self._changes.instance)
        if self._changes.create(purged) is None:
            return False
        self._changes.reindex(purged)
        self._registry.unindex([job])
        with self._lock:
            self._remembered.pop(job.id, None)
        return True

    # Workers

    def put_worker(self, worker: Worker) -> None:
        self._registry.put_worker(worker)

    def remove_worker(self, worker_id: WorkerId) -> None:
        self._registry.remove_worker(worker_id)

    def workers(self) -> list[Worker]:
        return self._registry.workers()

    def close(self) -> None:
        self._crew.close()
        self._objects.close()

    # What was seen before

    def _key(self, job_id: JobId) -> JobKey:
        known = self._remembered.get(job_id)
        if known is not None and not isinstance(known, Forgotten):
            return known.job.key
        found = self._registry.find(job_id)
        if found is None:
            raise NotFound(f"there is no job {job_id}")
        return found.key

    def _find_by_id(self, job_id: JobId) -> Fresh | Celled | Done | None:
        try:
            key = self._key(job_id)
        except NotFound:
            return None
        standing = self._reader.look(key)
        if standing is None or isinstance(standing, Forgotten) or standing.job.id != job_id:
            return None
        return standing

    def _look_again(self, job_id: JobId) -> Fresh | Celled | Done | None:
        """A job that this process holds and nobody else wrote to is as it was: one request tells, and no listing."""
        known = self._remembered.get(job_id)
        if isinstance(known, Celled) and known.cell.state in IN_PROGRESS:
            there = self._objects.head(lane_of(known.job.key).cell(known.job.source_hash, known.generation))
            if there is not None and there.etag == known.etag:
                return known
        return self._find_by_id(job_id)

    def _standing(self, job_id: JobId) -> Fresh | Celled | Done:
        standing = self._find_by_id(job_id)
        if standing is None:
            raise NotFound(f"there is no job {job_id}")
        return standing

    def _remember(self, changed: Changed) -> Changed:
        self._keep_standing(changed.job.id, changed.standing)
        return changed

    def _keep(self, standing: Celled) -> Celled:
        self._keep_standing(standing.job.id, standing)
        return standing

    def _keep_standing(self, job_id: JobId, standing: Standing) -> None:
        with self._lock:
            self._remembered[job_id] = standing
            self._remembered.move_to_end(job_id)
            if len(self._remembered) > MOST_REMEMBERED:
                forgotten, _ = self._remembered.popitem(last=False)
                self._turns.pop(forgotten, None)

    def _own_failed(self) -> list[Celled]:
        """Jobs that failed here: they are tried again when their time has come, without waiting for the janitor."""
        with self._lock:
            return [
                standing
                for standing in self._remembered.values()
                if isinstance(standing, Celled) and standing.cell.state is CellState.FAILED
            ]

    def _turn(self, job_id: JobId) -> threading.Lock:
        """One change of a job at a time in this process: it would only lose races against itself."""
        with self._lock:
            return self._turns[job_id]
