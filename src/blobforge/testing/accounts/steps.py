"""Users, tokens and accounts of workers for tests, and what was told of them."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from blobforge.domain.account import ApiToken, Role, SecretHash, Session, SessionId, User, UserId, WorkerAccount
from blobforge.domain.audit import Actor, ActorKind, AuditEntry, AuditFilter
from blobforge.domain.errors import InvalidMove
from blobforge.ports.accounts import Accounts
from blobforge.ports.audit import Audit
from blobforge.testing.clock import START

OpenAccounts = Callable[[], tuple[Accounts, Audit]]

ALICE, BOB = UserId("local:alice"), UserId("https://id.example.org|bob")
LATER = START + timedelta(hours=1)
NOBODY = UserId("nobody")


def a_hash(text: str) -> SecretHash:
    return SecretHash(hashlib.sha256(text.encode()).hexdigest())


def a_user(user_id: UserId = ALICE, **facts: Any) -> User:
    return replace(User(id=user_id, provider="local", role=Role.ADMIN, created_at=START, updated_at=START), **facts)


def a_session(name: str, user_id: UserId = ALICE, **facts: Any) -> Session:
    session = Session(id=SessionId(a_hash(name)), user_id=user_id, expires_at=LATER, created_at=START)
    return replace(session, **facts)


def a_token(name: str, user_id: UserId = ALICE, **facts: Any) -> ApiToken:
    token = ApiToken(user_id=user_id, token_hash=a_hash(name), role=Role.VIEWER, created_at=START)
    return replace(token, **facts)


def an_account(name: str = "rack4", **facts: Any) -> WorkerAccount:
    return replace(WorkerAccount(name=name, created_at=START, updated_at=START), **facts)


def an_entry(subject: str, *, action: str = "test") -> AuditEntry:
    return AuditEntry(at=START, actor=Actor(ActorKind.LOCAL, "alice"), action=action, subject=subject)


def refusing(_account: WorkerAccount) -> WorkerAccount:
    raise InvalidMove("not this one")


def told(audit: Audit) -> list[str]:
    """What the trail tells of, oldest first."""
    return [entry.subject for entry in reversed(audit.page(AuditFilter()))]
