"""A published result as a file of its own: whole or not there, and never over another file unasked."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from blobforge import durable_files
from blobforge.conversion.archive_members import require_safe_members
from blobforge.domain.errors import OutputEdited, OutputError, OutputUnwritable, ResultDamaged
from blobforge.domain.job import Job, name_of
from blobforge.ports.blob_store import BlobKey, BlobStore
from blobforge.results.published_by_job import with_advice
from blobforge.worker.bounded_archive import open_archive
from blobforge.worker.results import DAMAGE, require_whole
from blobforge.worker.workspace import writing_failed

LONGEST_NAME = 255
"""Bytes; what file systems allow."""


def target_of(job: Job, out: str) -> Path:
    """The file to write: the one that is named, or one called after the document in the folder that is named.

    Raises OutputUnwritable.
    """
    with _writing(Path(out)):
        if not out.endswith("/") and not Path(out).is_dir():
            return Path(out)
    name = name_of(job)
    stem = name[:-4] if name.lower().endswith(".pdf") and len(name) > 4 else name
    short = os.fsencode(stem)[: LONGEST_NAME - len(".zip")].decode("utf-8", "ignore")
    return Path(out) / f"{short}.zip"


def download(blobs: BlobStore, job: Job, key: BlobKey, target: Path, *, force: bool) -> int:
    """How many bytes were written. Raises NotFound, ResultDamaged, OutputEdited, OutputUnwritable, DiskFull."""
    if not force:
        _require_free(target)
    with _writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
    arriving = target.parent / f".blobforge-{token_hex(8)}"
    try:
        with with_advice(job, key, blobs), _told_as(arriving, target):
            blobs.fetch(key, arriving)
            _require_sound(blobs.address(key), arriving)
        with _writing(target):
            size = arriving.stat().st_size
            durable_files.sync_file(arriving)
            _put_in_place(arriving, target, force=force)
            durable_files.sync_folder(target.parent)
    finally:
        arriving.unlink(missing_ok=True)
    return size


def _require_sound(name: str, file: Path) -> None:
    try:
        archive = open_archive(file)
    except DAMAGE as error:
        raise ResultDamaged(f"the result {name} cannot be opened: {error}; run its job again") from error
    with archive:
        try:
            require_safe_members(archive)
        except ValueError as error:
            raise ResultDamaged(f"the result {name} is not handed out: {error}; run its job again") from error
        require_whole(archive, name)


def _put_in_place(arriving: Path, target: Path, *, force: bool) -> None:
    if force:
        arriving.replace(target)
        return
    try:
        # Unlike a rename, a link never takes the place of a file that came in the meantime.
        os.link(arriving, target)
    except FileExistsError:
        _require_free(target)
    except OSError:
        # A file system without hard links: a rename is as near as one comes.
        _require_free(target)
        arriving.replace(target)


def _require_free(target: Path) -> None:
    with _writing(target):
        if target.is_dir():
            raise OutputUnwritable(f"{target} cannot be written: a folder is in its place")
        if target.exists() or target.is_symlink():
            raise OutputEdited(f"{target} is there already; name another file, or use --force")


@contextmanager
def _told_as(arriving: Path, target: Path) -> Iterator[None]:
    """Nobody knows the name that a file has while it arrives."""
    try:
        yield
    except OutputError as error:
        raise type(error)(str(error).replace(str(arriving), str(target))) from error


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise writing_failed(error, path) from error
