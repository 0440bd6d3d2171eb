"""Moves completed jobs out of the way of those that are still to be done."""

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
    """Walks through the jobs by id, a stretch at each call, so that no index has to say which are old."""

    def __init__(self, engine: Engine) -> None:
        self._engine = in_transactions(engine)
        self._next = 0

    def take_in(self, *, completed_before: datetime, stretch: int) -> int:
        """How many were moved. Raises SQLAlchemyError."""
        first, last = self._next, self._next + stretch
        with self._engine.begin() as connection:
            if connection.dialect.name != "sqlite":
                _hold_off_writers(connection)
            moved = _move(connection, first, last, completed_before)
            newest = connection.execute(select(func.max(_jobs.id))).scalar()
        # Round and round: what was too young the last time has become old enough.
        self._next = 0 if newest is None or last >= newest else last
        return moved


def _hold_off_writers(connection: Connection) -> None:
    """A job must be in one of the two tables for everybody who adds one of the same key.

    Whoever adds looks into the archive first; so nobody may do it between our two statements.
    """
    connection.exec_driver_sql("SET LOCAL lock_timeout = '2s'")
    connection.exec_driver_sql("LOCK TABLE jobs IN SHARE ROW EXCLUSIVE MODE")


def _move(connection: Connection, first: int, last: int, completed_before: datetime) -> int:
    stretch = (_jobs.id > first, _jobs.id <= last)
    is_old = (_jobs.status == State.COMPLETED.value, _jobs.updated_at < completed_before)
    # A write comes first: on SQLite, a transaction that begins with a read may not be let to write later.
    old = select(*_COLUMNS).where(*stretch, *is_old)
    connection.execute(insert(_archive).from_select(JOB_COLUMNS, old))
    is_archived = select(_archive.c.id).where(_archive.c.id == _jobs.id).exists()
    moved = connection.execute(delete(tables.jobs).where(*stretch, is_archived)).rowcount
    if moved and connection.dialect.name != "sqlite":
        _forget_leases(connection, first, last)
    return moved


def _forget_leases(connection: Connection, first: int, last: int) -> None:
    leases = tables.job_leases.c
    is_known = select(_jobs.id).where(_jobs.id == leases.job_id).exists()
    connection.execute(delete(tables.job_leases).where(leases.job_id > first, leases.job_id <= last, ~is_known))
