"""A row that a worker holds, and the fence that proves it."""

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
"""Failures that no retry changes. All others are retried, as the contract of the table demands."""


class Holding(NamedTuple):
    """`stamps` are the values that `locked_at` may have: several while the answer to a renewal is missing."""

    job: Job
    document_id: int
    stamps: tuple[datetime, ...]
    since: float

    def fence(self) -> dict[str, object]:
        return {"id": self.job.id, "attempts": self.job.attempts, "stamps": list(self.stamps)}


class RowStatus(NamedTuple):
    """A row after an ending."""

    status: str
    attempts: int


def is_final(job: Job, failure: Failure) -> bool:
    """Whether there is no retry: no attempt is left, or the next one would fail in the same way."""
    return failure.code in _FINAL or job.attempts >= job.max_attempts


def error_message(failure: Failure, document_id: int) -> str:
    """The value of the column: a code for programs, and a message that quotes nothing of the document."""
    where = "" if failure.page is None else f"page {failure.page}: "
    # A processor names a document by the beginning of its hash, which is made of its number here.
    words = failure.message.replace(f"document {document_id:012d}", f"document {document_id}")
    return f"{failure.code}: {where}{words}".replace("\0", "")[:LONGEST_MESSAGE]
