"""What a database says when it refuses."""

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from sqlalchemy.exc import DBAPIError

from blobforge.domain.errors import StoreUnavailable
from blobforge.sqlite_files import meaning

TRIES = 8
"""More than a pool has connections, all of which a restart of the server may have cut."""

Done = TypeVar("Done")


class Disturbed(Exception):
    """Nothing was written, because another transaction or a cut connection was in the way: trying again helps."""


def tried_again(step: Callable[[], Done]) -> Done:
    """Does a step until nothing disturbs it any more. Raises StoreUnavailable."""
    for _ in range(TRIES - 1):
        with suppress(Disturbed):
            return step()
    try:
        return step()
    except Disturbed as disturbance:
        raise StoreUnavailable(f"the queue database did not answer: {disturbance}") from disturbance


def reason(error: Exception) -> str:
    """In the driver's own words, without the statement and its values: they may hold what belongs in no log."""
    if isinstance(error, DBAPIError) and isinstance(error.orig, Exception):
        error = error.orig
    # PostgreSQL tells of the place and gives hints on further lines.
    return meaning(error).strip().partition("\n")[0]
