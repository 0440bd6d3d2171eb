"""Validates the result of a child before it is accepted.

A child may be controlled by a hostile document, and a processor may have a bug: so the parent itself reads the archive,
counts its bytes and computes the checksum. And a result that is published must not be writable by anyone any more.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG

from blobforge.domain.errors import ChildMisbehaved, ProcessingError, ResultDamaged
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.ports.blob_store import BlobKey
from blobforge.ports.processor import Product
from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.worker.bounded_archive import open_archive
from blobforge.worker.limits import MEGABYTE
from blobforge.worker.results import DAMAGE, AcceptedResult, info_in, require_whole
from blobforge.worker.workspace import is_within, writing_failed

MOST_SUMMARY = 64 * 1024
"""Of what a job's record keeps of a result, which comes with every list of jobs; usually a few hundred bytes."""


def accept(product: Product, *, workspace: Path, nonce: Callable[[int], str] = SYSTEM_RUNTIME.nonce) -> AcceptedResult:
    """Raises ChildMisbehaved, ProcessingError, DiskFull, OutputUnwritable."""
    _require_small(product.summary)
    with _opened(product.archive, workspace) as file:
        archive = product.archive if _is_settled(file) else _copied(file, workspace / f"accepted-{nonce(8)}.zip")
    with archive.open("rb") as stream:
        checksum = hashlib.file_digest(stream, "sha256").hexdigest()
        size = stream.tell()
    _require_readable(archive)
    return AcceptedResult(archive, product.summary, size, checksum)


def _require_small(summary: JsonObject) -> None:
    try:
        size = len(canonical_json(summary))
    except (ValueError, RecursionError) as error:
        raise ChildMisbehaved(f"the child's account of its result cannot be kept: {error}") from error
    if size > MOST_SUMMARY:
        raise ChildMisbehaved(
            f"the child's account of its result has {size:,} characters; a job's record keeps {MOST_SUMMARY:,}"
        )


@contextmanager
def _opened(archive: Path, workspace: Path) -> Iterator[int]:
    try:
        _require_within(archive, workspace)
        # Not blocked by a pipe, and through no link.
        descriptor = os.open(archive, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (OSError, ValueError, RuntimeError) as error:
        # A name that no file can have, or that of nothing.
        raise ChildMisbehaved(f"the child named a result that is not there: {str(archive)[:200]!r}") from error
    try:
        if not S_ISREG(os.fstat(descriptor).st_mode):
            raise ChildMisbehaved("the child named a result that is no file")
        yield descriptor
    finally:
        os.close(descriptor)


def _require_within(archive: Path, workspace: Path) -> None:
    """The store takes the file away from where it lies: that must not be somebody's own."""
    if archive.is_symlink() or not is_within(archive, workspace):
        raise ProcessingError(f"the processor left its result outside its workspace, in {str(archive)[:200]}")


def _is_settled(file: int) -> bool:
    """Whether nobody can write to it any more: it has no other name, and nobody has it open for writing. The system
    gives a read lease on no other file; its name is out of reach of a child in its sandbox by now."""
    if os.fstat(file).st_nlink != 1 or not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError:
        return False
    return True


def _copied(file: int, copy: Path) -> Path:
    try:
        with os.fdopen(file, "rb", closefd=False) as source, copy.open("xb") as target:
            shutil.copyfileobj(source, target, MEGABYTE)
    except OSError as error:
        with suppress(OSError):
            copy.unlink()
        raise writing_failed(error, copy) from error
    return copy


def _require_readable(archive: Path) -> None:
    name = BlobKey(archive.name)
    try:
        with open_archive(archive) as opened:
            require_whole(opened, name)
            info_in(opened, name)
    except (*DAMAGE, ResultDamaged) as error:
        raise ChildMisbehaved(f"the child made a result that is no archive of ours: {error}") from error
