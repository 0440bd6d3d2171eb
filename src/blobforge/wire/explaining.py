"""The messages about one job for people and their programs: its attempts, its error log, and why it is as it is."""

from datetime import datetime

from pydantic import BaseModel

from blobforge.wire.looking import AttemptRow


class AttemptsView(BaseModel):
    """Attempts that have ended, oldest first; one that was given back is among them."""

    attempts: list[AttemptRow]


class FailedAttemptView(BaseModel):
    """`outcome` is `failed` (tried again), `died` (not) or `expired` (its worker was gone). `lease` tells attempts
    apart when the count has begun anew. What nobody wrote down is null."""

    lease: int
    time: datetime
    outcome: str
    worker: str | None
    code: str | None
    message: str | None
    attempt: int | None
    stage: str | None
    page: int | None
    filename: str | None
    traceback: str | None


class ErrorLogView(BaseModel):
    """Failed attempts, oldest first."""

    attempts: list[FailedAttemptView]


class WhyView(BaseModel):
    """`reason` is a stable word; `commands` are those of `blobforge` that change it."""

    reason: str
    explanation: str
    commands: list[str]
