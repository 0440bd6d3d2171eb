"""Errors of databases: which are worth a retry, and what to tell people."""

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
    """Nothing was written, because of a conflict or a cut connection: a retry helps."""


def with_retries(step: Callable[[], Done]) -> Done:
    """Repeats a step after each TransientFailure, up to TRIES times. Raises StoreUnavailable."""
    for _ in range(TRIES - 1):
        with suppress(TransientFailure):
            return step()
    try:
        return step()
    except TransientFailure as failure:
        raise StoreUnavailable(f"the queue database did not answer: {failure}") from failure


def is_refusal(error: Exception) -> bool:
    """Whether the server rejects the login, so that a retry is useless. The driver gives no code for a connection that
    was not made, only the server's message."""
    return _REFUSAL.search(reason(error)) is not None


def is_lack_of_rights(error: Exception) -> bool:
    """Whether the role of the connection may not do it: waiting changes nothing."""
    original = error.orig if isinstance(error, DBAPIError) else error
    return getattr(original, "sqlstate", None) == _INSUFFICIENT_PRIVILEGE


def reason(error: Exception, database: str | None = None) -> str:
    """The driver's message, without the statement and its values, which may hold what belongs in no log."""
    if isinstance(error, DBAPIError) and isinstance(error.orig, Exception):
        error = error.orig
    # PostgreSQL adds the position and hints on further lines.
    return meaning(error, database).strip().partition("\n")[0]
