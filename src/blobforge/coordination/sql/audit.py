"""The audit trail in the tables of a queue."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, insert, literal, select, tuple_

from blobforge.coordination.sql.account_connections import AccountConnections
from blobforge.coordination.sql.tables import UtcTime, audit_log
from blobforge.domain.audit import Actor, ActorKind, AuditEntry, AuditFilter, AuditId
from blobforge.domain.json_value import canonical_json
from blobforge.domain.loose_json import json_in, object_in

_log = audit_log.c
_COLUMNS = ("id", "at", "actor_kind", "actor_name", "action", "subject", "project", "request_id", "detail")
_SELECT = select(*(_log[name] for name in _COLUMNS)).order_by(_log.at.desc(), _log.id.desc())


class SqlAudit:
    def __init__(self, connections: AccountConnections) -> None:
        self._connections = connections

    def append(self, entries: Sequence[AuditEntry]) -> None:
        if entries:
            self._connections.write(lambda connection: append(connection, entries))

    def page(self, wanted: AuditFilter, *, after: AuditId | None = None, limit: int = 50) -> list[AuditEntry]:
        def read(connection: Connection) -> list[AuditEntry]:
            query = _SELECT.where(*_conditions(wanted)).limit(limit)
            if after is not None:
                at = connection.execute(select(_log.at).where(_log.id == after)).scalar_one_or_none()
                if at is None:
                    return []
                query = query.where(tuple_(_log.at, _log.id) < tuple_(literal(at, UtcTime()), literal(after)))
            return [_entry(row) for row in connection.execute(query)]

        return self._connections.read(read)


def append(connection: Connection, entries: Sequence[AuditEntry]) -> None:
    """Within the transaction of what they tell of."""
    connection.execute(insert(audit_log), [_values(entry) for entry in entries])


def _conditions(wanted: AuditFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.actor is not None:
        yield _log.actor_kind == wanted.actor.kind.value
        yield _log.actor_name == wanted.actor.name
    if wanted.subject is not None:
        yield _log.subject == wanted.subject
    if wanted.project is not None:
        yield _log.project == wanted.project
    if wanted.since is not None:
        yield _log.at >= wanted.since


def _values(entry: AuditEntry) -> dict[str, Any]:
    return {
        "at": entry.at,
        "actor_kind": entry.actor.kind.value,
        "actor_name": entry.actor.name,
        "action": entry.action,
        "subject": entry.subject,
        "project": entry.project,
        "request_id": entry.request_id,
        "detail": canonical_json(entry.detail),
    }


def _entry(row: Row[Any]) -> AuditEntry:
    entry_id, at, kind, name, action, subject, project, request_id, detail = tuple(row)
    return AuditEntry(
        id=AuditId(entry_id),
        at=at,
        actor=Actor(ActorKind(kind), name),
        action=action,
        subject=subject,
        project=project,
        request_id=request_id,
        detail=object_in(json_in(detail)),
    )
