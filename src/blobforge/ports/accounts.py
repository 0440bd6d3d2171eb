"""Who may ask: users, their sessions and tokens, and the accounts of workers. Secrets are known by their hashes."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

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

AccountChange = Callable[[WorkerAccount], WorkerAccount]
"""A change as a pure function, which may be called more than once; a BlobForgeError leaves the account as it was."""


class Accounts(Protocol):
    """Each method is one atomic step, and threads may share it. Every method raises StoreUnavailable, and
    InvalidSettings where the queue's role in a database may not use it.

    An `audit` entry is recorded in the same step, if it happens and changes something: what was done is in the trail,
    and what is in the trail was done.
    """

    def put_user(self, user: User) -> User:
        """Adds a user, or replaces what is known of one but for `created_at`; the stored one.

        Raises AlreadyExists where another user has this address of mail.
        """
        ...

    def user(self, user_id: UserId) -> User:
        """Raises NotFound."""
        ...

    def add_session(self, session: Session) -> None:
        """Raises NotFound for an unknown user, AlreadyExists."""
        ...

    def session(self, session_id: SessionId) -> Session:
        """Also one that has expired. Raises NotFound."""
        ...

    def end_session(self, session_id: SessionId) -> None:
        """An unknown one is no error."""
        ...

    def end_sessions_of(self, user_id: UserId) -> int:
        """Signs a user out everywhere; how many sessions there were."""
        ...

    def forget_sessions(self, *, expired_by: datetime) -> int:
        """Removes those that have expired; how many."""
        ...

    def add_token(self, token: ApiToken, *, audit: Callable[[ApiToken], AuditEntry] | None = None) -> ApiToken:
        """The token with the id that it got, by which `audit` makes the entry.

        Raises NotFound for an unknown user, AlreadyExists for a hash that is there.
        """
        ...

    def token(self, token_id: TokenId) -> ApiToken:
        """Raises NotFound."""
        ...

    def token_by_hash(self, token_hash: SecretHash) -> ApiToken | None:
        """Also one that has expired or was revoked: what it is worth is for the domain to say."""
        ...

    def tokens(self) -> list[ApiToken]:
        """All of them, also those that count no more, by id."""
        ...

    def revoke_token(self, token_id: TokenId, *, now: datetime, audit: AuditEntry | None = None) -> ApiToken:
        """From now on; one that was revoked before keeps its time. Raises NotFound."""
        ...

    def touch_token(self, token_id: TokenId, *, now: datetime) -> None:
        """Writes down that it was used; a later use that is known stays, and an unknown token is no error."""
        ...

    def add_worker(self, account: WorkerAccount, *, audit: AuditEntry | None = None) -> None:
        """Raises AlreadyExists."""
        ...

    def worker(self, name: str) -> WorkerAccount:
        """Raises NotFound."""
        ...

    def workers(self) -> list[WorkerAccount]:
        """All of them, by name."""
        ...

    def update_worker(self, name: str, change: AccountChange, *, audit: AuditEntry | None = None) -> WorkerAccount:
        """Reads, changes and writes one account; nobody writes it in between. The name stays.

        Raises NotFound and what `change` raises.
        """
        ...

    def remove_worker(self, name: str, *, audit: AuditEntry | None = None) -> None:
        """An unknown one is no error."""
        ...
