"""How long a command takes to start and how much memory it holds, beside a bare import of its largest library."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.harness import Measure, interleaved

TIMES = 9
MOST = 2.5
"""`list` on SQLite may take so many times what the import of SQLAlchemy alone takes."""


def measures() -> Iterator[Measure]:
    with TemporaryDirectory() as folder:
        home = Path(folder)
        blobforge = (sys.executable, "-m", "blobforge")
        commands = {
            "import": (sys.executable, "-c", "import sqlalchemy"),
            "list": (*blobforge, "list"),
            "help": (*blobforge, "--help"),
            "bare": (sys.executable, "-c", "import click"),
        }
        _seconds(commands["list"], home)  # makes the queue
        contestants = [lambda command=command: _seconds(command, home) for command in commands.values()]
        seconds = dict(zip(commands, interleaved(contestants, repetitions=TIMES), strict=True))
        peaks = {name: _peak_mb(command, home) for name, command in commands.items()}
    yield _ratio("list on SQLite, time", seconds["list"], seconds["import"], "s", "import sqlalchemy", goal=MOST)
    yield _ratio("list on SQLite, memory", peaks["list"], peaks["import"], "MB", "import sqlalchemy", goal=MOST)
    yield _ratio("--help, time", seconds["help"], seconds["bare"], "s", "import click", goal=MOST)
    yield _ratio("--help, memory", peaks["help"], peaks["bare"], "MB", "import click", goal=MOST)


def _ratio(what: str, value: float, beside: float, unit: str, other: str, *, goal: float) -> Measure:
    details = f"{value:.3g} {unit}; {other}: {beside:.3g} {unit}"
    return Measure(what=what, value=value / beside, unit="times", goal=goal, better="less", details=details)


def _seconds(command: Sequence[str], home: Path) -> float:
    began = time.perf_counter()
    subprocess.run(command, env=_environment(home), check=True, capture_output=True)
    return time.perf_counter() - began


def _peak_mb(command: Sequence[str], home: Path) -> float:
    # By a small process between: what this one holds would count as the child's until it is another program.
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, capture_output=True); "
    code += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    told = subprocess.run(
        [sys.executable, "-c", code, *command], env=_environment(home), check=True, capture_output=True, text=True
    )
    # Linux tells kilobytes, macOS bytes.
    return int(told.stdout) / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _environment(home: Path) -> dict[str, str]:
    return {**os.environ, "BLOBFORGE_HOME": str(home)}
