"""Whether the addresses of the queue and the store can be read, by the parsers that open them."""

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from blobforge.blobs.directory import folder_of
from blobforge.config.settings import Settings
from blobforge.coordination.sql.plugin import path_of
from blobforge.domain.errors import InvalidSettings
from blobforge.ports.blob_store import S3Access


def unreadable_addresses(settings: Settings) -> Iterator[tuple[str, str]]:
    """The name of the setting, and what is wrong with it. Opens nothing."""
    for name, url in (("queue", settings.queue), ("store", settings.store)):
        parse = _PARSERS.get((name, urlsplit(url).scheme))
        if parse is None:
            continue  # of somebody else's package, which has no way to be asked
        try:
            parse(url)
        except InvalidSettings as error:
            yield name, str(error)


def _database(url: str) -> None:
    # SQLAlchemy takes long to import, and most have no server.
    from blobforge.coordination.sql.postgres.plugin import place_of

    place_of(url)


def _bucket(url: str) -> None:
    from blobforge.objectstore.place import place_of

    place_of(url, S3Access())


_PARSERS: dict[tuple[str, str], Callable[[str], object]] = {
    ("queue", "sqlite"): path_of,
    ("queue", "postgresql"): _database,
    ("queue", "s3"): _bucket,
    ("store", "file"): folder_of,
    ("store", "s3"): _bucket,
}
