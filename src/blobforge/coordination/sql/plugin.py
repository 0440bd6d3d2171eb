"""Opens a queue named by an sqlite:// URL."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from blobforge.domain.errors import InvalidSettings, StoreUnavailable
from blobforge.ports.queue_backend import OpenedQueue, QueueOptions


def open_queue(url: str, options: QueueOptions) -> OpenedQueue:
    """Makes the file and its folder where they are missing. Raises InvalidSettings, StoreUnavailable."""
    from blobforge.coordination.sql.schema import prepare
    from blobforge.coordination.sql.sqlite import SqliteDriver, sqlite_engine
    from blobforge.coordination.sql.store import SqlJobStore
    from blobforge.coordination.sql.wakeup import FileWakeup

    path = _path_of(url)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(f"the folder of the queue, {path.parent}, cannot be made: {error.strerror}") from error
    engine = sqlite_engine(path, synchronous="FULL" if options.durable else "NORMAL")
    prepare(engine)
    return OpenedQueue(store=SqlJobStore(engine, SqliteDriver(engine)), wakeup=FileWakeup(path))


def _path_of(url: str) -> Path:
    parts = urlsplit(url)
    if parts.netloc or not parts.path.startswith("/") or parts.path == "/":
        raise InvalidSettings(f"{url!r} names no file: write sqlite:///relative.db or sqlite:////absolute/queue.db")
    # As SQLAlchemy has it: three slashes and a relative path, four and an absolute one.
    return Path(unquote(parts.path[1:])).absolute()
