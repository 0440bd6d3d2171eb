"""What a database says when it refuses."""

from sqlalchemy.exc import DBAPIError, SQLAlchemyError


def reason(error: SQLAlchemyError) -> str:
    """In the driver's own words, without the statement and its values: they may hold what belongs in no log."""
    return str(error.orig) if isinstance(error, DBAPIError) else str(error)
