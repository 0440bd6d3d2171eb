"""The program on a home and folders of its own: as people start it, or in this process, which is quicker."""

import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest
from click.testing import CliRunner, Result

from blobforge.cli.main import cli
from blobforge.clock import SystemClock
from blobforge.coordination.service import CoordinationService
from blobforge.coordination.sql.backend import open_queue
from blobforge.ports.queue_backend import QueueOptions

PROGRAM = Path(sys.executable).with_name("blobforge")
MEASURED = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}
"""For the few processes that show what no other test does."""

PATIENCE_SECONDS = 100
"""Longer than anything here takes on a busy machine; a run that hangs fails by it."""


class Converted(NamedTuple):
    """How a run of `convert --json` ended."""

    code: int
    account: dict[str, Any]
    stderr: str

    @property
    def outcomes(self) -> dict[str, str]:
        """By the name of the document."""
        return {Path(entry["path"]).name: entry["outcome"] for entry in self.account["results"]}

    @property
    def codes(self) -> dict[str, str | None]:
        return {Path(entry["path"]).name: entry["code"] for entry in self.account["results"]}

    def entry(self, name: str) -> dict[str, Any]:
        (found,) = [entry for entry in self.account["results"] if Path(entry["path"]).name == name]
        return dict(found)


class Blobforge:
    """`home` is where queue, store and catalogue are; relative paths are below `cwd`."""

    def __init__(self, cwd: Path, home: Path) -> None:
        self.cwd = cwd
        self.home = home
        self._started: list[subprocess.Popen[Any]] = []

    def environ(self, **extra: str) -> dict[str, str]:
        """One child at a time is enough for most, and the quickest on a busy machine.

        Without what measures coverage, which makes a process three times as slow; other tests measure the same.
        """
        ours = ("BLOBFORGE_", "XDG_", "COVERAGE_")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        return {**clean, "HOME": str(self.cwd), "BLOBFORGE_HOME": str(self.home), "BLOBFORGE_SLOTS": "1", **extra}

    def convert(self, *args: str, **env: str) -> Converted:
        """The account of a run in this process; its children are real ones."""
        done = self.call("convert", *args, "--json", **env)
        return Converted(done.exit_code, json.loads(done.stdout), done.stderr)

    def call(self, *args: str, **env: str) -> Result:
        """The program in this process."""
        log = logging.getLogger("blobforge")
        level = log.level
        try:
            with chdir(self.cwd), patch.dict(os.environ, self.environ(**env), clear=True):
                return CliRunner().invoke(cli, args)
        finally:
            log.setLevel(level)

    def run(self, *args: str, **env: str) -> "subprocess.CompletedProcess[str]":
        """The program as people start it, to its end."""
        return ended(self._open(args, env))

    def start(
        self, *args: str, before: Sequence[str] = (), ignoring: Sequence[signal.Signals] = (), **env: str
    ) -> "subprocess.Popen[str]":
        """The same, to be met on its way."""
        with signals_as_usual(ignoring):
            return self._open(args, env, before=before)

    def _open(
        self, args: Sequence[str], env: Mapping[str, str], *, before: Sequence[str] = ()
    ) -> "subprocess.Popen[str]":
        """In a group of its own, so that a signal to it is to it alone."""
        process = subprocess.Popen(
            [*before, PROGRAM, *args],
            cwd=self.cwd,
            env=self.environ(**env),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.look_after(process)
        return process

    def look_after(self, process: "subprocess.Popen[Any]") -> None:
        """Ends it with the test, should it run for longer."""
        self._started.append(process)

    @contextmanager
    def queue(self) -> Iterator[CoordinationService]:
        """The queue of this home, as another process sees it."""
        opened = open_queue(f"sqlite:///{self.home / 'queue.db'}", QueueOptions())
        try:
            yield CoordinationService(opened.store, clock=SystemClock())
        finally:
            opened.store.close()

    def close(self) -> None:
        """Ends what a test that failed has left behind."""
        for process in self._started:
            with suppress(ProcessLookupError):
                # Its group too: one that is left behind, as the worker of a server, holds the pipes that are read here.
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@contextmanager
def signals_as_usual(ignoring: Sequence[signal.Signals] = ()) -> Iterator[None]:
    """A process that is started here ignores these signals and no others, whatever we ourselves were told to."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    ours = {
        number: signal.signal(number, signal.SIG_IGN if number in ignoring else signal.SIG_DFL) for number in numbers
    }
    try:
        yield
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)


def converted(done: "subprocess.CompletedProcess[str]") -> Converted:
    """Fails unless stdout is one JSON object and nothing else."""
    return Converted(done.returncode, json.loads(done.stdout), done.stderr)


def ended(process: "subprocess.Popen[str]") -> "subprocess.CompletedProcess[str]":
    """Waits for the end of a process that was started."""
    stdout, stderr = process.communicate(timeout=PATIENCE_SECONDS)
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def until(holds: Callable[[], bool]) -> None:
    """For what another process does and nobody tells: looks often, and not for ever."""
    give_up = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < give_up, "it did not happen within a minute"
        time.sleep(0.01)


def children_of(pid: int) -> dict[int, list[str]]:
    """The command lines of all processes below this one, by their id."""
    running = processes()
    below = {pid}
    while more := {child for child, facts in running.items() if facts.parent in below} - below:
        below |= more
    return {child: running[child].command_line for child in below - {pid}}


class ProcessFacts(NamedTuple):
    parent: int
    is_zombie: bool
    command_line: list[str]


def processes() -> dict[int, ProcessFacts]:
    """Everything that runs on this machine, by its id."""
    if not Path("/proc/self/stat").exists():
        pytest.skip("only Linux shows its processes as files")
    found: dict[int, ProcessFacts] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = entry.joinpath("stat").read_text().rpartition(")")[2].split()[:2]
                command_line = entry.joinpath("cmdline").read_bytes().decode(errors="replace").split("\0")
            except (OSError, ValueError):  # it ended while we looked
                continue
            found[int(entry.name)] = ProcessFacts(int(parent), state == "Z", command_line)
    return found


def is_gone(pid: int) -> bool:
    """A zombie that nobody has waited for yet counts as gone."""
    facts = processes().get(pid)
    return facts is None or facts.is_zombie


def files_below(folder: Path) -> list[str]:
    """Every file, hidden ones too, by its relative path."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())
