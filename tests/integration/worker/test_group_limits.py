"""A child and all that it started, held to its limits as one."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.integration.worker import greedy_processors as greedy
from tests.integration.worker.workbench import PATH, a_task, ask, has_ended

from blobforge.domain.errors import MemoryLimit, OutputLimit, ProcessLimit
from blobforge.processors.echo.plugin import EchoProcessor
from blobforge.worker import group_watch
from blobforge.worker.child import Child, ChildSpec
from blobforge.worker.limits import ChildLimits
from blobforge.worker.sandbox.policy import SandboxPolicy
from blobforge.worker.sandbox.support import sandbox_support

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a group holds")


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_watch, "CHECK_EVERY_SECONDS", 0.1)
    monkeypatch.setattr("blobforge.worker.child.CHECK_EVERY_SECONDS", 0.1)


def run(processor: type[EchoProcessor], folder: Path, **limits: Any) -> None:
    support = sandbox_support()
    policy = SandboxPolicy(landlock=support.landlock, seccomp=support.seccomp, scratch=str(folder))
    child = Child(
        ChildSpec(
            factory=f"{greedy.MODULE}:{processor.__name__}",
            limits=ChildLimits(**limits),
            environment={"PYTHONPATH": PATH},
            sandbox=policy if support.is_whole else None,
        )
    )
    task = a_task(folder)
    staged = task.source.rename(task.workspace / "source")
    try:
        ask(child, replace(task, source=staged))
    finally:
        child.close()
        assert has_ended(child.pid)


@linux
@pytest.mark.parametrize("processor", [greedy.Crowd, greedy.Orphans])
def test_a_fork_bomb_is_ended_as_soon_as_it_is_seen(processor: type[EchoProcessor], tmp_path: Path) -> None:
    with pytest.raises(ProcessLimit, match=r"were \d+ processes; child_processes allows 8"):
        run(processor, tmp_path, processes=8)


@linux
def test_programs_that_hold_too_much_together_are_ended(tmp_path: Path) -> None:
    with pytest.raises(MemoryLimit, match=r"held \d+ MB together; child_memory_mb .* allows 250"):
        run(greedy.Eaters, tmp_path, memory_mb=250)


@linux
def test_a_file_in_memory_counts_as_memory(tmp_path: Path) -> None:
    with pytest.raises(MemoryLimit, match=r"held \d+ MB together"):
        run(greedy.FileInMemory, tmp_path, memory_mb=250)


@linux
def test_memory_that_processes_share_counts_as_memory(tmp_path: Path) -> None:
    with pytest.raises(MemoryLimit, match=r"held \d+ MB together"):
        run(greedy.SharedMemory, tmp_path, memory_mb=250)


@linux
def test_a_disk_is_not_filled_with_files_that_are_only_mapped(tmp_path: Path) -> None:
    with pytest.raises(OutputLimit, match=r"wrote \d+ MB into its workspace"):
        run(greedy.MappedFiles, tmp_path, workspace_mb=64)


def test_a_disk_is_not_filled_with_many_files(tmp_path: Path) -> None:
    with pytest.raises(OutputLimit, match=r"wrote \d+ MB into its workspace; child_workspace_mb allows 64"):
        run(greedy.ManyFiles, tmp_path, workspace_mb=64)


@linux
def test_a_disk_is_not_filled_with_deleted_files(tmp_path: Path) -> None:
    with pytest.raises(OutputLimit, match=r"wrote \d+ MB into its workspace"):
        run(greedy.DeletedFiles, tmp_path, workspace_mb=64)


@linux
def test_a_disk_is_not_filled_beside_the_workspace(tmp_path: Path) -> None:
    with pytest.raises(OutputLimit, match=r"wrote \d+ MB into its workspace"):
        run(greedy.FilesElsewhere, tmp_path, workspace_mb=64)
