"""Users, sessions, tokens and accounts of workers in dictionaries under one lock."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from blobforge.coordination.memory.audit import MemoryAudit
from blobforge.domain.account import (
    ApiToken,
    SecretHash,
    Session,
    SessionId,
    TokenId,
    User,
    UserId,
    WorkerAccount,
    revoked,
)
from blobforge.domain.audit import AuditEntry
from blobforge.domain.errors import AlreadyExists, NotFound
from blobforge.ports.accounts import AccountChange


class MemoryAccounts:
    def __init__(self, audit: MemoryAudit) -> None:
        self._audit = audit
        # Reentrant, because a change may read the accounts that apply it.
        self._lock = threading.RLock()
        self._users: dict[UserId, User] = {}
        self._sessions: dict[SessionId, Session] = {}
        self._tokens: dict[TokenId, ApiToken] = {}
        self._workers: dict[str, WorkerAccount] = {}

    def put_user(self, user: User) -> User:
        with self._lock:
            others = (known for known in self._users.values() if known.id != user.id)
            if user.email is not None and any(other.email == user.email for other in others):
                raise AlreadyExists(f"another user than {user.id!r} has the address of mail {user.email!r}")
            before = self._users.get(user.id, user)
            self._users[user.id] = replace(user, created_at=before.created_at)
            return self._users[user.id]

    def user(self, user_id: UserId) -> User:
        with self._lock:
            if user_id not in self._users:
                raise NotFound(f"there is no user {user_id!r}")
            return self._users[user_id]

    def add_session(self, session: Session) -> None:
        with self._lock:
            self.user(session.user_id)
            if session.id in self._sessions:
                raise AlreadyExists("there is such a session already")
            self._sessions[session.id] = session

    def session(self, session_id: SessionId) -> Session:
        with self._lock:
            if session_id not in self._sessions:
                raise NotFound("there is no such session")
            return self._sessions[session_id]

    def end_session(self, session_id: SessionId) -> None:
        with self._lock:
            self._sessions.pop(session_id, None)

    def end_sessions_of(self, user_id: UserId) -> int:
        return self._end(lambda session: session.user_id == user_id)

    def forget_sessions(self, *, expired_by: datetime) -> int:
        return self._end(lambda session: session.expires_at <= expired_by)

    def _end(self, is_over: Callable[[Session], bool]) -> int:
        with self._lock:
            over = [session.id for session in self._sessions.values() if is_over(session)]
            for session_id in over:
                del self._sessions[session_id]
            return len(over)

    def add_token(self, token: ApiToken, *, audit: Callable[[ApiToken], AuditEntry] | None = None) -> ApiToken:
        with self._lock:
            self.user(token.user_id)
            if self.token_by_hash(token.token_hash) is not None:
                raise AlreadyExists("there is a token of this hash already")
            added = replace(token, id=TokenId(len(self._tokens) + 1))
            self._record(None if audit is None else audit(added))
            self._tokens[added.id] = added
            return added

    def token(self, token_id: TokenId) -> ApiToken:
        with self._lock:
            if token_id not in self._tokens:
                raise NotFound(f"there is no token {token_id}")
            return self._tokens[token_id]

    def token_by_hash(self, token_hash: SecretHash) -> ApiToken | None:
        with self._lock:
            return next((token for token in self._tokens.values() if token.token_hash == token_hash), None)

    def tokens(self) -> list[ApiToken]:
        with self._lock:
            return list(self._tokens.values())

    def revoke_token(self, token_id: TokenId, *, now: datetime, audit: AuditEntry | None = None) -> ApiToken:
        with self._lock:
            before = self.token(token_id)
            if before.revoked_at is None:
                self._record(audit)
            self._tokens[token_id] = revoked(before, now=now)
            return self._tokens[token_id]

    def touch_token(self, token_id: TokenId, *, now: datetime) -> None:
        with self._lock:
            token = self._tokens.get(token_id)
            if token is not None and (token.last_used_at is None or token.last_used_at < now):
                self._tokens[token_id] = replace(token, last_used_at=now)

    def add_worker(self, account: WorkerAccount, *, audit: AuditEntry | None = None) -> None:
        with self._lock:
            if account.name in self._workers:
                raise AlreadyExists(f"there is a worker account {account.name!r} already")
            self._workers[account.name] = account
            self._record(audit)

    def worker(self, name: str) -> WorkerAccount:
        with self._lock:
            if name not in self._workers:
                raise NotFound(f"there is no worker account {name!r}")
            return self._workers[name]

    def workers(self) -> list[WorkerAccount]:
        with self._lock:
            return [self._workers[name] for name in sorted(self._workers)]

    def update_worker(self, name: str, change: AccountChange, *, audit: AuditEntry | None = None) -> WorkerAccount:
        with self._lock:
            before = self.worker(name)
            after = replace(change(before), name=name)
            if after != before:
                self._workers[name] = after
                self._record(audit)
            return after

    def remove_worker(self, name: str, *, audit: AuditEntry | None = None) -> None:
        with self._lock:
            if self._workers.pop(name, None) is not None:
                self._record(audit)

    def _record(self, entry: AuditEntry | None) -> None:
        if entry is not None:
            self._audit.append([entry])
