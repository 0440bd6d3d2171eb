"""The tables that hold jobs, and how to read a job from each."""

from typing import Any, NamedTuple

from sqlalchemy import Select, and_, func, select
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
