"""Pages and counts without a scan: a filter by project, type and state is a few stretches of an index, each by id.

The jobs of one (project, type) and state lie together in an index and in the order of ids. So a page reads no more than
its length from each stretch, and a count no more than it was asked for, however many jobs there are. Without a project
or a type the stretches are those of all that there are: they are few.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, func, select, union_all

from blobforge.coordination.sql import tables
from blobforge.coordination.sql.filter_conditions import conditions
from blobforge.coordination.sql.job_sources import JobSource, JobSources
from blobforge.domain.ids import JobId
from blobforge.domain.job import State
from blobforge.ports.job_store import JobFilter

MOST_STRETCHES = 200
"""SQLite joins at most 500 queries; beyond so many stretches the jobs are read by id, and the filter is applied."""

_jobs = tables.jobs.c
_archive = tables.jobs_archive.c


class LaneKey(NamedTuple):
    project: str
    type: str


class Stretch(NamedTuple):
    """`is_by_id`: an index has it in the order of ids. What is not is short, and is sorted when it is read."""

    source: JobSource
    where: tuple[ColumnElement[bool], ...] = ()
    is_by_id: bool = True


def stretches(connection: Connection, sources: JobSources, wanted: JobFilter) -> list[Stretch]:
    """Those that hold all jobs that the filter wants, and others, which `conditions` takes out."""
    jobs, archive = sources
    tables_of_it = [jobs, archive] if may_be_archived(wanted) else [jobs]
    if _is_selective(wanted):
        return [Stretch(source, is_by_id=False) for source in tables_of_it]
    whole = [Stretch(source) for source in tables_of_it]
    if (wanted.project, wanted.type, wanted.state) == (None, None, None):
        return whole
    of_states = _of_states(sources, wanted.state)
    lanes = _lanes(connection, wanted, most=MOST_STRETCHES // len(of_states))
    if lanes is None:
        return whole
    return [_within(stretch, lane) for stretch in of_states for lane in lanes]


def may_be_archived(wanted: JobFilter) -> bool:
    return wanted.state in (None, State.COMPLETED) and wanted.worker_id is None and not wanted.awaits_source


def page_of(stretch: Stretch, wanted: JobFilter, *, after: JobId | None, limit: int) -> Select[Any]:
    """The newest of a stretch, from below `after`."""
    jobs = stretch.source.jobs
    query = _held(stretch.source.select, stretch, wanted).limit(limit)
    if after is not None:
        query = query.where(jobs.id < after)
    # A sum is in no index: so the database looks for the few, and does not walk through all by id.
    return query.order_by(jobs.id.desc() if stretch.is_by_id else (jobs.id + 0).desc())


def count_of(found: Sequence[Stretch], wanted: JobFilter, *, most: int) -> Select[Any]:
    """How many there are, up to `most` + 1."""
    each = [_held(select(stretch.source.jobs.id), stretch, wanted).limit(most + 1).subquery() for stretch in found]
    some = union_all(*map(select, each)).limit(most + 1).subquery()
    return select(func.count()).select_from(some)


def _held(query: Select[Any], stretch: Stretch, wanted: JobFilter) -> Select[Any]:
    return query.where(*stretch.where, *conditions(stretch.source.jobs, wanted))


def _of_states(sources: JobSources, wanted: State | None) -> list[Stretch]:
    jobs, archive = sources
    states = list(State) if wanted is None else [wanted]
    of_jobs = [Stretch(jobs, (_jobs.status == state.value,)) for state in states]
    return [*of_jobs, Stretch(archive)] if State.COMPLETED in states else of_jobs


def _within(stretch: Stretch, lane: LaneKey) -> Stretch:
    jobs = stretch.source.jobs
    return stretch._replace(where=(*stretch.where, jobs.project == lane.project, jobs.type == lane.type))


def _is_selective(wanted: JobFilter) -> bool:
    """Whether an index finds the few that it wants, whatever their project, type and state."""
    return wanted.worker_id is not None or wanted.awaits_source or wanted.hash_prefix is not None


# Which lanes there are


def _lanes(connection: Connection, wanted: JobFilter, *, most: int) -> list[LaneKey] | None:
    """None where there are more."""
    if wanted.project is not None and wanted.type is not None:
        return [LaneKey(wanted.project, wanted.type)]
    found: set[LaneKey] = set()
    for jobs in (_jobs, _archive):
        for lane in _listed(connection, jobs, wanted.project):
            found.add(lane)
            if len(found) > most:
                return None
    return sorted(lane for lane in found if _is_wanted(lane, wanted))


def _is_wanted(lane: LaneKey, wanted: JobFilter) -> bool:
    return wanted.project in (None, lane.project) and wanted.type in (None, lane.type)


def _listed(connection: Connection, jobs: Any, project: str | None) -> Iterator[LaneKey]:
    """From lane to lane in an index that begins with them: one or two look-ups each, however many jobs a lane has."""
    first = select(jobs.project, jobs.type).order_by(jobs.project, jobs.type).limit(1)
    row = connection.execute(first if project is None else first.where(jobs.project == project)).first()
    while row is not None:
        lane = LaneKey(*row)
        yield lane
        # Two queries: SQLite walks through a whole lane for a comparison of both columns at once.
        row = connection.execute(first.where(jobs.project == lane.project, jobs.type > lane.type)).first()
        if row is None and project is None:
            row = connection.execute(first.where(jobs.project > lane.project)).first()
