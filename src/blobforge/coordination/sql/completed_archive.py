"""Moves jobs that were completed long ago to a table of their own, so that the table of jobs stays small."""

from datetime import datetime

from sqlalchemy import Connection, Engine, delete, func, insert, select

from blobforge.coordination.sql import tables
from blobforge.coordination.sql.codec import JOB_COLUMNS
from blobforge.coordination.sql.schema import in_transactions
from blobforge.domain.job import State

_jobs = tables.jobs.c
_archive = tables.jobs_archive
_COLUMNS = [_jobs[name] for name in JOB_COLUMNS]


class CompletedArchive:
    """Scans the jobs by id, a stretch at each call, so that no index by age is needed."""

    def __init__(self, engine: Engine) -> None:
        self._engine = in_transactions(engine)
        self._next = 0

    def move(self, *, completed_before: datetime, stretch: int) -> int:
        """Scans the next `stretch` ids; how many jobs were moved. Raises SQLAlchemyError."""
        first, last = self._next, self._next + stretch
        with self._engine.begin() as connection:
            if connection.dialect.name != "sqlite":
                _lock_out_writers(connection)
            moved = _move(connection, first, last, completed_before)
            newest = connection.execute(select(func.max(_jobs.id))).scalar()
        # Wraps around: what was too young the last time has become old enough.
        self._next = 0 if newest is None or last >= newest else last
        return moved


def _lock_out_writers(connection: Connection) -> None:
    """Adding a job checks the archive for its key and then the jobs: nobody may do so between our two statements."""
    connection.exec_driver_sql("SET LOCAL lock_timeout = '2s'")
    connection.exec_driver_sql("LOCK TABLE jobs IN SHARE ROW EXCLUSIVE MODE")


def _move(connection: Connection, first: int, last: int, completed_before: datetime) -> int:
    stretch = (_jobs.id > first, _jobs.id <= last)
    is_old = (_jobs.status == State.COMPLETED.value, _jobs.updated_at < completed_before)
    # The write comes first: on SQLite a transaction that begins with a read may fail to get the write lock.
    old = select(*_COLUMNS).where(*stretch, *is_old)
    connection.execute(insert(_archive).from_select(JOB_COLUMNS, old))
    is_archived = select(_archive.c.id).where(_archive.c.id == _jobs.id).exists()
    moved = connection.execute(delete(tables.jobs).where(*stretch, is_archived)).rowcount
    if moved and connection.dialect.name != "sqlite":
        _delete_leases(connection, first, last)
    return moved


def _delete_leases(connection: Connection, first: int, last: int) -> None:
    leases = tables.job_leases.c
    is_known = select(_jobs.id).where(_jobs.id == leases.job_id).exists()
    connection.execute(delete(tables.job_leases).where(leases.job_id > first, leases.job_id <= last, ~is_known))
