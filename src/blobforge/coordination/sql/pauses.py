"""The lanes that somebody paused, in the tables of a queue; claims look there themselves."""

from typing import Any

from sqlalchemy import Connection, Select, delete, select

from blobforge.coordination.sql.dialect_insert import insert
from blobforge.coordination.sql.tables import paused_lanes
from blobforge.domain.pause import Pause

_lanes = paused_lanes.c
_SELECT = select(_lanes.project, _lanes.type, _lanes.since, _lanes.by).order_by(_lanes.project, _lanes.type)


def pause(connection: Connection, wanted: Pause) -> Pause:
    add = insert(connection)(paused_lanes).values(wanted._asdict()).on_conflict_do_nothing()
    connection.execute(add)
    return Pause(*tuple(connection.execute(_of(wanted.project, wanted.type)).one()))


def resume(connection: Connection, project: str, job_type: str) -> Pause | None:
    remove = delete(paused_lanes).where(_lanes.project == project, _lanes.type == job_type)
    row = connection.execute(remove.returning(_lanes.project, _lanes.type, _lanes.since, _lanes.by)).first()
    return None if row is None else Pause(*row)


def pauses(connection: Connection, project: str | None) -> list[Pause]:
    query = _SELECT if project is None else _SELECT.where(_lanes.project == project)
    return [Pause(*row) for row in connection.execute(query)]


def _of(project: str, job_type: str) -> Select[Any]:
    return _SELECT.where(_lanes.project == project, _lanes.type == job_type)
