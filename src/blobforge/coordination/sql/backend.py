"""Opens a queue named by an sqlite:// URL."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from blobforge import durable_files
from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import InvalidSettings, StoreUnavailable
from blobforge.ports.queue_backend import OpenedQueue, QueueOptions


def open_queue(url: str, options: QueueOptions) -> OpenedQueue:
    """Makes the file and its folder where they are missing. Raises InvalidSettings, StoreUnavailable."""
    from blobforge.coordination.sql.schema import prepare
    from blobforge.coordination.sql.sqlite import SqliteDriver, sqlite_engine
    from blobforge.coordination.sql.store import SqlJobStore
    from blobforge.coordination.sql.wakeup import FileWakeup

    path = path_of(url)
    with _unavailable_as(f"the folder of the queue, {path.parent}"):
        durable_files.make_folders(path.parent, rights=options.rights)
    with _unavailable_as(f"the file of the queue, {path}"):
        # The files that SQLite makes beside it have its rights.
        durable_files.make_file(path, options.rights)
    engine = sqlite_engine(path, synchronous="FULL" if options.durable else "NORMAL")
    prepare(engine)
    return OpenedQueue(store=SqlJobStore(engine, SqliteDriver(engine)), wakeup=FileWakeup(path))


@contextmanager
def _unavailable_as(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreUnavailable(f"{what}, cannot be made: {error.strerror}") from error


def path_of(url: str) -> Path:
    """Of the database. Raises InvalidSettings."""
    parts = urlsplit(url)
    if parts.netloc or not parts.path.startswith("/") or parts.path == "/":
        raise InvalidSettings(
            f"{shown_address(url)!r} names no file: write sqlite:///relative.db or sqlite:////absolute/queue.db"
        )
    # As SQLAlchemy has it: three slashes and a relative path, four and an absolute one.
    return Path(unquote(parts.path[1:])).absolute()
