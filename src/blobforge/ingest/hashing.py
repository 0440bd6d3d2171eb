"""The content hash of a file, verified against a change while it was read."""

import hashlib
import os
import time
from collections.abc import Callable
from io import FileIO
from pathlib import Path

from blobforge.domain.errors import Interrupted, SourceChanged, SourceMissing, SourceUnreadable
from blobforge.domain.ids import SourceHash
from blobforge.ports.hash_cache import FileStat, HashedFile

NO_TIME_NS = -(2**63)
"""The time in the stat of a file that changed too short a while ago: no file has it, so nobody trusts it later."""

_CHUNK = 1 << 18
_SECOND_NS = 1_000_000_000
# A file system's clock moves in steps of some milliseconds; where its times have no fraction, of up to two seconds.
_STEP_NS = 50_000_000
_COARSE_STEP_NS = 2 * _SECOND_NS


def hash_file(
    path: str, *, stopped: Callable[[], bool] = lambda: False, now_ns: Callable[[], int] = time.time_ns
) -> HashedFile:
    """Raises SourceMissing, SourceUnreadable, SourceChanged for a file that someone is writing to, and Interrupted.

    What is written within one step of the clock leaves the same time behind. So a file as young as that gets
    NO_TIME_NS in its stat: it may have changed once more since, and must be hashed again when it is met again.
    """
    try:
        with Path(path).open("rb", buffering=0) as file:
            began = now_ns()
            before = os.fstat(file.fileno())
            digest = _digest(file, before.st_size, stopped)
            after = os.fstat(file.fileno())
    except FileNotFoundError as error:
        raise SourceMissing(f"{path} is not there") from error
    except OSError as error:
        raise SourceUnreadable(f"{path} cannot be read: {error.strerror or error}") from error
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise SourceChanged(f"{path} was being written to while it was read; try again when that is done")
    mtime_ns = after.st_mtime_ns if _is_settled(after.st_mtime_ns, began) else NO_TIME_NS
    return HashedFile(FileStat(path, after.st_size, mtime_ns), SourceHash(digest))


def _digest(file: FileIO, size: int, stopped: Callable[[], bool]) -> str:
    """Of the first `size` bytes and what one more look finds: a file may grow as fast as it is read."""
    digest, buffer = hashlib.sha256(), memoryview(bytearray(_CHUNK))
    while size >= 0 and (count := file.readinto(buffer)):
        if stopped():
            raise Interrupted("stopped while a file was read")
        digest.update(buffer[:count])
        size -= count
    return digest.hexdigest()


def _is_settled(mtime_ns: int, now_ns: int) -> bool:
    """Whether a change after `now_ns` would show. A time that lies ahead is no step of a clock: any change moves it."""
    step = _STEP_NS if mtime_ns % _SECOND_NS else _COARSE_STEP_NS
    return abs(now_ns - mtime_ns) >= step
