"""The lock of a worker process, by which others on this machine see that it has ended; names and ids of workers.

A process holds a lock on a file of its own for as long as it lives; the system releases it whatever happens. A file
without its lock means that its owner is dead, and nobody has to wait for its leases to expire. On a disk that several
machines share, a lock may hold on its own machine only: so a file has its host in its name, and no other judges it.
"""

import fcntl
import hashlib
import os
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import IO, NamedTuple

from blobforge import durable_files, untrusted_tree
from blobforge.domain.file_rights import FileRights
from blobforge.domain.ids import WorkerId

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
MACHINE_ID = Path("/etc/machine-id")
_LONGEST_HOST = 48


def worker_name(configured: str | None = None, *, machine_id: Path = MACHINE_ID) -> str:
    """What stays over restarts: the configured name, or one of this host and this machine."""
    if configured is not None:
        return _safe(configured) or "worker"
    return "-".join(filter(None, (_safe(socket.gethostname())[:_LONGEST_HOST], _mark_of(machine_id)))) or "worker"


def worker_id(name: str, *, nonce: Callable[[int], str] = token_hex) -> WorkerId:
    """The name, and a part that no other process ever has: two of one name never take each other for dead."""
    return WorkerId(f"{_safe(name) or 'worker'}.{os.getpid()}.{nonce(4)}")


def this_host() -> str:
    return _safe(socket.gethostname()) or "localhost"


class Instance:
    """A live process: its lock and its folder to work in."""

    def __init__(
        self, folder: Path, own_id: WorkerId, *, host: str | None = None, rights: FileRights = FileRights.PRIVATE
    ) -> None:
        self._folder = folder
        self._rights = rights
        self.id = own_id
        self.workspace = folder / f"{own_id}.work"
        # An id may be configured, and be the same on every machine; neither it nor a host has an "@" in it.
        self._lock_suffix = f"@{host or this_host()}.lock"
        self._lock_path = folder / f"{own_id}{self._lock_suffix}"
        self._lock: IO[str] | None = None
        self._has_unreleased_jobs = False

    def open(self) -> None:
        durable_files.make_folders(self._folder, rights=self._rights, durable=False)
        while self._lock is None:
            # Until it is locked, another process may take the new file for a dead one's, and remove it.
            try:
                durable_files.make_file(self._lock_path, self._rights)
                lock = self._lock_path.open("r+", encoding="utf-8")
            except FileNotFoundError:
                continue
            fcntl.flock(lock, fcntl.LOCK_EX)
            if _is_at(lock, self._lock_path):
                self._lock = lock
            else:
                lock.close()

    def dead(self) -> Iterator[WorkerId]:
        """The others on this host whose process is gone, each once: whoever finds one holds its lock until it is
        forgotten."""
        for path in sorted(self._folder.glob(f"*{self._lock_suffix}")):
            if path == self._lock_path:
                continue
            with suppress(OSError), path.open("r+", encoding="utf-8") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not _is_at(lock, path):
                    continue  # someone else has just seen to it
                gone = WorkerId(path.name.removesuffix(self._lock_suffix))
                yield gone
                untrusted_tree.remove(self._folder / f"{gone}.work")
                path.unlink(missing_ok=True)

    def show_life(self) -> None:
        """For who looks at the file: the process does not hang."""
        with suppress(OSError):
            os.utime(self._lock_path)

    def note_unreleased_jobs(self, jobs: bool, /) -> None:  # noqa: FBT001 - told by the loop as it is
        """Whether jobs are still leased to this process that it could not release."""
        self._has_unreleased_jobs = jobs

    def close(self) -> None:
        untrusted_tree.remove(self.workspace)
        if not self._has_unreleased_jobs:
            self._lock_path.unlink(missing_ok=True)
        # A file that is left without its lock marks a dead process: the next one on this host frees its jobs at once.
        if self._lock is not None:
            self._lock.close()
            self._lock = None


class LivingProcess(NamedTuple):
    """`silent_seconds` is how long ago its heartbeat went on last."""

    id: WorkerId
    silent_seconds: float


def living(folder: Path, *, now: float, host: str | None = None) -> list[LivingProcess]:
    """The processes of workers on this host that hold their locks, by their files in this folder."""
    suffix = f"@{host or this_host()}.lock"
    found = []
    for path in sorted(folder.glob(f"*{suffix}")):
        with suppress(OSError), path.open("r+", encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                silent = max(now - os.fstat(lock.fileno()).st_mtime, 0.0)
                found.append(LivingProcess(WorkerId(path.name.removesuffix(suffix)), silent))
    return found


def _mark_of(machine_id: Path) -> str:
    """Tells machines of one name apart. The id itself is a secret of its machine, and is not told."""
    try:
        secret = machine_id.read_bytes().strip()[:64]
    except OSError:
        return ""
    return hashlib.blake2b(b"blobforge worker", key=secret, digest_size=4).hexdigest() if secret else ""


def _safe(name: str) -> str:
    return _UNSAFE.sub("-", name).strip("-")[:64]


def _is_at(file: IO[str], path: Path) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
