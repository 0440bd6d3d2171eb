"""The INSERT of the dialect, which supports ON CONFLICT; that of generic SQL does not."""

from typing import Any

from sqlalchemy import Connection


def insert(connection: Connection) -> Any:
    """A dialect is imported where it is used: that of PostgreSQL takes as long as a short command on SQLite may."""
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert
    from sqlalchemy.dialects import sqlite

    return sqlite.insert
