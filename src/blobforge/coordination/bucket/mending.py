"""What crashes and other programs left behind: markers are rebuilt from the cells, and what is done is tidied up."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from blobforge.coordination.bucket.cell import CANCELLED, IN_PROGRESS, STATE_OF, Cell, CellState, facts_of
from blobforge.coordination.bucket.changes import Changes
from blobforge.coordination.bucket.names import CellName, Lane, lane_of
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.published import Published
from blobforge.coordination.bucket.record import Record, adopted, as_number
from blobforge.coordination.bucket.standing import Reader
from blobforge.coordination.bucket.survey import Survey, Surveyor
from blobforge.domain.errors import InvalidValue
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Job, State
from blobforge.domain.priority import Priority, parse_priority


class Oddity(NamedTuple):
    text: str
    mend: Callable[[], None] | None = None
    """None where it is not ours to touch."""


class Mending:
    def __init__(self, objects: Objects, reader: Reader, changes: Changes, surveyor: Surveyor) -> None:
        self._objects = objects
        self._reader = reader
        self._changes = changes
        self._surveyor = surveyor

    def mend(self, lanes: Sequence[Lane], *, dry_run: bool) -> list[str]:
        """Tells everything odd, and puts right what can be."""
        told: list[str] = []
        for lane in lanes:
            for oddity in self._oddities(lane):
                told.append(oddity.text)
                if oddity.mend is not None and not dry_run:
                    oddity.mend()
        return told

    def _oddities(self, lane: Lane) -> Iterator[Oddity]:
        survey = self._surveyor.survey(lane)
        for name in survey.strangers:
            # Whose it is is for people to say.
            yield Oddity(f"{name} is no object of BlobForge; it is left alone")
        cells = {cell.job.source_hash: cell for cell, _ in self._surveyor.read(survey.cells.values())}
        for source_hash in sorted(survey.hashes()):
            cell = cells.get(SourceHash(source_hash))
            if source_hash in survey.outs:
                yield from self._left_behind(survey, source_hash, cell)
            elif cell is not None:
                yield from self._misplaced(survey, cell)
            elif source_hash not in survey.cells and source_hash in survey.failed | survey.dead:
                yield self._without_cell(survey, source_hash)

    def _left_behind(self, survey: Survey, source_hash: str, cell: Cell | None) -> Iterator[Oddity]:
        """Of a job that is done; unless its cell is of a later generation, which is a new run."""
        has_markers = any(
            source_hash in listed for listed in (survey.waiting, survey.failed, survey.dead, survey.cancelled)
        )
        if cell is None and not has_markers:
            return
        key = survey.lane.key(source_hash)
        out = self._reader.out(survey.lane, source_hash)
        if out is None or (cell is not None and cell.generation > out.generation):
            if cell is not None:
                yield from self._misplaced(survey, cell)
                yield from self._outlived(survey, source_hash, out)
            return
        generation = out.generation
        yield Oddity(
            f"{source_hash} is done, and traces of its run are left", lambda: self._changes.tidy(key, generation)
        )

    def _outlived(self, survey: Survey, source_hash: str, out: Published | None) -> Iterator[Oddity]:
        """Cells of runs that are done: a marker that is left of such a run would lead to them for ever."""
        earlier = survey.cells[source_hash].earlier if out is not None else ()
        names = [survey.lane.cell(source_hash, one) for one in earlier if out is not None and one <= out.generation]
        if names:
            yield Oddity(
                f"{source_hash} is run again, and the cell of a run that is done is left",
                lambda: self._objects.delete_many(names),
            )

    def _misplaced(self, survey: Survey, cell: Cell) -> Iterator[Oddity]:
        job = cell.job
        if cell.state in IN_PROGRESS:
            return
        if _listed(survey, job) != _expected(cell):
            what = "forgotten" if cell.state is CellState.PURGED else job.state.value
            yield Oddity(f"{job.source_hash} is {what}, and its markers say otherwise", lambda: self._reindex(cell))

    def _reindex(self, cell: Cell) -> None:
        """Only if it is still so: the survey may be old, and markers that came since must not be taken away."""
        now = self._reader.cell(lane_of(cell.job.key), CellName(cell.job.source_hash, cell.generation))
        if now is not None and now[0].state not in IN_PROGRESS:
            self._changes.reindex(now[0])

    def _without_cell(self, survey: Survey, source_hash: str) -> Oddity:
        kind = "dead" if source_hash in survey.dead else "failed"
        return Oddity(
            f"{source_hash} is {kind} by a marker alone; it is taken on", lambda: self._adopt(survey, source_hash, kind)
        )

    def _adopt(self, survey: Survey, source_hash: str, kind: str) -> None:
        stored = self._objects.get(survey.lane.marker(kind, source_hash))
        if stored is None:
            return
        facts = facts_of(stored.body)
        record = adopted(survey.lane.key(source_hash), facts)
        generation = max(as_number(facts.get("generation")), 1)
        job = _as_told(record.job, kind, facts)
        cell = Cell(STATE_OF[job.state], generation, Record(job), self._changes.instance)
        written = self._changes.create(cell)
        if written is not None and not self._changes.is_done(written):
            self._changes.reindex(cell)


def _listed(survey: Survey, job: Job) -> tuple[tuple[int, ...], bool, bool, bool]:
    name = job.source_hash
    return survey.waiting.get(name, ()), name in survey.failed, name in survey.dead, name in survey.cancelled


def _expected(cell: Cell) -> tuple[tuple[int, ...], bool, bool, bool]:
    job = cell.job
    return (
        (job.priority,) if cell.state is CellState.PENDING else (),
        cell.state is CellState.FAILED,
        cell.state is CellState.DEAD,
        cell.state is CellState.DEAD and job.state is State.CANCELLED,
    )


def _as_told(job: Job, kind: str, facts: dict[str, Any]) -> Job:
    """A job as the marker of another program tells it. Its `retries` are the tries that failed."""
    tries = as_number(facts.get("total_retries", facts.get("retries")))
    told = job._replace(
        attempts=min(tries, job.max_attempts),
        error_code="unknown",
        last_error=str(facts.get("error") or "unknown"),
        priority=_priority(facts.get("priority")),
    )
    if kind == "dead":
        return told._replace(state=State.CANCELLED if facts.get("reason") == CANCELLED else State.DEAD)
    if tries >= job.max_attempts:
        return told._replace(state=State.DEAD)
    return told._replace(state=State.FAILED, available_at=told.created_at)


def _priority(value: object) -> int:
    try:
        return parse_priority(str(value))
    except InvalidValue:
        return Priority.NORMAL
