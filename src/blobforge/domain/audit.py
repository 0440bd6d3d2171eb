"""The audit trail: who did what to which thing."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, NewType

from blobforge.domain.json_value import JsonObject

AuditId = NewType("AuditId", int)


class ActorKind(StrEnum):
    LOCAL = "local"
    """Who works on the machine itself, by the login name."""
    USER = "user"
    TOKEN = "token"  # noqa: S105 - a word
    WORKER = "worker"
    SERVER = "server"
    """What nobody asked for at this moment."""


class Actor(NamedTuple):
    """Written `local:alice`, `token:3`, `worker:rack4`."""

    kind: ActorKind
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """`action` and `subject` are words such as `token.create` and `token:3`. Secrets belong nowhere in it.

    A new one has the id 0 until a store gives it one.
    """

    id: AuditId = AuditId(0)
    at: datetime
    actor: Actor
    action: str
    subject: str
    project: str | None = None
    request_id: str | None = None
    detail: JsonObject = field(default_factory=dict)


class AuditFilter(NamedTuple):
    """None means any. `since`: then or later."""

    actor: Actor | None = None
    subject: str | None = None
    project: str | None = None
    since: datetime | None = None


def matches(entry: AuditEntry, wanted: AuditFilter) -> bool:
    """Defines the filter for every adapter."""
    return (
        wanted.actor in (None, entry.actor)
        and wanted.subject in (None, entry.subject)
        and wanted.project in (None, entry.project)
        and (wanted.since is None or entry.at >= wanted.since)
    )
