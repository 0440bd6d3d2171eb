"""A row that a worker holds, and how its database knows that."""

from datetime import datetime
from typing import NamedTuple

from blobforge.domain.errors import (
    DamagedSource,
    EmptySource,
    EncryptedSource,
    InvalidOptions,
    NoPages,
    NotAPdf,
    NoText,
    SourceForbidden,
    SourceTooLarge,
)
from blobforge.domain.job import Failure, Job

LONGEST_MESSAGE = 2_000
_FINAL = frozenset(
    error.code
    for error in (
        *(NotAPdf, EmptySource, DamagedSource, EncryptedSource, NoPages, NoText),
        *(SourceTooLarge, SourceForbidden, InvalidOptions),
    )
)
"""What no further attempt changes. Everything else is tried again, as the contract of the table has it."""


class Holding(NamedTuple):
    """`stamps` are the values that `locked_at` may have: several, while nobody knows whether a renewal was heard."""

    job: Job
    document_id: int
    stamps: tuple[datetime, ...]
    since: float

    def fence(self) -> dict[str, object]:
        return {"id": self.job.id, "attempts": self.job.attempts, "stamps": list(self.stamps)}


class Standing(NamedTuple):
    """How a row stands after an ending."""

    status: str
    attempts: int


def is_final(job: Job, failure: Failure) -> bool:
    """Whether no further attempt is made: none is left, or the next one would end as this one."""
    return failure.code in _FINAL or job.attempts >= job.max_attempts


def told(failure: Failure, document_id: int) -> str:
    """What `error_message` says: a code for programs, and words that hold nothing of the document."""
    where = "" if failure.page is None else f"page {failure.page}: "
    # A processor names the document by the beginning of its hash, which stands for its number here.
    words = failure.message.replace(f"document {document_id:012d}", f"document {document_id}")
    return f"{failure.code}: {where}{words}".replace("\0", "")[:LONGEST_MESSAGE]
