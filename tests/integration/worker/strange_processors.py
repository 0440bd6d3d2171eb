"""Processors that do, in a child, what echo cannot be asked for. Most take their orders from the source's bytes."""

import ctypes
import errno
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from stat import S_ISFIFO

from blobforge.domain.errors import NotAPdf
from blobforge.domain.json_value import JsonObject
from blobforge.ports.processor import Gap, Plan, ProcessorInfo, Product, Progress, Report, Slice, Task
from blobforge.processors.echo.plugin import EchoProcessor

MODULE = "tests.integration.worker.strange_processors"
FOREVER = 3600


def tell(report: Report, what: str, number: int) -> None:
    """A number for the test: progress that is complete is never held back."""
    report(Progress(what, number, number))


def answer_pipes() -> list[int]:
    """Whatever can be written to beyond the standard streams: only the pipe for answers."""
    found = []
    for descriptor in range(3, 20):
        try:
            os.write(descriptor, b"")
        except OSError:
            continue
        found.append(descriptor)
    return found


def request_pipes() -> list[int]:
    """The other pipes, but for the lifeline, which has a high number."""
    found = []
    for descriptor in set(range(3, 20)) - set(answer_pipes()):
        with suppress(OSError):
            if S_ISFIFO(os.fstat(descriptor).st_mode):
                found.append(descriptor)
    return found


class Confession(EchoProcessor):
    """Tells all that it knows of itself and its surroundings."""

    def join(self, task: Task, plan: Plan, gaps: Sequence[Gap], report: Report) -> Product:
        product = super().join(task, plan, gaps, report)
        known: JsonObject = {
            "pid": os.getpid(),
            "group": os.getpgrp(),
            "session": os.getsid(0),
            "environ": dict(os.environ),
            "argv": sys.orig_argv,
            "secrets": dict(task.secrets),
            "open_files": self._open_files(),
            "limits": {
                name: resource.getrlimit(getattr(resource, name))
                for name in ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_CORE")
            },
            "first_to_go": int(Path("/proc/self/oom_score_adj").read_text()) if sys.platform == "linux" else 500,
            "path": sys.path,
        }
        return Product(archive=product.archive, summary={**product.summary, **known})

    def _open_files(self) -> list[int]:
        listed = []
        for descriptor in range(1024):
            try:
                os.fstat(descriptor)
            except OSError:
                continue
            listed.append(descriptor)
        return listed


class Copyist(EchoProcessor):
    """Makes files in its workspace in the ways that care for times, by itself and by a program."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        first, second, third = (task.workspace / name for name in ("first", "second", "third"))
        first.touch()
        first.touch()
        shutil.copy2(task.source, second)
        subprocess.run(["touch", third], check=True)
        tell(report, "made", sum(path.exists() for path in (first, second, third)))
        super().run(task, plan, part, report)


class Sleeper(EchoProcessor):
    """Tells its number, and goes on giving signs of life."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        tell(report, "child", os.getpid())
        while True:
            time.sleep(0.05)
            report(Progress("waiting", 0, 1))


class Grandparent(EchoProcessor):
    """Starts a program, tells both numbers, and waits without a word."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        program = subprocess.Popen(["sleep", str(FOREVER)])
        tell(report, "grandchild", program.pid)
        tell(report, "child", os.getpid())
        time.sleep(FOREVER)


class DeafGrandparent(EchoProcessor):
    """The same, in a native call that never lets go of the interpreter, and with every signal ignored that can be."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        for number in (signal.SIGIO, signal.SIGHUP, signal.SIGPIPE, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        program = subprocess.Popen(["sleep", str(FOREVER)])
        tell(report, "grandchild", program.pid)
        tell(report, "child", os.getpid())
        ctypes.PyDLL(None).sleep(FOREVER)


class LoudOrphans(EchoProcessor):
    """Leaves a program behind that fills the child's standard error for ever, and dies."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        program = subprocess.Popen(["yes"], stdout=2)
        tell(report, "grandchild", program.pid)
        os.kill(os.getpid(), signal.SIGSEGV)


class Forker(EchoProcessor):
    """A fork, which holds all pipes open, outlives the child."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        if os.fork() == 0:
            signal.pause()
        os._exit(9)


class Babbler(EchoProcessor):
    """Writes the source's bytes into the pipe for answers."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        for descriptor in answer_pipes():
            with os.fdopen(descriptor, "wb", closefd=False) as pipe:
                pipe.write(task.source.read_bytes())
        time.sleep(FOREVER)


class EndlessLine(EchoProcessor):
    """An answer that never ends."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        pipe = answer_pipes()[0]
        while True:
            os.write(pipe, b"[" * 65536)


class Quitter(EchoProcessor):
    """Closes the pipe for answers and lives on."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        for descriptor in answer_pipes():
            os.close(descriptor)
        time.sleep(FOREVER)


class Printer(EchoProcessor):
    """Prints in every way there is, and reads its standard input; itself, and by a program."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        sys.stdout.write("from Python\n")
        os.write(1, b"from C\n")
        subprocess.run(["echo", "from a program"], check=True)
        assert sys.stdin.read() == ""
        assert subprocess.run(["cat"], stdout=subprocess.PIPE, check=True).stdout == b""
        super().run(task, plan, part, report)


class LastWords(EchoProcessor):
    """Prints the source and dies, if it says so."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        text = task.source.read_bytes()
        sys.stderr.buffer.write(text)
        sys.stderr.buffer.flush()
        if text.startswith(b"die"):
            os.kill(os.getpid(), signal.SIGSEGV)
        super().run(task, plan, part, report)


class LetterBox(EchoProcessor):
    """Writes into the file that the source names: /dev/full is a disk without space."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        with Path(task.source.read_text()).open("wb") as file:
            file.write(b"x" * 65536)
        super().run(task, plan, part, report)


class Refuser(EchoProcessor):
    """Raises the error of the number that the source names."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        number = getattr(errno, task.source.read_text())
        raise OSError(number, os.strerror(number))


class Clumsy(EchoProcessor):
    """Raises, and gives the password away."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        raise RuntimeError(f"could not open it with {task.secrets['password']}")


class Unspeakable(EchoProcessor):
    """A result that is no JSON."""

    def join(self, task: Task, plan: Plan, gaps: Sequence[Gap], report: Report) -> Product:
        product = super().join(task, plan, gaps, report)
        return Product(archive=product.archive, summary={"where": product.archive})  # type: ignore[dict-item]


class Thief(EchoProcessor):
    """Names the source itself as its result."""

    def join(self, task: Task, plan: Plan, gaps: Sequence[Gap], report: Report) -> Product:
        return Product(archive=task.source, summary={})


class Editor(EchoProcessor):
    """Changes the source while it reads it, as its owner may."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        super().run(task, plan, part, report)
        task.source.write_bytes(b"something else")


class NoUnits(EchoProcessor):
    """Nothing to cut; the first join of a child dies."""

    def plan(self, task: Task) -> Plan:
        return Plan(slices=())

    def join(self, task: Task, plan: Plan, gaps: Sequence[Gap], report: Report) -> Product:
        before = task.workspace / "been here"
        if not before.exists():
            before.touch()
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().join(task, plan, gaps, report)


class Gourmand(EchoProcessor):
    """Eats more memory than there is at the page that the source names; Python tells it in time."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        if part.first <= int(task.source.read_text()) <= part.last:
            raise MemoryError
        super().run(task, plan, part, report)


class Mortal(EchoProcessor):
    """Dies on every page."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        tell(report, "child", os.getpid())
        os.kill(os.getpid(), signal.SIGSEGV)


class Uneven(EchoProcessor):
    """The first slice is refused; the others would take for ever."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        begun = task.workspace / "others have begun"
        if part.first > 1:
            tell(report, "child", os.getpid())
            begun.touch()
            time.sleep(FOREVER)
        while not begun.exists():
            time.sleep(0.01)
        raise ValueError("not this one")


class Nightcap(EchoProcessor):
    """Dies in its sleep, when it is done."""

    def join(self, task: Task, plan: Plan, gaps: Sequence[Gap], report: Report) -> Product:
        tell(report, "child", os.getpid())
        threading.Timer(0.05, os._exit, args=(1,)).start()
        return super().join(task, plan, gaps, report)


class Chorus(EchoProcessor):
    """Its slices wait for each other: one child alone never ends."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        tell(report, "child", os.getpid())
        (task.workspace / f"here-{part.first}").touch()
        while not all((task.workspace / f"here-{other.first}").exists() for other in plan.slices):
            time.sleep(0.01)
        super().run(task, plan, part, report)


class Dam(EchoProcessor):
    """From the slice that its option `fail_unit` names, it waits until the file is there that the source names."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        while part.first >= int(str(task.options["fail_unit"])) and not Path(task.source.read_text()).exists():
            time.sleep(0.01)
        super().run(task, plan, part, report)


class Snoop(EchoProcessor):
    """Looks for the password in every file that it can find."""

    def join(self, task: Task, plan: Plan, gaps: Sequence[Gap], report: Report) -> Product:
        password = task.secrets["password"].encode()
        product = super().join(task, plan, gaps, report)
        files = [path for path in task.workspace.parent.rglob("*") if path.is_file()]
        places = [*files, Path("/proc/self/environ"), Path("/proc/self/cmdline")]
        found = [str(path) for path in places if path.exists() and password in path.read_bytes()]
        return Product(archive=product.archive, summary={"found": found, "known": len(password), "files": len(files)})


def slow_to_load() -> EchoProcessor:
    """Prints more than a pipe holds and never comes back; it has read only a part of its request by then."""
    for descriptor in request_pipes():
        os.read(descriptor, 10_000)
    sys.stderr.write("x" * 200_000)
    time.sleep(FOREVER)
    return EchoProcessor()


def deaf() -> EchoProcessor:
    """Closes the pipe for requests, and lives on."""
    for descriptor in request_pipes():
        os.close(descriptor)
    time.sleep(FOREVER)
    return EchoProcessor()


def missing_library() -> EchoProcessor:
    raise ImportError("libhorn.so: cannot open shared object file")


def facts(summary: JsonObject) -> JsonObject:
    """As they come back through JSON."""
    parsed: JsonObject = json.loads(json.dumps(summary))
    return parsed


class Discreet(EchoProcessor):
    """Whose documents are nobody's business; the source says how it goes wrong."""

    @property
    def info(self) -> ProcessorInfo:
        return replace(super().info, discreet=True)

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        words = task.source.read_text()
        sys.stderr.write(words)
        sys.stderr.flush()
        if words.startswith("raise"):
            raise ValueError(words)
        if words.startswith("open"):
            Path(words).read_bytes()
        if words.startswith("refuse"):
            try:
                raise ValueError(words)
            except ValueError as error:
                raise NotAPdf("this is not a PDF") from error
        os.kill(os.getpid(), signal.SIGKILL)
