"""What a database says when it refuses."""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from sqlalchemy.exc import DBAPIError

from blobforge.domain.errors import StoreUnavailable
from blobforge.sqlite_files import meaning

SETTING = "BLOBFORGE_QUEUE"
TRIES = 8
"""More than a pool has connections, all of which a restart of the server may have cut."""

Done = TypeVar("Done")
_REFUSAL = re.compile(r"authentication failed|no pg_hba\.conf entry|(role|database) \".*\" does not exist")

_INSUFFICIENT_PRIVILEGE = "42501"


class TransientFailure(Exception):
    """Nothing was written, because another transaction or a cut connection was in the way: trying again helps."""


def with_retries(step: Callable[[], Done]) -> Done:
    """Does a step until nothing disturbs it any more. Raises StoreUnavailable."""
    for _ in range(TRIES - 1):
        with suppress(TransientFailure):
            return step()
    try:
        return step()
    except TransientFailure as disturbance:
        raise StoreUnavailable(f"the queue database did not answer: {disturbance}") from disturbance


def is_refusal(error: Exception) -> bool:
    """Whether a server is there and will not have us: waiting changes nothing. Of a connection that was not made, the
    driver gives the server's words and no code."""
    return _REFUSAL.search(reason(error)) is not None


def is_lack_of_rights(error: Exception) -> bool:
    """Whether the role of the connection may not do it: waiting changes nothing."""
    original = error.orig if isinstance(error, DBAPIError) else error
    return getattr(original, "sqlstate", None) == _INSUFFICIENT_PRIVILEGE


def reason(error: Exception, database: str | None = None) -> str:
    """In the driver's own words, without the statement and its values: they may hold what belongs in no log."""
    if isinstance(error, DBAPIError) and isinstance(error.orig, Exception):
        error = error.orig
    # PostgreSQL tells of the place and gives hints on further lines.
    return meaning(error, database).strip().partition("\n")[0]
