"""What crashes and other programs left behind: markers are rebuilt from the cells, and what is done is tidied up."""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from blobforge.coordination.bucket.adoption import Adoption
from blobforge.coordination.bucket.cell import IN_PROGRESS, Cell, CellState
from blobforge.coordination.bucket.changes import Changes
from blobforge.coordination.bucket.crew import Crew
from blobforge.coordination.bucket.names import CellName, Lane, lane_of
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.published import Published
from blobforge.coordination.bucket.standing import Reader
from blobforge.coordination.bucket.survey import Survey, Surveyor
from blobforge.domain.ids import JobKey, SourceHash
from blobforge.domain.job import Job, State


class Oddity(NamedTuple):
    text: str
    mend: Callable[[], None] | None = None
    """None where it is not ours to touch."""


class Mending:
    def __init__(
        self,
        objects: Objects,
        reader: Reader,
        changes: Changes,
        surveyor: Surveyor,
        adoption: Adoption,
        crew: Crew,
    ) -> None:
        self._objects = objects
        self._reader = reader
        self._changes = changes
        self._surveyor = surveyor
        self._adoption = adoption
        self._crew = crew

    def mend(self, lanes: Sequence[Lane], indexed: Callable[[], AbstractSet[JobKey]], *, dry_run: bool) -> list[str]:
        """Tells everything odd, and puts right what can be. `indexed` lists the jobs that are found by an id."""
        surveys = [self._surveyor.survey(lane) for lane in lanes]
        # Behind the surveys: who adds a job writes its id first, so that one without is another program's.
        known = indexed()
        told: list[str] = []
        for survey in surveys:
            oddities = list(self._oddities(survey, known))
            told += [oddity.text for oddity in oddities]
            if not dry_run:
                self._crew.each(lambda mend: mend(), [oddity.mend for oddity in oddities if oddity.mend is not None])
        return told

    def _oddities(self, survey: Survey, indexed: AbstractSet[JobKey]) -> Iterator[Oddity]:
        for name in survey.strangers:
            # Whose it is is for people to say.
            yield Oddity(f"{name} is no object of BlobForge; it is left alone")
        cells = {cell.job.source_hash: cell for cell, _ in self._surveyor.read(survey.cells.values())}
        for source_hash in sorted(survey.hashes()):
            cell = cells.get(SourceHash(source_hash))
            is_purged = cell is not None and cell.state is CellState.PURGED
            is_marked_alone = source_hash not in survey.cells and source_hash not in {*survey.outs, *survey.waiting}
            if survey.lane.key(source_hash) not in indexed and not is_purged and not is_marked_alone:
                yield self._not_indexed(survey, source_hash)
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
            f"{source_hash} is {kind} by a marker alone; it is taken on",
            lambda: self._adoption.take_on_marked(survey.lane, source_hash, kind),
        )

    def _not_indexed(self, survey: Survey, source_hash: str) -> Oddity:
        key = survey.lane.key(source_hash)
        return Oddity(
            f"{source_hash} was put there by another program; it is taken on", lambda: self._adoption.take_on(key)
        )


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
