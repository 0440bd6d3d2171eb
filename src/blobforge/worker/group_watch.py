"""Measures what a child and all processes that it started use together, and enforces the limits on it."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from blobforge.domain.errors import MemoryLimit, OutputLimit, ProcessLimit
from blobforge.ports.processor import Task
from blobforge.ports.runtime import Runtime
from blobforge.untrusted_tree import folder_sizes
from blobforge.worker.limits import MEGABYTE, ChildLimits
from blobforge.worker.nameless_files import nameless_files
from blobforge.worker.unknown_children import reap_unknown

CHECK_EVERY_SECONDS = 1.0
_SHARE_OF_TIME = 0.02
"""Checking a workspace with very many files takes long; then the next check comes later."""


class GroupWatch:
    """For one request. `scratch` is all that the child can write to, where that is known."""

    def __init__(self, pid: int, limits: ChildLimits, task: Task, *, scratch: Path | None, runtime: Runtime) -> None:
        self._monotonic = runtime.monotonic
        self._pid = pid
        self._written = scratch or task.workspace
        self._limits = limits
        self._task = task
        self._next_check = self._monotonic() + CHECK_EVERY_SECONDS

    def check(self) -> None:
        """Measures when that is due. Raises MemoryLimit, OutputLimit, ProcessLimit."""
        began = self._monotonic()
        if began < self._next_check:
            return
        self._check_processes()
        ended = self._monotonic()
        self._next_check = ended + max(CHECK_EVERY_SECONDS, (ended - began) / _SHARE_OF_TIME)

    def _check_processes(self) -> None:
        reap_unknown(self._pid)
        limits, use = self._limits, group_use(self._pid, written=self._written)
        if use.processes > limits.processes:
            raise ProcessLimit(
                f"the child and what it started were {use.processes} processes; "
                f"child_processes allows {limits.processes}"
            )
        if use.memory > limits.memory_mb * MEGABYTE:
            raise MemoryLimit(
                f"the child and what it started held {use.memory // MEGABYTE} MB together; "
                f"child_memory_mb (BLOBFORGE_CHILD_MEMORY_MB) allows {limits.memory_mb}"
            )
        self._check_files(use.nameless)

    def _check_files(self, nameless: int) -> None:
        limits = self._limits
        own = sum(folder_sizes(self._written).values()) - self._size_of_source() + nameless
        if own > limits.workspace_mb * MEGABYTE:
            raise OutputLimit(
                f"the child wrote {own // MEGABYTE} MB into its workspace; "
                f"child_workspace_mb allows {limits.workspace_mb}"
            )

    def _size_of_source(self) -> int:
        """Copied there by the parent, so not counted."""
        source: Path = self._task.source
        try:
            return source.stat().st_size if source.parent == self._task.workspace else 0
        except OSError:
            return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupUse:
    """`memory` is what the processes hold for themselves, files in memory and shared memory included; `nameless` are
    files on a disk that were deleted and are still open or mapped: both in bytes."""

    processes: int = 0
    memory: int = 0
    nameless: int = 0


def group_use(pid: int, *, written: Path) -> GroupUse:
    """Of a process and all below it, which write below a folder; nothing where the system does not tell (only Linux
    does)."""
    members = list(_below(pid))
    nameless = nameless_files(members, written)
    return GroupUse(
        processes=len(members),
        memory=sum(map(_own_memory, members)) + sum(nameless.in_memory.values()),
        nameless=sum(nameless.on_disk.values()),
    )


def _below(pid: int) -> Iterator[int]:
    pending = [pid]
    while pending:
        member = pending.pop()
        with suppress(OSError):
            threads = os.listdir(f"/proc/{member}/task")  # noqa: PTH208 - every second, for every child
            yield member
            for thread in threads:
                pending += _children(member, thread)


def _children(member: int, thread: str) -> list[int]:
    try:
        with open(f"/proc/{member}/task/{thread}/children", "rb") as listed:  # noqa: PTH123 - likewise
            return [int(number) for number in listed.read().split()]
    except OSError:
        return []


def _own_memory(pid: int) -> int:
    """Without what is shared with others, such as libraries: that would count once for each process."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as counted:  # noqa: PTH123 - likewise
            _, resident, shared, *_ = map(int, counted.read().split())
    except (OSError, ValueError):
        return 0
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
