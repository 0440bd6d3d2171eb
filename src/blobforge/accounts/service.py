"""Makes and revokes tokens, and manages the accounts of workers, in the name of somebody."""

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from blobforge.domain import account as rules
from blobforge.domain.account import (
    SECRET_BYTES,
    ApiToken,
    Role,
    Secret,
    TokenId,
    User,
    UserId,
    WorkerAccount,
    hash_of_secret,
    parse_description,
    parse_types,
    parse_worker_name,
    token_secret,
    worker_secret,
)
from blobforge.domain.audit import Actor, AuditEntry
from blobforge.domain.errors import InvalidValue, NotFound
from blobforge.domain.ids import parse_name
from blobforge.domain.json_value import JsonObject
from blobforge.ports.accounts import AccountChange, Accounts
from blobforge.ports.clock import Clock

LOCAL = "local"
"""The provider of users who work on the machine itself."""
LONGEST_DAYS = 36_500


class NewToken(NamedTuple):
    token: ApiToken
    secret: Secret
    """Known here and now, and never again."""


class NewWorker(NamedTuple):
    account: WorkerAccount
    secret: Secret


class AccountService:
    """Each method does one thing for `actor`, and tells of it in the audit trail in the same step.

    Threads may share it.
    """

    def __init__(
        self, accounts: Accounts, *, clock: Clock, random_bytes: Callable[[int], bytes] = secrets.token_bytes
    ) -> None:
        self._accounts = accounts
        self._clock = clock
        self._random_bytes = random_bytes

    def local_user(self, login: str) -> User:
        """The service user that owns what is made on the machine itself; made when it is needed."""
        user_id = UserId(f"{LOCAL}:{login}")
        try:
            return self._accounts.user(user_id)
        except NotFound:
            now = self._clock.now()
            # Who has the database in hand may do everything already.
            return self._accounts.put_user(
                User(id=user_id, provider=LOCAL, name=login, role=Role.ADMIN, created_at=now, updated_at=now)
            )

    def create_token(
        self,
        *,
        actor: Actor,
        owner: UserId,
        role: Role,
        description: str = "",
        project: str | None = None,
        expires_after: timedelta | None = None,
        request_id: str | None = None,
    ) -> NewToken:
        """Raises InvalidValue, NotFound for an unknown owner."""
        now = self._clock.now()
        secret = token_secret(self._random_bytes(SECRET_BYTES))
        token = ApiToken(
            user_id=owner,
            token_hash=hash_of_secret(secret),
            description=parse_description(description),
            role=role,
            project=None if project is None else parse_name(project, of="project"),
            created_at=now,
            expires_at=None if expires_after is None else now + _checked(expires_after),
        )

        def told(added: ApiToken) -> AuditEntry:
            expires_at = None if added.expires_at is None else added.expires_at.isoformat()
            return AuditEntry(
                at=now,
                actor=actor,
                action="token.create",
                subject=token_subject(added.id),
                project=added.project,
                request_id=request_id,
                detail={
                    "role": added.role.value,
                    "owner": added.user_id,
                    "description": added.description,
                    "expires_at": expires_at,
                },
            )

        return NewToken(self._accounts.add_token(token, audit=told), secret)

    def revoke_token(self, token_id: TokenId, *, actor: Actor, request_id: str | None = None) -> ApiToken:
        """It counts no more from now on; one that was revoked before keeps its time. Raises NotFound."""
        now = self._clock.now()
        told = AuditEntry(
            at=now,
            actor=actor,
            action="token.revoke",
            subject=token_subject(token_id),
            project=self._accounts.token(token_id).project,
            request_id=request_id,
        )
        return self._accounts.revoke_token(token_id, now=now, audit=told)

    def create_worker(
        self,
        name: str,
        *,
        actor: Actor,
        project: str | None = None,
        types: Sequence[str] = (),
        is_exclusive: bool = False,
        request_id: str | None = None,
    ) -> NewWorker:
        """Raises InvalidValue, AlreadyExists."""
        now = self._clock.now()
        secret = worker_secret(self._random_bytes(SECRET_BYTES))
        account = WorkerAccount(
            name=parse_worker_name(name),
            project=None if project is None else parse_name(project, of="project"),
            types=parse_types(types),
            secret_hash=hash_of_secret(secret),
            is_exclusive=is_exclusive,
            created_at=now,
            updated_at=now,
        )
        told = _of_worker(
            account, "create", actor, now, request_id, detail={"types": account.types, "exclusive": is_exclusive}
        )
        self._accounts.add_worker(account, audit=told)
        return NewWorker(account, secret)

    def regenerate_secret(self, name: str, *, actor: Actor, request_id: str | None = None) -> NewWorker:
        """Another secret; that before counts no more. Raises NotFound."""
        secret = worker_secret(self._random_bytes(SECRET_BYTES))
        now = self._clock.now()
        secret_hash = hash_of_secret(secret)

        def change(account: WorkerAccount) -> WorkerAccount:
            return rules.with_secret(account, secret_hash, now=now)

        return NewWorker(self._change(name, "regenerate", change, actor=actor, now=now, request_id=request_id), secret)

    def enable_worker(self, name: str, *, actor: Actor, request_id: str | None = None) -> WorkerAccount:
        """Raises NotFound, as all that follow. What is so already is no error, and not told again."""
        return self._change_at_once(name, "enable", rules.enabled, actor, request_id)

    def disable_worker(self, name: str, *, actor: Actor, request_id: str | None = None) -> WorkerAccount:
        """Nothing is answered to it any more, from now on."""
        return self._change_at_once(name, "disable", rules.disabled, actor, request_id)

    def drain_worker(self, name: str, *, actor: Actor, request_id: str | None = None) -> WorkerAccount:
        """It finishes what it has, and gets nothing more."""
        return self._change_at_once(name, "drain", rules.draining, actor, request_id)

    def resume_worker(self, name: str, *, actor: Actor, request_id: str | None = None) -> WorkerAccount:
        """It gets jobs again."""
        return self._change_at_once(name, "resume", rules.resumed, actor, request_id)

    def _change_at_once(
        self, name: str, verb: str, rule: Callable[..., WorkerAccount], actor: Actor, request_id: str | None
    ) -> WorkerAccount:
        now = self._clock.now()
        return self._change(
            name, verb, lambda account: rule(account, now=now), actor=actor, now=now, request_id=request_id
        )

    def _change(
        self,
        name: str,
        verb: str,
        change: AccountChange,
        *,
        actor: Actor,
        now: datetime,
        request_id: str | None,
    ) -> WorkerAccount:
        told = _of_worker(self._accounts.worker(name), verb, actor, now, request_id)
        return self._accounts.update_worker(name, change, audit=told)


def token_subject(token_id: TokenId) -> str:
    """How the audit trail names a token."""
    return f"token:{token_id}"


def worker_subject(name: str) -> str:
    """How the audit trail names the account of a worker."""
    return f"worker:{name}"


def _of_worker(
    account: WorkerAccount,
    verb: str,
    actor: Actor,
    now: datetime,
    request_id: str | None,
    *,
    detail: JsonObject | None = None,
) -> AuditEntry:
    return AuditEntry(
        at=now,
        actor=actor,
        action=f"worker.{verb}",
        subject=worker_subject(account.name),
        project=account.project,
        request_id=request_id,
        detail=detail or {},
    )


def _checked(after: timedelta) -> timedelta:
    if not timedelta(0) < after <= timedelta(days=LONGEST_DAYS):
        raise InvalidValue(f"a token expires after up to {LONGEST_DAYS} days, and not at once")
    return after
