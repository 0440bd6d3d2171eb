"""Files to and from signed URLs, which may lead to the server itself or straight to a bucket."""

import errno
from pathlib import Path

from blobforge.client.connection import Connection
from blobforge.domain.errors import AccessError, DiskFull, InvalidValue, NotFound, OutputUnwritable, StoreUnavailable
from blobforge.wire.transfers import SignedUrlMessage


def download(connection: Connection, url: str, target: Path, *, size: int | None) -> None:
    """Raises StoreUnavailable, NotFound, OutputUnwritable, DiskFull."""
    try:
        arrived = _written(connection, url, target)
    except (AccessError, InvalidValue) as error:
        raise StoreUnavailable(str(error)) from error
    if size is not None and arrived != size:
        raise StoreUnavailable(f"{arrived} of {size} bytes arrived for {target.name}")


def upload(connection: Connection, to: SignedUrlMessage, path: Path) -> None:
    """An address that is refused, perhaps as one that is no longer valid, says nothing of the file: whoever tries again
    gets another one. Raises StoreUnavailable, SourceTooLarge, DiskFull."""
    try:
        with path.open("rb") as file:
            connection.put(to.url, file, headers=to.headers)
    except (AccessError, InvalidValue, NotFound) as error:
        raise StoreUnavailable(str(error)) from error


def _written(connection: Connection, url: str, target: Path) -> int:
    arrived = 0
    try:
        with target.open("wb") as file:
            for chunk in connection.chunks(url):
                file.write(chunk)
                arrived += len(chunk)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(f"{target}: no space left on the disk; make room in {target.parent}") from error
        raise OutputUnwritable(f"{target} cannot be written: {error.strerror}") from error
    return arrived
