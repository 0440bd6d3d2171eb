"""The tables that hold jobs, and how to read a job from each."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import CompoundSelect, Select, and_, bindparam, func, select, union_all
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from blobforge.coordination.sql import tables
from blobforge.coordination.sql.codec import JOB_COLUMNS
from blobforge.domain.job import State


class JobSource(NamedTuple):
    jobs: ReadOnlyColumnCollection[str, Any]
    select: Select[Any]

    @property
    def is_archive(self) -> bool:
        return self.jobs is tables.jobs_archive.c


JobSources = tuple[JobSource, JobSource]
"""The jobs, and the completed archive."""

_jobs = tables.jobs.c
_leases = tables.job_leases.c
_IS_RENEWED = and_(
    _leases.job_id == _jobs.id, _leases.lease_number == _jobs.lease_number, _jobs.status == State.RUNNING.value
)
_RENEWED = {
    "lease_expires_at": func.coalesce(_leases.expires_at, _jobs.lease_expires_at),
    "updated_at": func.coalesce(_leases.renewed_at, _jobs.updated_at),
}
_SELECT_WITH_LEASES = select(*(_RENEWED.get(name, _jobs[name]).label(name) for name in JOB_COLUMNS)).select_from(
    tables.jobs.outerjoin(tables.job_leases, _IS_RENEWED)
)
_ARCHIVE = JobSource(tables.jobs_archive.c, select(*(tables.jobs_archive.c[name] for name in JOB_COLUMNS)))
_JOB_SOURCES = (JobSource(_jobs, select(*(_jobs[name] for name in JOB_COLUMNS))), _ARCHIVE)
_JOB_SOURCES_WITH_LEASES = (JobSource(_jobs, _SELECT_WITH_LEASES), _ARCHIVE)


def job_sources(dialect: str) -> JobSources:
    return _JOB_SOURCES if dialect == "sqlite" else _JOB_SOURCES_WITH_LEASES


def in_one_statement(parts: Sequence[Select[Any]]) -> "Select[Any] | CompoundSelect[Any]":
    """Of all sources, or a job that is archived or restored between two would be missed."""
    # As subqueries, because SQLite allows no limit in the parts of a union.
    return parts[0] if len(parts) == 1 else union_all(*(select(part.subquery()) for part in parts))


def by_prefix(sources: JobSources) -> "Select[Any] | CompoundSelect[Any]":
    """Jobs of a project by the beginning of their hash: built once, as every submit asks who has brought a document."""

    def query(source: JobSource) -> Select[Any]:
        jobs = source.jobs
        within = jobs.source_hash.between(bindparam("first"), bindparam("last"))
        of_project = source.select.where(jobs.project == bindparam("project"), within)
        return of_project.order_by(jobs.source_hash, jobs.type).limit(bindparam("most"))

    return in_one_statement(list(map(query, sources)))
