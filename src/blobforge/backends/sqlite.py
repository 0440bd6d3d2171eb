"""sqlite:///FILE: a queue in a file."""

from pathlib import Path

from blobforge.coordination.sql.backend import open_queue, path_of
from blobforge.ports.queue_backend import QueueBackend

_BESIDE = ("", "-wal", "-shm", "-journal")
"""What the names of the files end in that SQLite makes beside it."""


def _files(url: str) -> list[Path]:
    path = path_of(url)
    return [path.with_name(path.name + ending) for ending in _BESIDE]


QUEUE = QueueBackend(open=open_queue, check=path_of, files=_files, why_no_accounts=None)
