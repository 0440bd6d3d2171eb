"""postgresql://USER:PASSWORD@HOST/DATABASE: a queue in a database."""

from blobforge.ports.queue_backend import OpenedQueue, QueueBackend, QueueOptions


def _open(url: str, options: QueueOptions) -> OpenedQueue:
    from blobforge.coordination.sql.postgres.plugin import open_queue

    return open_queue(url, options)


def _check(url: str) -> None:
    from blobforge.coordination.sql.postgres.plugin import place_of

    place_of(url)


QUEUE = QueueBackend(open=_open, check=_check)
