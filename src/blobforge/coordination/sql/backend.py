"""Opens a queue named by an sqlite:// URL."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from blobforge import durable_files
from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import InvalidSettings, StoreUnavailable
from blobforge.ports.queue_backend import OpenedQueue, QueueOptions
from blobforge.sqlite_files import give_rights_back


def open_queue(url: str, options: QueueOptions) -> OpenedQueue:
    """Makes the file where it is missing, and the folder of an absolute path.

    Raises InvalidSettings, StoreUnavailable.
    """
    from blobforge.coordination.sql.account_connections import AccountConnections
    from blobforge.coordination.sql.accounts import SqlAccounts
    from blobforge.coordination.sql.audit import SqlAudit
    from blobforge.coordination.sql.depths import depths
    from blobforge.coordination.sql.idempotency import SqlIdempotencyKeys
    from blobforge.coordination.sql.schema import prepare
    from blobforge.coordination.sql.sqlite import SqliteDriver, sqlite_engine
    from blobforge.coordination.sql.store import SqlJobStore
    from blobforge.coordination.sql.wakeup import FileWakeup

    path = path_of(url)
    _require_folder_here(url, path)
    with _unavailable_as("the folder of the queue", path.parent):
        durable_files.make_folders(path.parent, rights=options.rights)
    with _unavailable_as("the file of the queue", path):
        # The files that SQLite makes beside it have its rights.
        durable_files.make_file(path, options.rights)
    give_rights_back(path)
    engine = sqlite_engine(path, synchronous="FULL" if options.durable else "NORMAL")
    prepare(engine)
    connections, driver = AccountConnections(engine), SqliteDriver(engine)
    return OpenedQueue(
        store=SqlJobStore(engine, driver),
        wakeup=FileWakeup(path),
        accounts=SqlAccounts(connections),
        audit=SqlAudit(connections),
        idempotency_keys=SqlIdempotencyKeys(connections),
        depths=lambda: depths(connections),
        together=driver.together,
    )


def _require_folder_here(url: str, path: Path) -> None:
    """A relative path into a folder that is not there is mostly an absolute one that lacks a slash."""
    written = Path(_written_path(url))
    if not written.is_absolute() and not path.parent.is_dir():
        raise InvalidSettings(
            f"{shown_address(url)!r} is a relative path, and {str(written.parent)!r} is no folder here: write four "
            f"slashes for an absolute path, sqlite:///{urlsplit(url).path}, or make the folder"
        )


@contextmanager
def _unavailable_as(what: str, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreUnavailable(f"{what}, {path}, {durable_files.why_not_made(error, path)}") from error


def path_of(url: str) -> Path:
    """Of the database. Raises InvalidSettings."""
    parts = urlsplit(url)
    if parts.netloc or not parts.path.startswith("/") or parts.path == "/":
        raise InvalidSettings(
            f"{shown_address(url)!r} names no file: write sqlite:///relative.db or sqlite:////absolute/queue.db"
        )
    # As SQLAlchemy has it: three slashes and a relative path, four and an absolute one.
    return Path(_written_path(url)).absolute()


def _written_path(url: str) -> str:
    return unquote(urlsplit(url).path[1:])
