"""Users, sessions, tokens and accounts of workers in the tables of a queue."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, Select, delete, or_, update

from blobforge.coordination.sql import audit as trail
from blobforge.coordination.sql import tables
from blobforge.coordination.sql.account_connections import AccountConnections
from blobforge.coordination.sql.account_rows import (
    SELECT_SESSIONS,
    SELECT_TOKENS,
    SELECT_USERS,
    SELECT_WORKERS,
    TOKEN_BY_HASH,
    WORKER_BY_NAME,
    session_of,
    session_values,
    token_of,
    token_values,
    user_of,
    user_values,
    worker_of,
    worker_values,
)
from blobforge.coordination.sql.dialect_insert import insert
from blobforge.domain.account import (
    ApiToken,
    SecretHash,
    Session,
    SessionId,
    TokenId,
    User,
    UserId,
    WorkerAccount,
)
from blobforge.domain.audit import AuditEntry
from blobforge.domain.errors import AlreadyExists, NotFound
from blobforge.ports.accounts import AccountChange

_users, _sessions = tables.users.c, tables.sessions.c
_tokens, _workers = tables.api_tokens.c, tables.worker_accounts.c
Found = TypeVar("Found")


class SqlAccounts:
    def __init__(self, connections: AccountConnections) -> None:
        self._connections = connections

    def put_user(self, user: User) -> User:
        values = user_values(user)

        def write(connection: Connection) -> User:
            upsert = insert(connection)(tables.users).values(values)
            facts = {name: value for name, value in values.items() if name not in ("id", "created_at")}
            connection.execute(upsert.on_conflict_do_update(index_elements=["id"], set_=facts))
            return user_of(connection.execute(SELECT_USERS.where(_users.id == user.id)).one())

        return self._connections.write(
            write, refused=AlreadyExists(f"another user than {user.id!r} has the address of mail {user.email!r}")
        )

    def user(self, user_id: UserId) -> User:
        return self._one(SELECT_USERS.where(_users.id == user_id), user_of, _no_user(user_id))

    def add_session(self, session: Session) -> None:
        def write(connection: Connection) -> bool:
            add = insert(connection)(tables.sessions).values(session_values(session)).on_conflict_do_nothing()
            return connection.execute(add.returning(_sessions.id)).first() is not None

        if not self._connections.write(write, refused=_no_user(session.user_id)):
            raise AlreadyExists("there is such a session already")

    def session(self, session_id: SessionId) -> Session:
        there_is_none = NotFound("there is no such session")
        return self._one(SELECT_SESSIONS.where(_sessions.id == session_id), session_of, there_is_none)

    def end_session(self, session_id: SessionId) -> None:
        self._connections.write(
            lambda connection: connection.execute(delete(tables.sessions).where(_sessions.id == session_id))
        )

    def end_sessions_of(self, user_id: UserId) -> int:
        statement = delete(tables.sessions).where(_sessions.user_id == user_id)
        return self._connections.write(lambda connection: connection.execute(statement).rowcount)

    def forget_sessions(self, *, expired_by: datetime) -> int:
        statement = delete(tables.sessions).where(_sessions.expires_at <= expired_by)
        return self._connections.write(lambda connection: connection.execute(statement).rowcount)

    def add_token(self, token: ApiToken, *, audit: Callable[[ApiToken], AuditEntry] | None = None) -> ApiToken:
        def write(connection: Connection) -> ApiToken | None:
            add = insert(connection)(tables.api_tokens).values(token_values(token))
            add = add.on_conflict_do_nothing(index_elements=["token_hash"])
            row = connection.execute(add.returning(_tokens.id)).first()
            if row is None:
                return None
            added = replace(token, id=TokenId(row.id))
            _record(connection, None if audit is None else audit(added))
            return added

        added = self._connections.write(write, refused=_no_user(token.user_id))
        if added is None:
            raise AlreadyExists("there is a token of this hash already")
        return added

    def token(self, token_id: TokenId) -> ApiToken:
        return self._one(SELECT_TOKENS.where(_tokens.id == token_id), token_of, _no_token(token_id))

    def token_by_hash(self, token_hash: SecretHash) -> ApiToken | None:
        wanted = {"wanted": token_hash}
        row = self._connections.read(lambda connection: connection.execute(TOKEN_BY_HASH, wanted).one_or_none())
        return None if row is None else token_of(row)

    def tokens(self) -> list[ApiToken]:
        rows = self._connections.read(lambda connection: connection.execute(SELECT_TOKENS).all())
        return [token_of(row) for row in rows]

    def revoke_token(self, token_id: TokenId, *, now: datetime, audit: AuditEntry | None = None) -> ApiToken:
        def write(connection: Connection) -> ApiToken | None:
            revoke = update(tables.api_tokens).where(_tokens.id == token_id, _tokens.revoked_at.is_(None))
            if connection.execute(revoke.values(revoked_at=now).returning(_tokens.id)).first() is not None:
                _record(connection, audit)
            row = connection.execute(SELECT_TOKENS.where(_tokens.id == token_id)).one_or_none()
            return None if row is None else token_of(row)

        revoked = self._connections.write(write)
        if revoked is None:
            raise _no_token(token_id)
        return revoked

    def touch_token(self, token_id: TokenId, *, now: datetime) -> None:
        is_earlier = or_(_tokens.last_used_at.is_(None), _tokens.last_used_at < now)
        statement = update(tables.api_tokens).where(_tokens.id == token_id, is_earlier).values(last_used_at=now)
        self._connections.write(lambda connection: connection.execute(statement))

    def add_worker(self, account: WorkerAccount, *, audit: AuditEntry | None = None) -> None:
        def write(connection: Connection) -> bool:
            add = insert(connection)(tables.worker_accounts).values(worker_values(account)).on_conflict_do_nothing()
            is_new = connection.execute(add.returning(_workers.name)).first() is not None
            if is_new:
                _record(connection, audit)
            return is_new

        if not self._connections.write(write):
            raise AlreadyExists(f"there is a worker account {account.name!r} already")

    def worker(self, name: str) -> WorkerAccount:
        return worker_of(self._worker_row(name))

    def workers(self) -> list[WorkerAccount]:
        rows = self._connections.read(lambda connection: connection.execute(SELECT_WORKERS).all())
        # By the order of characters, whatever the collation of the database.
        return sorted((worker_of(row) for row in rows), key=lambda account: account.name)

    def update_worker(self, name: str, change: AccountChange, *, audit: AuditEntry | None = None) -> WorkerAccount:
        while True:
            row = self._worker_row(name)
            before = worker_of(row)
            after = replace(change(before), name=name)
            if after == before or self._replace_worker(after, row.rev, audit):
                return after

    def remove_worker(self, name: str, *, audit: AuditEntry | None = None) -> None:
        def write(connection: Connection) -> None:
            remove = delete(tables.worker_accounts).where(_workers.name == name)
            if connection.execute(remove).rowcount:
                _record(connection, audit)

        self._connections.write(write)

    def _worker_row(self, name: str) -> Row[Any]:
        wanted = {"wanted": name}
        row = self._connections.read(lambda connection: connection.execute(WORKER_BY_NAME, wanted).one_or_none())
        if row is None:
            raise NotFound(f"there is no worker account {name!r}")
        return row

    def _replace_worker(self, account: WorkerAccount, rev: int, audit: AuditEntry | None) -> bool:
        """False when it was written since it was read."""

        def write(connection: Connection) -> bool:
            change = update(tables.worker_accounts).where(_workers.name == account.name, _workers.rev == rev)
            values = {**worker_values(account), "rev": rev + 1}
            is_done = connection.execute(change.values(values).returning(_workers.name)).first() is not None
            if is_done:
                _record(connection, audit)
            return is_done

        return self._connections.write(write)

    def _one(self, query: Select[Any], decode: Callable[[Row[Any]], Found], missing: NotFound) -> Found:
        row = self._connections.read(lambda connection: connection.execute(query).one_or_none())
        if row is None:
            raise missing
        return decode(row)


def _record(connection: Connection, entry: AuditEntry | None) -> None:
    if entry is not None:
        trail.append(connection, [entry])


def _no_user(user_id: UserId) -> NotFound:
    return NotFound(f"there is no user {user_id!r}")


def _no_token(token_id: TokenId) -> NotFound:
    return NotFound(f"there is no token {token_id}")
