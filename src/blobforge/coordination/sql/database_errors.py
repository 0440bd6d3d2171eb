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
_REFUSAL = re.compile(
    r"authentication failed|no password supplied|no pg_hba\.conf entry|permission denied for database"
    r"|(role|database) \".*\" does not exist"
)
_WRONG_OPTION = re.compile(
    r"invalid connection option|invalid \S+ value|bad value for|unrecognized configuration parameter"
    r"|invalid value for parameter|SSL was required|root certificate file"
)

_INSUFFICIENT_PRIVILEGE = "42501"
_NO_SCHEMA = "3F000"


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


def is_wrong_option(error: Exception) -> bool:
    """Whether what the URL asks of the connection makes no sense, or cannot be had."""
    return _WRONG_OPTION.search(reason(error)) is not None


def is_lack_of_rights(error: Exception) -> bool:
    """Whether the role of the connection may not do it: waiting changes nothing."""
    return _sqlstate(error) == _INSUFFICIENT_PRIVILEGE


def is_lack_of_a_schema(error: Exception) -> bool:
    """Whether there is no place for tables: what search_path names does not exist."""
    return _sqlstate(error) == _NO_SCHEMA


def _sqlstate(error: Exception) -> str | None:
    original = error.orig if isinstance(error, DBAPIError) else error
    return getattr(original, "sqlstate", None)


def reason(error: Exception, database: str | None = None) -> str:
    """The driver's message, without the statement and its values, which may hold what belongs in no log."""
    if isinstance(error, DBAPIError) and isinstance(error.orig, Exception):
        error = error.orig
    # PostgreSQL adds the position and hints on further lines.
    return meaning(error, database).strip().partition("\n")[0]
