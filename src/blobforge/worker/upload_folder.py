"""Uploaded files of another application, read without ever leaving their folder."""

import errno
import os
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from blobforge.domain.errors import (
    SourceError,
    SourceForbidden,
    SourceMissing,
    SourceTooLarge,
    SourceUnreadable,
    StoreUnavailable,
)
from blobforge.domain.job import Job
from blobforge.domain.uploaded_document import UploadedDocument, upload_of
from blobforge.worker.workspace import writing_failed

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
MEGABYTE = 1_000_000


class UploadFolder:
    """A SourceFinder. The file is copied: what is checked is what is read, whatever happens to it meanwhile."""

    def __init__(self, base: Path, *, most_mb: int) -> None:
        self._base = base
        self._most = most_mb * MEGABYTE

    def locate(self, job: Job, workspace: Path) -> Path:
        """Raises SourceError, DiskFull, OutputUnwritable, and StoreUnavailable when the folder is not there."""
        upload = upload_of(job)
        assert upload is not None, "a job of this queue names its upload"
        name = f"document {upload.document_id}"
        parts = _parts_of(upload, name)
        file = self._opened(parts, name)
        try:
            return self._copied(file, workspace / "source", name)
        finally:
            os.close(file)

    def _opened(self, parts: list[str], name: str) -> int:
        """Folder by folder, each by its own handle: no link is followed, and none can be put in between."""
        try:
            folder = os.open(self._base, _FOLDER & ~os.O_NOFOLLOW)
        except OSError as error:
            raise StoreUnavailable(f"the folder of uploads {self._base} cannot be opened: {error.strerror}") from error
        try:
            for part in parts[:-1]:
                inner = os.open(part, _FOLDER, dir_fd=folder)
                os.close(folder)
                folder = inner
            return os.open(parts[-1], _FILE, dir_fd=folder)
        except FileNotFoundError as error:
            self._require_content()
            raise SourceMissing(
                f"{name}: its file is not in the folder of uploads; it may still be on its way"
            ) from error
        except OSError as error:
            raise _unreadable(error, name) from error
        finally:
            os.close(folder)

    def _require_content(self) -> None:
        """A folder to which nothing is mounted is empty. Raises StoreUnavailable."""
        with os.scandir(self._base) as entries:
            if next(entries, None) is None:
                raise StoreUnavailable(f"the folder of uploads {self._base} is empty; is it mounted?")

    def _copied(self, file: int, target: Path, name: str) -> Path:
        facts = os.fstat(file)
        if not S_ISREG(facts.st_mode):
            what = "a folder" if S_ISDIR(facts.st_mode) else "no file"
            raise SourceForbidden(f"{name}: what lies in its place is {what}")
        try:
            with target.open("wb") as copy:
                copied = 0
                while chunk := _read(file, name):
                    copied += len(chunk)
                    # Also of one that grows while it is read.
                    self._require_small(max(copied, facts.st_size), name)
                    copy.write(chunk)
        except OSError as error:
            with suppress(OSError):
                target.unlink()
            raise writing_failed(error, target) from error
        return target

    def _require_small(self, size: int, name: str) -> None:
        if size > self._most:
            most = self._most / MEGABYTE
            raise SourceTooLarge(f"{name}: its file has {size / MEGABYTE:.1f} MB, and MAX_FILE_MB allows {most:.0f}")


def _read(file: int, name: str) -> bytes:
    try:
        return os.read(file, MEGABYTE)
    except OSError as error:
        raise _unreadable(error, name) from error


def _parts_of(upload: UploadedDocument, name: str) -> list[str]:
    if upload.path is None:
        raise SourceMissing(f"{name}: there is no such row in uploaded_documents")
    if upload.disk != "local":
        raise SourceForbidden(f"{name}: it is on the disk {upload.disk!r}; only files on 'local' can be read")
    parts = upload.path.split("/")
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise SourceForbidden(f"{name}: its path leads out of the folder of uploads, or names no file")
    return parts


def _unreadable(error: OSError, name: str) -> SourceError:
    if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR):
        return SourceForbidden(f"{name}: a link lies on the way to its file, and links are not followed")
    return SourceUnreadable(f"{name}: its file cannot be read: {error.strerror}; may the worker's user read it?")
