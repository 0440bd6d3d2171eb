"""Idempotency keys in the tables of a queue."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, delete, func, select, update

from blobforge.coordination.sql.account_connections import AccountConnections
from blobforge.coordination.sql.database_errors import TransientFailure
from blobforge.coordination.sql.dialect_insert import insert
from blobforge.coordination.sql.tables import idempotency_keys
from blobforge.domain.idempotency import (
    ABANDONED_AFTER,
    KEPT_FOR,
    MOST_KEYS,
    Begun,
    KeptRequest,
    RequestKey,
    too_many_keys,
)

_keys = idempotency_keys.c
_KEPT = select(_keys.digest, _keys.began_at, _keys.taken_at, _keys.answer)


class SqlIdempotencyKeys:
    def __init__(self, connections: AccountConnections) -> None:
        self._connections = connections

    def begin(self, key: RequestKey, digest: str, *, now: datetime) -> Begun:
        def write(connection: Connection) -> Begun:
            connection.execute(delete(idempotency_keys).where(_is(key), _keys.began_at <= now - KEPT_FOR))
            if _added(connection, key, digest, now):
                _require_room(connection, key)
                return Begun(KeptRequest(digest, now, now), is_ours=True)
            is_ours = _taken(connection, key, digest, now)
            row = connection.execute(_KEPT.where(_is(key))).first()
            if row is None:
                raise TransientFailure("an idempotency key was given up while it was looked at")
            return Begun(KeptRequest(*row), is_ours=is_ours)

        return self._connections.write(write)

    def finish(self, key: RequestKey, answer: str) -> None:
        statement = update(idempotency_keys).where(_is(key), _keys.answer.is_(None)).values(answer=answer)
        self._connections.write(lambda connection: connection.execute(statement))

    def give_up(self, key: RequestKey) -> None:
        statement = delete(idempotency_keys).where(_is(key), _keys.answer.is_(None))
        self._connections.write(lambda connection: connection.execute(statement))

    def forget(self, *, now: datetime) -> int:
        statement = delete(idempotency_keys).where(_keys.began_at <= now - KEPT_FOR)
        return self._connections.write(lambda connection: connection.execute(statement).rowcount)


def _is(key: RequestKey) -> ColumnElement[bool]:
    return and_(_keys.asker == key.asker, _keys.key == key.key)


def _added(connection: Connection, key: RequestKey, digest: str, now: datetime) -> bool:
    values: dict[str, Any] = {**key._asdict(), "digest": digest, "began_at": now, "taken_at": now}
    add = insert(connection)(idempotency_keys).values(values).on_conflict_do_nothing()
    return connection.execute(add.returning(_keys.key)).first() is not None


def _taken(connection: Connection, key: RequestKey, digest: str, now: datetime) -> bool:
    is_abandoned = and_(_keys.answer.is_(None), _keys.digest == digest, _keys.taken_at <= now - ABANDONED_AFTER)
    take = update(idempotency_keys).where(_is(key), is_abandoned).values(taken_at=now)
    return connection.execute(take.returning(_keys.key)).first() is not None


def _require_room(connection: Connection, key: RequestKey) -> None:
    """Of the new key: the transaction is rolled back where there are too many. Raises TooManyRequests."""
    some = select(_keys.key).where(_keys.asker == key.asker).limit(MOST_KEYS + 1).subquery()
    if connection.execute(select(func.count()).select_from(some)).scalar_one() > MOST_KEYS:
        raise too_many_keys(key)
