"""postgresql://USER:PASSWORD@HOST/DATABASE: a queue in a database."""

from blobforge.extras import require_extra
from blobforge.ports.queue_backend import OpenedQueue, QueueBackend, QueueOptions


def _open(url: str, options: QueueOptions) -> OpenedQueue:
    require_driver()
    from blobforge.coordination.sql.postgres.backend import open_queue

    return open_queue(url, options)


def _check(url: str) -> None:
    from blobforge.coordination.sql.postgres.backend import place_of

    place_of(url)
    require_driver()


def require_driver() -> None:
    """Raises InvalidSettings."""
    require_extra("postgres", "psycopg", user="a queue at postgresql://")


QUEUE = QueueBackend(open=_open, check=_check, why_no_accounts=None)
