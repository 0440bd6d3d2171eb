"""What a database says when it refuses."""

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from blobforge.sqlite_files import meaning


def reason(error: SQLAlchemyError) -> str:
    """In the driver's own words, without the statement and its values: they may hold what belongs in no log."""
    if isinstance(error, DBAPIError) and isinstance(error.orig, Exception):
        return meaning(error.orig)
    return str(error)
