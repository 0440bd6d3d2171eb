"""Processors that take more than they may, in ways that no limit of one process sees."""

import ctypes
import mmap
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

from blobforge.ports.processor import Plan, Progress, Report, Slice, Task
from blobforge.processors.echo.plugin import EchoProcessor
from blobforge.worker.sandbox.system_calls import NUMBERS

MODULE = "tests.integration.worker.greedy_processors"
MEGABYTE = 1024 * 1024


def wait_for_the_end(report: Report) -> None:
    while True:
        time.sleep(0.05)
        report(Progress("waiting", 0, 1))


class Crowd(EchoProcessor):
    """Twelve processes, each of which asks for little."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        for _ in range(12):
            if os.fork() == 0:
                signal.pause()
        wait_for_the_end(report)


class Orphans(EchoProcessor):
    """The same, and nobody's children any more: the process that started them is gone."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        for _ in range(12):
            starter = os.fork()
            if starter == 0:
                if os.fork():
                    os._exit(0)
                signal.pause()
            os.waitpid(starter, 0)
        wait_for_the_end(report)


class Foundlings(EchoProcessor):
    """Makes children of its parent: some end at once, and one with this process. Works until it is told to end."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        make_a_child_of_its_parent(signal.pause)
        for _ in range(20):
            make_a_child_of_its_parent(lambda: None)
        while not (task.workspace / "end").exists():
            time.sleep(0.05)
            report(Progress("waiting", 0, 1))
        super().run(task, plan, part, report)


def make_a_child_of_its_parent(act: Callable[[], object]) -> None:
    of_its_parent, end_of_child = 0x8000, 17
    pid = ctypes.CDLL(None).syscall(NUMBERS[os.uname().machine]["clone"], of_its_parent | end_of_child, 0, 0, 0, 0)
    if pid == 0:
        act()
        os._exit(0)
    assert pid > 0, "only a sandbox refuses this"


class Eaters(EchoProcessor):
    """Four programs that hold 100 MB each."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        eat = "held = bytearray(b'x') * 100_000_000; import time; time.sleep(3600)"
        for _ in range(4):
            subprocess.Popen([sys.executable, "-c", eat])
        wait_for_the_end(report)


class FileInMemory(EchoProcessor):
    """300 MB that belong to no process, and to no disk."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        file = os.memfd_create("hoard")
        for _ in range(300):
            os.write(file, bytes(MEGABYTE))
        wait_for_the_end(report)


class SharedMemory(EchoProcessor):
    """Six processes with 100 MB each that would count as somebody else's."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        for _ in range(6):
            if os.fork() == 0:
                held = mmap.mmap(-1, 100 * MEGABYTE)
                for _ in range(100):
                    held.write(bytes(MEGABYTE))
                signal.pause()
        wait_for_the_end(report)


class MappedFiles(EchoProcessor):
    """100 MB on the disk that nobody has open, nor can find."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        held = []
        for number in range(10):
            path = task.workspace / f"{number}"
            with path.open("wb+") as file:
                file.write(bytes(10 * MEGABYTE))
                file.flush()
                address = libc().mmap(None, 10 * MEGABYTE, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
                held.append(address)
            path.unlink()
        wait_for_the_end(report)


def libc() -> ctypes.CDLL:
    """Its mmap, unlike Python's, keeps no descriptor of the file."""
    library = ctypes.CDLL(None)
    library.mmap.restype = ctypes.c_void_p
    return library


class ManyFiles(EchoProcessor):
    """None of them is large."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        for number in range(100):
            (task.workspace / f"{number}").write_bytes(bytes(MEGABYTE))
        wait_for_the_end(report)


class DeletedFiles(EchoProcessor):
    """As many, which no look at its folder finds."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        for number in range(100):
            file = os.open(task.workspace / f"{number}", os.O_CREAT | os.O_WRONLY)
            os.write(file, bytes(MEGABYTE))
            os.unlink(task.workspace / f"{number}")  # noqa: PTH108 - beside the calls above
        wait_for_the_end(report)


class FilesElsewhere(EchoProcessor):
    """As many, beside its workspace."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        folder = task.workspace.parent / "astray"
        folder.mkdir()
        for number in range(100):
            (folder / f"{number}").write_bytes(bytes(MEGABYTE))
        wait_for_the_end(report)
