"""The messages for admins: accounts of workers, tokens, the audit trail."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from blobforge.domain.account import LONGEST_DESCRIPTION, ApiToken, Role, Standing, WorkerAccount, standing
from blobforge.domain.audit import AuditEntry
from blobforge.wire.bounds import Text, Word

MOST_TYPES = 50
MOST_DAYS = 36_500


class NewWorkerMessage(BaseModel):
    """An account by whose secret the processes of one name work. Without a project, in all of them; without types, on
    all. Of an exclusive one, the last process that registers is the only one."""

    model_config = ConfigDict(extra="forbid")

    id: Word
    project: Word | None = None
    types: Annotated[list[Word], Field(max_length=MOST_TYPES)] = []
    exclusive: bool = False


class AccountView(BaseModel):
    """The account of a worker, without its secret, which nobody has."""

    id: str
    project: str | None
    types: list[str]
    enabled: bool
    draining: bool
    exclusive: bool
    process: str | None
    created_at: datetime
    updated_at: datetime
    last_seen_at: datetime | None

    @classmethod
    def of(cls, account: WorkerAccount) -> "AccountView":
        return cls(
            id=account.name,
            project=account.project,
            types=list(account.types),
            enabled=account.is_enabled,
            draining=account.is_draining,
            exclusive=account.is_exclusive,
            process=account.process,
            created_at=account.created_at,
            updated_at=account.updated_at,
            last_seen_at=account.last_seen_at,
        )


class AccountWithSecret(BaseModel):
    """`secret` is shown now and never again."""

    worker: AccountView
    secret: str


class AccountList(BaseModel):
    workers: list[AccountView]


class NewTokenMessage(BaseModel):
    """Without `expires_in_days`, it counts until it is revoked; without a project, it is for all of them."""

    model_config = ConfigDict(extra="forbid")

    role: Role = Role.VIEWER
    description: Annotated[Text, Field(max_length=LONGEST_DESCRIPTION)] = ""
    project: Word | None = None
    expires_in_days: Annotated[float, Field(gt=0, le=MOST_DAYS)] | None = None


class TokenView(BaseModel):
    id: int
    role: Role
    owner: str
    description: str
    project: str | None
    standing: Standing
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None

    @classmethod
    def of(cls, token: ApiToken, *, now: datetime) -> "TokenView":
        return cls(
            id=token.id,
            role=token.role,
            owner=token.user_id,
            description=token.description,
            project=token.project,
            standing=standing(token, now=now),
            created_at=token.created_at,
            expires_at=token.expires_at,
            revoked_at=token.revoked_at,
            last_used_at=token.last_used_at,
        )


class TokenWithSecret(BaseModel):
    """`secret` is shown now and never again."""

    token: TokenView
    secret: str


class TokenList(BaseModel):
    tokens: list[TokenView]


class AuditRow(BaseModel):
    """`actor` is written as `token:3`, `subject` as `job:12`."""

    id: int
    at: datetime
    actor: str
    action: str
    subject: str
    project: str | None
    request_id: str | None
    detail: Any

    @classmethod
    def of(cls, entry: AuditEntry) -> "AuditRow":
        return cls(
            id=entry.id,
            at=entry.at,
            actor=str(entry.actor),
            action=entry.action,
            subject=entry.subject,
            project=entry.project,
            request_id=entry.request_id,
            detail=entry.detail,
        )


class AuditPage(BaseModel):
    """Newest first; `next` is the cursor of the next page."""

    entries: list[AuditRow]
    next: str | None = None
