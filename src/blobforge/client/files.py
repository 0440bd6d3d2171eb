"""Files from signed URLs, which may lead to the server itself or straight to a bucket."""

import errno
from pathlib import Path

from blobforge.client.connection import Connection
from blobforge.domain.errors import AccessError, DiskFull, InvalidValue, OutputUnwritable, StoreUnavailable


def download(connection: Connection, url: str, target: Path, *, size: int | None) -> None:
    """Raises StoreUnavailable, NotFound, OutputUnwritable, DiskFull."""
    try:
        arrived = _written(connection, url, target)
    except (AccessError, InvalidValue) as error:
        raise StoreUnavailable(str(error)) from error
    if size is not None and arrived != size:
        raise StoreUnavailable(f"{arrived} of {size} bytes arrived for {target.name}")


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
