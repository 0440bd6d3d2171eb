"""What time does to jobs: leases that ran out, and waits that are over."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from blobforge.coordination.bucket.cell import IN_PROGRESS, STATE_OF, Cell, CellState
from blobforge.coordination.bucket.changes import Changes
from blobforge.coordination.bucket.crew import Crew
from blobforge.coordination.bucket.names import Lane, lane_of
from blobforge.coordination.bucket.standing import Celled, Reader
from blobforge.coordination.bucket.survey import Surveyor
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.job import Job, State
from blobforge.ports.job_store import Change


class _Plan(NamedTuple):
    """A change that was made on paper: nothing is written before all of them are."""

    standing: Celled
    after: Job


class Janitor:
    def __init__(self, reader: Reader, changes: Changes, surveyor: Surveyor, crew: Crew) -> None:
        self._reader = reader
        self._changes = changes
        self._surveyor = surveyor
        self._crew = crew

    def wake(self, lanes: Sequence[Lane], change: Change, *, now: datetime, limit: int) -> list[Job]:
        """The earliest first. Gives the jobs that changed; who was quicker than the janitor keeps its job."""
        changed: list[Job] = []
        due = sorted(self._due(lanes, now), key=lambda standing: (_due_at(standing.cell) or now, standing.job.id))
        while due and len(changed) < limit:
            wanted = limit - len(changed)
            plans = [plan for standing in due[:wanted] if (plan := _planned(standing, change)) is not None]
            due = due[wanted:]
            changed += [job for job in self._crew.each(self._carry_out, plans) if job is not None]
        self._changes.announce([job for job in changed if job.state is State.PENDING])
        return changed

    def _due(self, lanes: Sequence[Lane], now: datetime) -> Iterator[Celled]:
        listed = [cell for lane in lanes for cell in self._surveyor.cells(lane).values()]
        for cell, etag in self._surveyor.read(listed):
            at = _due_at(cell)
            if at is not None and at <= now:
                yield Celled(cell, etag, None)

    def _carry_out(self, plan: _Plan) -> Job | None:
        """By the ETag that was judged: a sign of life since then wins. What was published meanwhile is done."""
        standing, after = plan
        key = standing.job.key
        out = self._reader.out(lane_of(key), key.source_hash)
        if out is not None and out.generation >= standing.generation:
            self._changes.tidy(key, out.generation)
            return None
        record = standing.record.moved(after)
        cell = Cell(STATE_OF[after.state], standing.generation, record, self._changes.instance)
        written = self._changes.replace(standing._replace(out=out), cell)
        if written is None:
            return None
        if cell.state not in IN_PROGRESS:
            self._changes.reindex(cell, tell=False)
        return record.job


def _planned(standing: Celled, change: Change) -> _Plan | None:
    try:
        after = change(standing.job)
    except BlobForgeError:
        return None
    return None if after == standing.job else _Plan(standing, after)


def _due_at(cell: Cell) -> datetime | None:
    if cell.state in IN_PROGRESS:
        return cell.job.lease_expires_at
    return cell.job.available_at if cell.state is CellState.FAILED else None
