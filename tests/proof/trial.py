"""Plants a trace into a copy of the source, and checks whether the proof notices."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.mutants.mutant import SOURCE
from tests.proof.traces import Trace

ROOT = SOURCE.parent
LIMIT_SECONDS = 900.0


class Trial(NamedTuple):
    caught_by: str | None
    seconds: float
    trouble: str | None = None


def copied(folder: Path) -> Path:
    """The source as it is now; later edits do not matter."""
    shutil.copytree(SOURCE, folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "src"


def tried_out(trace: Trace, source: Path) -> Trial:
    begun = time.monotonic()
    try:
        with _planted(trace, source):
            caught_by = _explored(trace, source) if trace.pairs else _tested(trace, source)
    except (ValueError, subprocess.SubprocessError) as error:
        return Trial(None, time.monotonic() - begun, str(error))
    return Trial(caught_by, time.monotonic() - begun)


@contextmanager
def _planted(trace: Trace, source: Path) -> Iterator[None]:
    honest = {mutant.path(source): mutant.path(source).read_text() for mutant in trace.mutants}
    try:
        for mutant in trace.mutants:
            path = mutant.path(source)
            path.write_text(mutant.applied(path.read_text()))
        yield
    finally:
        for path, text in honest.items():
            path.write_text(text)


def _explored(trace: Trace, source: Path) -> str | None:
    command = [sys.executable, "-m", "tests.proof", "pairs", "--json"]
    for pair in trace.pairs:
        command += ["--only", str(pair)]
    answer = _run(command, source)
    found = [json.loads(line) for line in answer.stdout.splitlines() if line.startswith("{")]
    if not found:
        raise ValueError(f"the exploration said nothing: {answer.stderr[-300:]}")
    return next((f"{one['pair']}: {one['complaint']}" for one in found if one["complaint"]), None)


def _tested(trace: Trace, source: Path) -> str | None:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--timeout=60", *trace.tests]
    answer = _run(command, source)
    failed = [line.split()[1] for line in answer.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if answer.returncode == 1 and failed:
        return failed[0]
    if answer.returncode != 0:
        raise ValueError(f"the tests could not run: {answer.stdout[-300:]}")
    return None


def _run(command: list[str], source: Path) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
    )
