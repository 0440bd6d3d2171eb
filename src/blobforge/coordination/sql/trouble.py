"""What a database says when it refuses."""

from sqlalchemy.exc import DBAPIError

from blobforge.sqlite_files import meaning


class Disturbed(Exception):
    """Nothing was written, because another transaction or a cut connection was in the way: trying again helps."""


def reason(error: Exception) -> str:
    """In the driver's own words, without the statement and its values: they may hold what belongs in no log."""
    if isinstance(error, DBAPIError) and isinstance(error.orig, Exception):
        error = error.orig
    # PostgreSQL tells of the place and gives hints on further lines.
    return meaning(error).strip().partition("\n")[0]
