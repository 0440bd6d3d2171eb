"""Requests under a key that their sender chose, so that one that is sent again makes nothing twice."""

from datetime import datetime, timedelta
from typing import NamedTuple

from blobforge.domain.errors import TooManyRequests

KEPT_FOR = timedelta(days=1)
ABANDONED_AFTER = timedelta(minutes=1)
"""A request without an answer for so long has nobody who works on it: its server was killed."""
MOST_KEYS = 10_000
"""Of one asker, in a day."""
LONGEST_KEY = 255


class RequestKey(NamedTuple):
    """Two askers may choose the same key."""

    asker: str
    key: str


class KeptRequest(NamedTuple):
    """`digest` is of what was asked; `answer`, as JSON, is None while somebody works on it, since `taken_at`."""

    digest: str
    began_at: datetime
    taken_at: datetime
    answer: str | None = None


class Begun(NamedTuple):
    """`is_ours`: nobody else works on it, and it has no answer yet."""

    kept: KeptRequest
    is_ours: bool


def is_over(kept: KeptRequest, *, now: datetime) -> bool:
    """Whether its key is as good as new."""
    return kept.began_at <= now - KEPT_FOR


def may_be_taken(kept: KeptRequest, digest: str, *, now: datetime) -> bool:
    """Whether another may do what its first server did not end."""
    return kept.answer is None and kept.digest == digest and kept.taken_at <= now - ABANDONED_AFTER


def too_many_keys(key: RequestKey) -> TooManyRequests:
    return TooManyRequests(
        f"{key.asker} has {MOST_KEYS:,} idempotency keys of the last day: send requests without one, or wait"
    )
