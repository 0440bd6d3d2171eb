"""Users, sessions, tokens and accounts of workers as rows of their tables, and back."""

from typing import Any

from sqlalchemy import Row, Select, Table, bindparam, select

from blobforge.coordination.sql import tables
from blobforge.domain.account import ApiToken, Role, Session, User, WorkerAccount
from blobforge.domain.json_value import canonical_json
from blobforge.domain.loose_json import json_in, list_in

_USER = ("id", "provider", "role", "created_at", "updated_at", "email", "name", "picture")
_SESSION = ("id", "user_id", "expires_at", "created_at")
_TOKEN = ("user_id", "token_hash", "role", "created_at", "description", "project", "expires_at", "revoked_at")
_WORKER = ("name", "created_at", "updated_at", "project", "secret_hash", "process", "last_seen_at")
_FLAGS = {"enabled": "is_enabled", "draining": "is_draining", "exclusive": "is_exclusive"}
"""Columns of an account, and what they are in the domain."""


def _select(table: Table, *names: str) -> Select[Any]:
    return select(*(table.c[name] for name in names))


SELECT_USERS = _select(tables.users, *_USER, "groups")
SELECT_SESSIONS = _select(tables.sessions, *_SESSION)
SELECT_TOKENS = _select(tables.api_tokens, "id", *_TOKEN, "last_used_at").order_by(tables.api_tokens.c.id)
SELECT_WORKERS = _select(tables.worker_accounts, *_WORKER, "types", *_FLAGS, "rev").order_by(
    tables.worker_accounts.c.name
)
# Every request asks one of these. They are built once, as that takes longer than the answer.
TOKEN_BY_HASH = SELECT_TOKENS.where(tables.api_tokens.c.token_hash == bindparam("wanted"))
WORKER_BY_NAME = SELECT_WORKERS.where(tables.worker_accounts.c.name == bindparam("wanted"))


def user_values(user: User) -> dict[str, Any]:
    values = {name: getattr(user, name) for name in _USER}
    return {
        **values,
        "role": user.role.value,
        "is_admin": int(user.is_admin),
        "groups": canonical_json(user.groups),
    }


def user_of(row: Row[Any]) -> User:
    facts = dict(row._mapping)
    groups = _texts(facts.pop("groups"))
    return User(**{**facts, "role": Role(facts["role"]), "groups": groups})


def session_values(session: Session) -> dict[str, Any]:
    return {name: getattr(session, name) for name in _SESSION}


def session_of(row: Row[Any]) -> Session:
    return Session(**row._mapping)


def token_values(token: ApiToken) -> dict[str, Any]:
    values = {name: getattr(token, name) for name in (*_TOKEN, "last_used_at")}
    return {**values, "role": token.role.value}


def token_of(row: Row[Any]) -> ApiToken:
    return ApiToken(**{**row._mapping, "role": Role(row._mapping["role"])})


def worker_values(account: WorkerAccount) -> dict[str, Any]:
    return {
        **{name: getattr(account, name) for name in _WORKER},
        **{column: getattr(account, name) for column, name in _FLAGS.items()},
        "types": canonical_json(account.types),
    }


def worker_of(row: Row[Any]) -> WorkerAccount:
    facts = row._mapping
    return WorkerAccount(
        **{name: facts[name] for name in _WORKER},
        **{name: facts[column] for column, name in _FLAGS.items()},
        types=_texts(facts["types"]),
    )


def _texts(value: str) -> tuple[str, ...]:
    return tuple(str(text) for text in list_in(json_in(value)))
