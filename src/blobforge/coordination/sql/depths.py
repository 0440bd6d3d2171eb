"""How many jobs are ready, by type and priority: read from the index of claims alone."""

from sqlalchemy import func, select, text

from blobforge.coordination.sql import tables
from blobforge.coordination.sql.account_connections import AccountConnections
from blobforge.ports.queue_backend import QueueDepth

_jobs = tables.jobs.c
_DEPTHS = (
    select(_jobs.type, _jobs.priority, func.count(), func.min(_jobs.created_at, type_=tables.UtcTime()))
    # As text, because SQLite uses a partial index only where the query repeats its condition literally.
    .where(text("ready"))
    .group_by(_jobs.type, _jobs.priority)
    .order_by(_jobs.type, _jobs.priority)
)


def depths(connections: AccountConnections) -> list[QueueDepth]:
    """Raises StoreUnavailable."""
    return connections.read(lambda connection: [QueueDepth(*row) for row in connection.execute(_DEPTHS)])
