"""A filter as SQL conditions: they may match too many jobs, never too few; `matches` decides."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import ColumnElement, and_, func, literal, or_
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from blobforge.domain.job import State
from blobforge.domain.json_value import canonical_json
from blobforge.domain.result_record import PAGES_FAILED, REFUSED, REPAIRED, WARNINGS
from blobforge.ports.job_store import JobFilter

Columns = ReadOnlyColumnCollection[str, Any]


def conditions(jobs: Columns, wanted: JobFilter) -> Iterator[ColumnElement[bool]]:
    """Values inside JSON are searched as text; `matches` checks whether they are in the right field."""
    facts = {"project": wanted.project, "type": wanted.type, "status": wanted.state, "error_code": wanted.code}
    for name, value in facts.items():
        if value is not None:
            yield jobs[name] == str(value)
    if wanted.beyond is not None:
        yield jobs.id > wanted.beyond
    yield from _conditions_of_documents(jobs, wanted)
    if wanted.worker_id is not None:
        # The second condition lets the small index of running jobs serve: only they have a worker.
        yield and_(jobs.worker_id == wanted.worker_id, jobs.due_at.is_not(None))
    if wanted.awaits_source:
        # The last condition is that of the small index of what waits for a time.
        yield and_(jobs.status == State.PENDING.value, jobs.available_at.is_not(None), jobs.due_at.is_not(None))
    if wanted.since is not None:
        # On PostgreSQL a renewal is written to job_leases, and leaves updated_at of the job alone.
        yield or_(jobs.updated_at >= wanted.since, jobs.status == State.RUNNING.value)
    if wanted.tag is not None:
        yield or_(_holds(jobs.tags, canonical_json(wanted.tag)), jobs.tags == wanted.tag)
    if wanted.engine is not None:
        engine = canonical_json(wanted.engine)
        yield or_(_holds(jobs.result, engine), _holds(jobs.metadata, engine))
    yield from _conditions_of_results(jobs, wanted)


def _conditions_of_documents(jobs: Columns, wanted: JobFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.hash_prefix is not None:
        # "g" comes after every hexadecimal digit, so this range is the prefix, and the unique key serves it.
        yield jobs.source_hash.between(wanted.hash_prefix, wanted.hash_prefix + "g")
    if wanted.name_part is not None:
        yield _name_holds(jobs.source_path, wanted.name_part)


def _conditions_of_results(jobs: Columns, wanted: JobFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.recipe is not None:
        yield _holds(jobs.result, f'"{wanted.recipe}')
    if wanted.gaps:
        yield has_gaps(jobs)
    if wanted.doubts:
        yield has_doubts(jobs)


def is_exact(wanted: JobFilter) -> bool:
    """Whether the conditions match no job too many."""
    exact = ("project", "type", "state", "worker_id", "code", "awaits_source", "beyond")
    return wanted == JobFilter(**{name: getattr(wanted, name) for name in exact})


def has_gaps(jobs: Columns) -> ColumnElement[bool]:
    return and_(_holds(jobs.result, f'"{PAGES_FAILED}":'), ~_holds(jobs.result, f'"{PAGES_FAILED}":0'))


def has_doubts(jobs: Columns) -> ColumnElement[bool]:
    return or_(*(_holds(jobs.result, f'"{name}":') for name in (REPAIRED, WARNINGS, REFUSED)))


def _holds(column: Any, text: str) -> ColumnElement[bool]:
    found: ColumnElement[bool] = column.contains(text, autoescape=True)
    return found


def _name_holds(column: Any, part: str) -> ColumnElement[bool]:
    """Both in small letters as the database makes them: of more letters than the filter does, or of the same."""
    escaped = part.replace("/", "//").replace("%", "/%").replace("_", "/_")
    found: ColumnElement[bool] = func.lower(column).like(func.lower(literal(f"%{escaped}%")), escape="/")
    return found
