"""Processors that were taken over by a document: they know all that their child knows, and use it."""

import ctypes
import fcntl
import os
import socket
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from tests.integration.worker.greedy_processors import wait_for_the_end
from tests.integration.worker.strange_processors import answer_pipes, tell

from blobforge.domain.job import Failure
from blobforge.ports.processor import Gap, Plan, Product, Progress, Report, Slice, Task
from blobforge.processors.echo.plugin import EchoProcessor
from blobforge.worker.limits import MEGABYTE
from blobforge.worker.messages import Refused, Reply, encode_reply

PR_SET_PDEATHSIG = 1


def say(text: bytes) -> None:
    """Past all that would put it into the right form."""
    for descriptor in answer_pipes():
        os.write(descriptor, text)


def request_id() -> str:
    """Of what the child was asked: it lies in the frames of whoever called."""
    frame = sys._getframe()
    while "request" not in frame.f_locals:
        assert frame.f_back is not None, "a processor is called with a request"
        frame = frame.f_back
    return str(frame.f_locals["request"].id)


class EarlyAnswer(EchoProcessor):
    """Answers in the middle of its work, and again at its end."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        super().run(task, plan, part, report)
        forged = Refused(Failure("made_up", "forged", retryable=False), "", spent=False)
        say(encode_reply(Reply(forged, 1), to=request_id()))


class Squatter(EchoProcessor):
    """Keeps a way into each place that it worked in, and tells how many of the earlier ones it can still write to."""

    def __init__(self) -> None:
        self._folders: list[int] = []

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        reached = sum(map(_can_make_a_file_at, self._folders))
        tell(report, "reached", reached)
        self._folders.append(os.open(task.workspace, os.O_RDONLY))
        super().run(task, plan, part, report)


class Vandal(EchoProcessor):
    """Takes its own workspace away."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        task.workspace.rename(task.workspace.with_name("gone"))
        report(Progress("gone", 1, 1))


class Hoarder(EchoProcessor):
    """Leaves files beside its workspace, and in the places that may be those of the next ones."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        for name in ("astray", *map(str, range(1000))):
            task.workspace.with_name(name).mkdir(exist_ok=True)
            (task.workspace.with_name(name) / "file").write_text("planted")
        (task.workspace / "file").unlink()
        super().run(task, plan, part, report)


class Nester(EchoProcessor):
    """Makes so many folders in folders that whoever goes down into them one by one is lost; then it does as its source
    says."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        here = Path.cwd()
        os.chdir(tempfile.mkdtemp(dir=task.workspace))
        for _ in range(1800):
            os.mkdir("a")  # noqa: PTH102 - beside the next one
            os.chdir("a")
        os.chdir(here)
        if task.source.read_bytes() == b"waits":
            wait_for_the_end(report)
        super().run(task, plan, part, report)


class Hider(EchoProcessor):
    """Fills the disk in a folder that lets only itself in."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        hidden = Path(tempfile.mkdtemp(dir=task.workspace)) / "hidden"
        hidden.mkdir(mode=0o300)
        for number in range(100):
            (hidden / f"{number}").write_bytes(bytes(MEGABYTE))
        wait_for_the_end(report)


class Liar(EchoProcessor):
    """Makes a result that is none, as its source says."""

    def join(self, task: Task, plan: Plan, gaps: Sequence[Gap], report: Report) -> Product:
        made = super().join(task, plan, gaps, report)
        match task.source.read_text():
            case "a name with a null character":
                return replace(made, archive=task.workspace / "a\0b")
            case "a long name":
                return replace(made, archive=task.workspace / ("a" * 5000))
            case "nothing":
                made.archive.unlink()
            case "no zip":
                made.archive.write_bytes(b"no zip")
            case "a bomb":
                with zipfile.ZipFile(made.archive, "a", zipfile.ZIP_DEFLATED) as archive:
                    archive.writestr("more", bytes(80 * MEGABYTE))
            case "a long account":
                return replace(made, summary={"notes": "a" * MEGABYTE})
        return made


class Meddler(EchoProcessor):
    """Keeps its results open, and writes to the earlier ones when it gets the next document."""

    def __init__(self) -> None:
        self._results: list[int] = []

    def join(self, task: Task, plan: Plan, gaps: Sequence[Gap], report: Report) -> Product:
        made = super().join(task, plan, gaps, report)
        for result in self._results:
            os.pwrite(result, b"OWNED" * 20, 0)
        self._results.append(os.open(made.archive, os.O_RDWR))
        return made


class Survivor(EchoProcessor):
    """Undoes all by which it would end with its parent, as its source says, and becomes another program."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0)
        undo = {"switch off": _switch_off, "close": os.close, "copy": _switch_off_a_copy, "pass on": _switch_off_passed}
        kept = {2, *answer_pipes()}
        for descriptor in set(map(int, os.listdir("/proc/self/fd"))) - kept:  # noqa: PTH208
            with suppress(OSError):
                undo[task.source.read_text()](descriptor)
        tell(report, "child", os.getpid())
        os.execv("/bin/sleep", ["sleep", "600"])


def _switch_off(descriptor: int) -> None:
    fcntl.fcntl(descriptor, fcntl.F_SETFL, 0)
    fcntl.fcntl(descriptor, fcntl.F_SETOWN, 0)


def _switch_off_a_copy(descriptor: int) -> None:
    _switch_off(os.dup(descriptor))


def _switch_off_passed(descriptor: int) -> None:
    here, there = socket.socketpair()
    socket.send_fds(here, [b"x"], [descriptor])
    _, (passed, *_), _, _ = socket.recv_fds(there, 1, 1)
    _switch_off(passed)


def _can_make_a_file_at(folder: int) -> bool:
    try:
        os.close(os.open("planted", os.O_CREAT | os.O_WRONLY, dir_fd=folder))
    except OSError:
        return False
    return True
