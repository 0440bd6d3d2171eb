"""The identity of a worker's process, by which others on the same system can see whether it has ended."""

import hashlib
import os
import socket
from functools import cache
from pathlib import Path

from blobforge.domain.worker_report import ProcessIdentity

PROC = Path("/proc")
_BOOT = PROC / "sys" / "kernel" / "random" / "boot_id"
_STARTED = 19
"""The place of a process's start in its `stat`, behind the name, which may have spaces and brackets in it."""


@cache
def own_system() -> str:
    """The same for all processes that see each other by their numbers, and for no others: a host since its start, and
    within it a namespace of process numbers. Empty where the system does not tell."""
    try:
        told = f"{socket.gethostname()} {_BOOT.read_text().strip()} {(PROC / 'self/ns/pid').readlink()}"
    except OSError:
        return ""
    return hashlib.blake2b(told.encode(), digest_size=8).hexdigest()


def this_process() -> ProcessIdentity:
    pid = os.getpid()
    return ProcessIdentity(system=own_system(), pid=pid, started=_started(pid) or 0)


def has_ended(mark: ProcessIdentity) -> bool | None:
    """None where that cannot be seen from here. A number that was given to another process since then is seen by when
    that one was started."""
    if not mark.system or mark.system != own_system() or not mark.started:
        return None
    return _started(mark.pid) != mark.started


def _started(pid: int) -> int | None:
    """In ticks since the start of the system; None for a process that is not there, or has ended and waits for its
    parent."""
    try:
        told = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        state, *rest = told.rpartition(")")[2].split()
        return None if state in "ZX" else int(rest[_STARTED - 1])
    except (OSError, ValueError, IndexError):
        return None
