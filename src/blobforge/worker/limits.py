"""What a child may use."""

import os
import resource
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MEGABYTE = 1024 * 1024
_FIRST_TO_GO = 500
_SPARE_TASKS = 1024
"""The system counts all threads of all processes of a user, and does not count root's: this limit keeps a fork bomb
from filling the machine before the parent sees it. How many processes a child may have is the parent's to count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildLimits:
    """The last three say when a child has served long enough; the others bound one request. `memory_mb` holds for each
    process and for the group of them."""

    memory_mb: int = 2048
    cpu_seconds: float = 3600
    open_files: int = 256
    output_mb: int = 2048
    processes: int = 64
    workspace_mb: int = 8192
    timeout_seconds: float = 3600
    retry_timed_out: bool = False
    document_cpu_seconds: float = 14_400
    pages: int = 50_000
    pictures: int = 50_000
    stall_seconds: float = 300
    max_jobs: int = 1_000
    max_age_seconds: float = 3600
    recycle_mb: int = 600


def apply_limits(limits: ChildLimits) -> None:
    """Called in the child. A limit that the system does not know is left to the parent's clock."""
    _limit(resource.RLIMIT_AS, limits.memory_mb * MEGABYTE)
    _limit(resource.RLIMIT_NOFILE, limits.open_files)
    _limit(resource.RLIMIT_FSIZE, limits.output_mb * MEGABYTE)
    _limit(resource.RLIMIT_CORE, 0)
    if tasks := _tasks_of_this_user():
        _limit(resource.RLIMIT_NPROC, tasks + _SPARE_TASKS)
    # When the machine itself runs out of memory, a child goes before its parent.
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(_FIRST_TO_GO), encoding="ascii")


def allow_cpu_seconds(seconds: float) -> None:
    """Called in the child before each request: so much more processor time than it has used so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def used_cpu_seconds() -> float:
    """Processor time of this process and of those that it started and that have ended."""
    spent = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in spent)


def peak_memory() -> int:
    """The most bytes that this process has held in memory."""
    # Not from getrusage where it can be helped: on Linux a new program begins with the peak of whoever started it.
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return peak_of(resource.getrusage(resource.RUSAGE_SELF))


def peak_of(usage: resource.struct_rusage) -> int:
    """The most bytes that a process has held; systems count them in units of their own."""
    return usage.ru_maxrss if os.uname().sysname == "Darwin" else usage.ru_maxrss * 1024


def _tasks_of_this_user() -> int:
    """How many threads of this user there are by now; 0 where the system does not tell."""
    user, total = os.getuid(), 0
    try:
        with os.scandir("/proc") as entries:
            for entry in entries:
                with suppress(OSError):
                    if entry.name.isdigit() and entry.stat().st_uid == user:
                        total += os.stat(f"{entry.path}/task").st_nlink - 2  # noqa: PTH116 - once for each process
    except OSError:
        return 0
    return total


def _limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
    try:
        resource.setrlimit(kind, (allowed, allowed))
    except (ValueError, OSError):
        # macOS refuses an address-space limit below what is mapped already; the child's own watch sees to memory.
        return
