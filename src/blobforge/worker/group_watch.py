"""Enforces the limits that hold for a child and all processes that it started together."""

from pathlib import Path

from blobforge.domain.errors import MemoryLimit, OutputLimit, ProcessLimit
from blobforge.ports.processor import Task
from blobforge.ports.runtime import Runtime
from blobforge.worker.group import folder_sizes, group_use
from blobforge.worker.limits import MEGABYTE, ChildLimits

CHECK_EVERY_SECONDS = 1.0
_SHARE_OF_TIME = 0.02
"""Checking a workspace with very many files takes long; then the next check comes later."""


class GroupWatch:
    """For one request. `scratch` is all that the child can write to, where that is known."""

    def __init__(self, pid: int, limits: ChildLimits, task: Task, *, scratch: Path | None, runtime: Runtime) -> None:
        self._monotonic = runtime.monotonic
        self._pid = pid
        self._scratch = scratch
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
        limits, use = self._limits, group_use(self._pid)
        if use.processes > limits.processes:
            raise ProcessLimit(
                f"the child and what it started were {use.processes} processes; "
                f"child_processes allows {limits.processes}"
            )
        if use.memory > limits.memory_mb * MEGABYTE:
            raise MemoryLimit(
                f"the child and what it started held {use.memory // MEGABYTE} MB together; "
                f"child_memory_mb allows {limits.memory_mb}"
            )
        self._check_files(use.nameless)

    def _check_files(self, nameless: int) -> None:
        limits, written = self._limits, self._scratch or self._task.workspace
        own = sum(folder_sizes(written).values()) - self._size_of_source() + nameless
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
