"""A worker that has done a lot holds no more than one that has done little."""

import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from tests.integration.worker.greedy_processors import Foundlings
from tests.integration.worker.site import Site
from tests.integration.worker.workbench import Start, a_task, ask, open_files

from blobforge.ports.processor import Progress
from blobforge.worker.observer import Tally

MEGABYTE = 1024 * 1024


def resident_memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def child_processes() -> set[str]:
    """Of this process, dead ones that nobody has waited for included."""
    found: set[str] = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError):  # a thread that ended while we looked
            found.update((task / "children").read_text().split())
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_150_documents_and_30_children_leave_no_file_open_no_zombie_and_no_memory(site: Site) -> None:
    for number in range(20):
        site.submit(f"warm-up {number}")
    site.drain(slots=2, limits={"max_jobs": 5})
    files, memory, children = open_files(), resident_memory(), child_processes()

    for number in range(150):
        site.submit(f"document {number}")
    tally = site.drain(slots=2, prefetch=2, limits={"max_jobs": 5})

    assert tally == Tally(completed=150)
    assert open_files() == files
    assert resident_memory() - memory < 20 * MEGABYTE
    assert child_processes() == children


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_children_that_die_leave_no_file_open_and_no_zombie(site: Site) -> None:
    files, children = open_files(), child_processes()

    site.submit("crash", max_attempts=1, crash=11)
    site.submit("exit", max_attempts=1, exit_code=1)
    site.submit("flood", max_attempts=1, flood_bytes=40_000_000)
    tally = site.drain(slots=2)

    assert tally == Tally(failed=3)
    assert open_files() == files
    assert child_processes() == children


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can make them")
def test_children_that_a_child_makes_for_its_parent_are_no_zombies_while_it_works_nor_after(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a sandbox, which refuses them."""
    monkeypatch.setattr("blobforge.worker.group_watch.CHECK_EVERY_SECONDS", 0.1)
    monkeypatch.setattr("blobforge.worker.child.CHECK_EVERY_SECONDS", 0.1)
    before = child_processes()
    child, task = start(Foundlings), a_task(tmp_path)
    it_and_one_that_runs = 2

    def end_when_only_these_are_left(_: Progress) -> None:
        if len(child_processes() - before) == it_and_one_that_runs:
            (task.workspace / "end").touch()

    ask(child, task, on_progress=end_when_only_these_are_left)
    child.close()

    assert child_processes() == before
