"""Opens a queue named by a postgresql:// URL."""

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from blobforge.coordination.sql.database_errors import SETTING
from blobforge.domain.addresses import is_readable, shown_address
from blobforge.domain.errors import InvalidSettings
from blobforge.ports.queue_backend import OpenedQueue, QueueOptions
from blobforge.telemetry.slow_answers import told_when_slow


def open_queue(url: str, options: QueueOptions) -> OpenedQueue:
    """Makes the tables where they are missing. Raises InvalidSettings, StoreUnavailable."""
    from blobforge.coordination.sql.account_connections import AccountConnections
    from blobforge.coordination.sql.accounts import SqlAccounts
    from blobforge.coordination.sql.audit import SqlAudit
    from blobforge.coordination.sql.depths import depths
    from blobforge.coordination.sql.idempotency import SqlIdempotencyKeys
    from blobforge.coordination.sql.postgres.driver import PostgresDriver, postgres_engine
    from blobforge.coordination.sql.postgres.wakeup import ListenWakeup
    from blobforge.coordination.sql.schema import prepare
    from blobforge.coordination.sql.store import SqlJobStore

    place = place_of(url)
    engine = postgres_engine(place, durable=options.durable)
    with told_when_slow(shown_address(url), setting=SETTING):
        prepare(engine)
    driver = PostgresDriver(engine)
    connections = AccountConnections(engine)
    return OpenedQueue(
        store=SqlJobStore(engine, driver),
        wakeup=ListenWakeup(place, on_notify=driver.expect_work),
        accounts=SqlAccounts(connections),
        audit=SqlAudit(connections),
        idempotency_keys=SqlIdempotencyKeys(connections),
        depths=lambda: depths(connections),
    )


def place_of(url: str) -> URL:
    """Raises InvalidSettings."""
    try:
        place = make_url(url).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError):
        place = None
    if place is None or not is_readable(url):
        # The URL may hold a password, so it is not quoted.
        raise InvalidSettings(
            "the URL of the queue cannot be read: write postgresql://USER:PASSWORD@HOST:PORT/DATABASE in "
            f"{SETTING}, where signs such as @ and / and white space in the password are percent-encoded (%40, %2F, "
            "%20)"
        )
    return place
