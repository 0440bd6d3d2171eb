"""Pages and counts without a scan: a filter by project, type and state is a few stretches of an index, each by id.

The jobs of one (project, type) and state lie together in an index and in the order of ids. So a page reads no more than
its length from each stretch, and a count no more than it was asked for, however many jobs there are. Without a project
or a type the stretches are those of all that there are: they are few.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, TextClause, func, select, tuple_, union_all

from blobforge.coordination.sql import tables
from blobforge.coordination.sql.filter_conditions import conditions
from blobforge.coordination.sql.job_sources import JobSource, JobSources
from blobforge.domain.ids import JobId
from blobforge.domain.job import State
from blobforge.ports.job_store import JobFilter

MOST_STRETCHES = 200
"""SQLite joins at most 500 queries; beyond so many stretches the jobs are read by id, and the filter is applied."""

Condition = ColumnElement[bool] | TextClause

_jobs = tables.jobs.c
_archive = tables.jobs_archive.c


class Lane(NamedTuple):
    project: str
    type: str


class Stretch(NamedTuple):
    """`is_by_id`: an index has it in the order of ids. What is not is short, and sorted when it is read."""

    source: JobSource
    where: tuple[Condition, ...] = ()
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
    of_states = [one.stretch for one in _of_states(sources) if wanted.state in (None, one.state)]
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


class _OfState(NamedTuple):
    state: State
    stretch: Stretch


def _of_states(sources: JobSources) -> list[_OfState]:
    jobs, archive = sources
    of_jobs = [
        _OfState(State.PENDING, Stretch(jobs, (tables.IS_PENDING,))),
        # As many as the workers have slots: the index of what waits for a time has them.
        _OfState(
            State.RUNNING,
            Stretch(jobs, (_jobs.status == State.RUNNING.value, _jobs.due_at.is_not(None)), is_by_id=False),
        ),
    ]
    settled = [
        _OfState(state, Stretch(jobs, (tables.IS_SETTLED, _jobs.status == state.value)))
        for state in (State.COMPLETED, State.FAILED, State.DEAD, State.CANCELLED)
    ]
    return [*of_jobs, *settled, _OfState(State.COMPLETED, Stretch(archive))]


def _within(stretch: Stretch, lane: Lane) -> Stretch:
    jobs = stretch.source.jobs
    return stretch._replace(where=(*stretch.where, jobs.project == lane.project, jobs.type == lane.type))


def _is_selective(wanted: JobFilter) -> bool:
    """Whether an index finds the few that it wants, whatever their project, type and state."""
    return wanted.worker_id is not None or wanted.awaits_source or wanted.hash_prefix is not None


# Which lanes there are


def _lanes(connection: Connection, wanted: JobFilter, *, most: int) -> list[Lane] | None:
    """None where there are more."""
    if wanted.project is not None and wanted.type is not None:
        return [Lane(wanted.project, wanted.type)]
    running = select(_jobs.project, _jobs.type).where(_jobs.due_at.is_not(None)).distinct()
    found = {Lane(*row) for row in connection.execute(running)}
    for jobs, within in ((_jobs, (tables.IS_PENDING,)), (_jobs, (tables.IS_SETTLED,)), (_archive, ())):
        for lane in _listed(connection, jobs, within, wanted.project):
            found.add(lane)
            if len(found) > most:
                return None
    return sorted(lane for lane in found if _is_wanted(lane, wanted))


def _is_wanted(lane: Lane, wanted: JobFilter) -> bool:
    return wanted.project in (None, lane.project) and wanted.type in (None, lane.type)


def _listed(connection: Connection, jobs: Any, within: tuple[Condition, ...], project: str | None) -> Iterator[Lane]:
    """From lane to lane in an index that begins with them: one look-up each, however many jobs a lane has."""
    query = select(jobs.project, jobs.type).where(*within).order_by(jobs.project, jobs.type).limit(1)
    if project is not None:
        query = query.where(jobs.project == project)
    row = connection.execute(query).first()
    while row is not None:
        yield Lane(*row)
        row = connection.execute(query.where(tuple_(jobs.project, jobs.type) > tuple_(*row))).first()
