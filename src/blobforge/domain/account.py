"""Who may ask: people, their sessions and tokens, and the accounts of workers, with what makes each of them count.

A secret is shown once, to whoever it is made for; what is kept is its SHA-256. That is enough here, where it would not
be for a password: 128 random bits cannot be guessed, however quickly a hash is computed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from hmac import compare_digest
from typing import NewType

from blobforge.domain.errors import InvalidValue
from blobforge.domain.ids import parse_name

UserId = NewType("UserId", str)
"""The subject that a provider of identities names, or `local:<login name>` for who works on the machine itself."""

SessionId = NewType("SessionId", str)
"""The hash of what the browser holds: whoever reads the database cannot take a session over."""

TokenId = NewType("TokenId", int)
SecretHash = NewType("SecretHash", str)
"""SHA-256 in hexadecimal digits."""

SECRET_BYTES = 16
"""Random bytes of a secret: 32 hexadecimal digits."""
USE_RECORDED_EVERY = timedelta(minutes=1)
"""How often it is written down that a token was used or a worker seen: not at every request."""
LONGEST_DESCRIPTION = 200

_TOKEN_SECRET = re.compile(r"bf_[0-9a-f]{32}")
_WORKER_SECRET = re.compile(r"bfw_[0-9a-f]{32}")
_WORKER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_INSTANCE = re.compile(r"\.([0-9]{1,10})\.([0-9a-f]{8})\Z")
"""What tells the processes of a name apart: the number that the system gave it, and digits that no other has."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Role(StrEnum):
    """What each of them may do is in `blobforge.domain.access`."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"


class Standing(StrEnum):
    """Whether a token counts."""

    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """What is shown once. It is in no repr, so that no log and no traceback shows it by accident."""

    text: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person; `provider` is who vouches for the id: `local`, or the address of a provider of identities."""

    id: UserId
    provider: str
    role: Role
    created_at: datetime
    updated_at: datetime
    email: str | None = None
    name: str | None = None
    picture: str | None = None
    groups: tuple[str, ...] = ()

    @property
    def is_admin(self) -> bool:
        return self.role is Role.ADMIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A browser that is signed in."""

    id: SessionId = field(repr=False)
    user_id: UserId
    expires_at: datetime
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiToken:
    """`project` None: all projects. `expires_at` None: never. A new one has the id 0 until a store gives it one."""

    id: TokenId = TokenId(0)
    user_id: UserId
    token_hash: SecretHash = field(repr=False)
    role: Role
    created_at: datetime
    description: str = ""
    project: str | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerAccount:
    """The right of a name to work. Processes have ids of their own below it, and several may live side by side.

    `project` None: all projects; no `types`: all job types; `secret_hash` None: nobody can sign in by a secret.
    `process` is the id of the only process that may act for an exclusive one; None until the first registers.
    """

    name: str
    created_at: datetime
    updated_at: datetime
    project: str | None = None
    types: tuple[str, ...] = ()
    secret_hash: SecretHash | None = field(default=None, repr=False)
    is_enabled: bool = True
    is_draining: bool = False
    is_exclusive: bool = False
    process: str | None = None
    last_seen_at: datetime | None = None


# Secrets


def token_secret(random: bytes) -> Secret:
    """A new one for people and their programs, from SECRET_BYTES random bytes."""
    return Secret(text=f"bf_{_hex(random)}")


def worker_secret(random: bytes) -> Secret:
    """A new one for a worker's name, from SECRET_BYTES random bytes."""
    return Secret(text=f"bfw_{_hex(random)}")


def _hex(random: bytes) -> str:
    if len(random) != SECRET_BYTES:
        raise ValueError(f"a secret is made of {SECRET_BYTES} random bytes, not of {len(random)}")
    return random.hex()


def hash_of_secret(secret: Secret) -> SecretHash:
    return SecretHash(sha256(secret.text.encode("utf-8", "surrogatepass")).hexdigest())


def is_token_secret(text: str) -> bool:
    """Whether it has the form of one; what has not need not be looked for."""
    return _TOKEN_SECRET.fullmatch(text) is not None


def is_worker_secret(text: str) -> bool:
    return _WORKER_SECRET.fullmatch(text) is not None


def is_secret_of(account: WorkerAccount, secret: Secret) -> bool:
    """Whether it is the one that the account has now; how long it takes to say says nothing about it."""
    return account.secret_hash is not None and compare_digest(account.secret_hash, hash_of_secret(secret))


# What people write


def parse_role(text: str) -> Role:
    """Raises InvalidValue."""
    try:
        return Role(text)
    except ValueError as error:
        raise InvalidValue(f"{text!r} is no role: there are {', '.join(Role)}") from error


def parse_worker_name(text: str) -> str:
    """Of an account: safe in a header, a URL and a file's name, and no process of another. Raises InvalidValue."""
    if not is_worker_name(text):
        raise InvalidValue(
            f"{text!r} is no name for a worker: use up to 64 letters, digits, '.', '_' or '-', beginning with a letter "
            "or digit"
        )
    if instance := _INSTANCE.search(text):
        other, (pid, nonce) = text[: instance.start()], instance.groups()
        raise InvalidValue(
            f"{text!r} is no name for a worker: process {pid} of a worker {other!r} may be called so, and this one "
            f"could act for it; use '-' for the last '.', as in '{other}.{pid}-{nonce}'"
        )
    return text


def is_worker_name(text: str) -> bool:
    return _WORKER_NAME.fullmatch(text) is not None


def names_instance(process: str) -> bool:
    """Whether an id tells processes of one name apart."""
    return _INSTANCE.search(process) is not None


def is_process_of(process: str, name: str) -> bool:
    """Whether an id is that of a process of this name, or the name itself, for those who have no more to say."""
    return process == name or (process.startswith(name) and _INSTANCE.fullmatch(process, len(name)) is not None)


def parse_types(names: Sequence[str]) -> tuple[str, ...]:
    """Job types, each once. Raises InvalidValue."""
    return tuple(parse_name(name, of="job type") for name in dict.fromkeys(names))


def parse_description(text: str) -> str:
    """Raises InvalidValue."""
    if len(text) > LONGEST_DESCRIPTION or _CONTROL.search(text):
        raise InvalidValue(
            f"a description is one line of up to {LONGEST_DESCRIPTION} characters, without control characters"
        )
    return text


# What counts now


def standing(token: ApiToken, *, now: datetime) -> Standing:
    if token.revoked_at is not None:
        return Standing.REVOKED
    if token.expires_at is not None and now >= token.expires_at:
        return Standing.EXPIRED
    return Standing.ACTIVE


def counts(token: ApiToken, *, now: datetime) -> bool:
    """Whether what is asked with it is to be answered."""
    return standing(token, now=now) is Standing.ACTIVE


def is_signed_in(session: Session, *, now: datetime) -> bool:
    return now < session.expires_at


def is_use_due(last_used_at: datetime | None, *, now: datetime) -> bool:
    """Whether a use is to be written down; also the first one after a clock was put back by more than that."""
    return last_used_at is None or abs(now - last_used_at) >= USE_RECORDED_EVERY


def may_act(account: WorkerAccount, process: str) -> bool:
    """Whether this process may act in the name of the account."""
    return account.is_enabled and (not account.is_exclusive or account.process == process)


def may_claim(account: WorkerAccount, process: str) -> bool:
    return may_act(account, process) and not account.is_draining


def works_on(account: WorkerAccount, job_type: str) -> bool:
    return not account.types or job_type in account.types


# Changes


def revoked(token: ApiToken, *, now: datetime) -> ApiToken:
    """One that was revoked before keeps its time."""
    return token if token.revoked_at is not None else replace(token, revoked_at=now)


def enabled(account: WorkerAccount, *, now: datetime) -> WorkerAccount:
    return account if account.is_enabled else replace(account, is_enabled=True, updated_at=now)


def disabled(account: WorkerAccount, *, now: datetime) -> WorkerAccount:
    """Nothing is answered to it any more."""
    return replace(account, is_enabled=False, updated_at=now) if account.is_enabled else account


def draining(account: WorkerAccount, *, now: datetime) -> WorkerAccount:
    """It finishes what it has, and gets nothing more."""
    return account if account.is_draining else replace(account, is_draining=True, updated_at=now)


def resumed(account: WorkerAccount, *, now: datetime) -> WorkerAccount:
    return replace(account, is_draining=False, updated_at=now) if account.is_draining else account


def with_secret(account: WorkerAccount, secret_hash: SecretHash, *, now: datetime) -> WorkerAccount:
    """The secret before it counts no more, nor does the process that signed in by it, where there is only one."""
    return replace(account, secret_hash=secret_hash, process=None, updated_at=now)


def taken_over(account: WorkerAccount, process: str, *, now: datetime) -> WorkerAccount:
    """By the process that registers: of an exclusive one it is the only one from now on."""
    return replace(account, process=process if account.is_exclusive else None, last_seen_at=now)


def seen(account: WorkerAccount, *, now: datetime) -> WorkerAccount:
    return replace(account, last_seen_at=now) if is_use_due(account.last_seen_at, now=now) else account
