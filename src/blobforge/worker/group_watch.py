"""Keeps a child and all that it started within its limits while it works: what no limit of one process can do."""

import time
from pathlib import Path

from blobforge.domain.errors import MemoryLimit, OutputLimit, ProcessLimit
from blobforge.ports.processor import Task
from blobforge.worker.group import folder_sizes, group_use
from blobforge.worker.limits import MEGABYTE, ChildLimits

LOOK_EVERY_SECONDS = 1.0
_SHARE_OF_TIME = 0.02
"""A look at a workspace with very many files takes long; then the next one comes later."""


class GroupWatch:
    """For one request. `scratch` is all that the child can write to, where that is known."""

    def __init__(self, pid: int, limits: ChildLimits, task: Task, *, scratch: Path | None) -> None:
        self._pid = pid
        self._scratch = scratch
        self._limits = limits
        self._task = task
        self._next_look = time.monotonic() + LOOK_EVERY_SECONDS

    def look(self) -> None:
        """Looks when it is time. Raises MemoryLimit, OutputLimit, ProcessLimit."""
        began = time.monotonic()
        if began < self._next_look:
            return
        self._look_at_processes()
        ended = time.monotonic()
        self._next_look = ended + max(LOOK_EVERY_SECONDS, (ended - began) / _SHARE_OF_TIME)

    def _look_at_processes(self) -> None:
        limits, use = self._limits, group_use(self._pid)
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
        self._look_at_files(use.nameless)

    def _look_at_files(self, nameless: int) -> None:
        limits, written = self._limits, self._scratch or self._task.workspace
        own = sum(folder_sizes(written).values()) - self._size_of_source() + nameless
        if own > limits.workspace_mb * MEGABYTE:
            raise OutputLimit(
                f"the child wrote {own // MEGABYTE} MB into its workspace; "
                f"child_workspace_mb allows {limits.workspace_mb}"
            )

    def _size_of_source(self) -> int:
        """What the parent itself has put there."""
        source: Path = self._task.source
        try:
            return source.stat().st_size if source.parent == self._task.workspace else 0
        except OSError:
            return 0
