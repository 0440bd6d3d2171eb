"""Calls of the program: in this process, as a real one, and in a terminal of a given width."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner, Result

from blobforge.cli.main import cli

PROGRAM = Path(sys.executable).with_name("blobforge")

Call = Callable[..., Result]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


class Screen(NamedTuple):
    """What a terminal got on stdout, line by line."""

    lines: list[str]
    code: int


Terminal = Callable[..., Screen]


@pytest.fixture(autouse=True)
def clean_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith(("BLOBFORGE_", "XDG_", "NO_COLOR", "_BLOBFORGE")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def call() -> Call:
    """The program in this process."""

    def invoke(*args: str) -> Result:
        return CliRunner().invoke(cli, list(args))

    return invoke


@pytest.fixture
def run() -> Run:
    """The program as people start it."""

    def start(*args: str, **env: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [str(PROGRAM), *args], capture_output=True, text=True, env={**os.environ, **env}, timeout=60
        )

    return start


@pytest.fixture
def terminal() -> Terminal:
    """The program with its stdout on a terminal."""

    def start(*args: str, columns: int = 80, **env: str) -> Screen:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environ = {**os.environ, "TERM": "xterm", **env}
        environ.pop("COLUMNS", None)
        process = subprocess.Popen(
            [str(PROGRAM), *args], stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL, env=environ
        )
        os.close(theirs)
        text = _everything(ours)
        return Screen(text.replace("\r\n", "\n").splitlines(), process.wait(timeout=60))

    return start


def _everything(descriptor: int) -> str:
    parts = []
    with os.fdopen(descriptor, "rb", buffering=0) as stream:
        while True:
            try:
                part = stream.read(65536)
            except OSError:  # Linux says EIO when the other side is closed
                break
            if not part:
                break
            parts.append(part)
    return b"".join(parts).decode()
