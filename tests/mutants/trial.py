"""Runs the tests on a copy of the source with one mutant in it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psycopg
from tests.mutants.mutant import SOURCE, Mutant

ROOT = SOURCE.parent
LIMIT_SECONDS = 300.0
TEST_SECONDS = 40
"""No honest test takes so long; a mutant that waits for ever does."""
ENDING_SECONDS = 30.0
"""After the verdict, to let go of servers and folders."""

TOO_LONG = "the time limit"


class Trial(NamedTuple):
    """`caught_by` is the test that failed, or nothing; `trouble` says why there was no trial at all."""

    caught_by: str | None
    seconds: float
    trouble: str | None = None


class Bench:
    """A copy of the source and its tests, in which one mutant at a time is planted; later edits do not matter."""

    def __init__(self, folder: Path, *, postgres_url: str) -> None:
        self._folder = folder
        self._source = folder / "src"
        self._verdict = folder / "verdict.json"
        self._output = folder / "output.txt"
        self._postgres_url = postgres_url
        # With the times of the files, so that what Python has compiled stays of use.
        for name in ("src", "tests"):
            shutil.copytree(ROOT / name, folder / name)
        shutil.copy2(ROOT / "pyproject.toml", folder)

    def try_out(self, mutant: Mutant) -> Trial:
        with self._planted(mutant):
            return self._run(mutant.tests, mutant.module)

    def try_without(self, tests: tuple[str, ...]) -> Trial:
        """The honest source, whose tests must pass: else nothing is proved."""
        return self._run(tests, "")

    @contextmanager
    def _planted(self, mutant: Mutant) -> Iterator[None]:
        path = mutant.path(self._source)
        honest = path.read_text()
        path.write_text(mutant.applied(honest))
        try:
            yield
        finally:
            path.write_text(honest)

    def _run(self, tests: tuple[str, ...], module: str) -> Trial:
        trial = self._run_once(tests, module)
        # What cannot even begin may have been disturbed: a busy machine may keep a server from starting in time.
        return self._run_once(tests, module) if trial.trouble else trial

    def _run_once(self, tests: tuple[str, ...], module: str) -> Trial:
        self._verdict.unlink(missing_ok=True)
        begun = time.monotonic()
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "tests.mutants.witness"]
        with self._output.open("w") as output:
            process = subprocess.Popen(
                [*command, f"--timeout={TEST_SECONDS}", *tests],
                cwd=self._folder,
                env=self._environment(module),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            is_over = self._wait(process)
        finally:
            self._drop_databases(process.pid)
        return self._judge(process.returncode if is_over else None, time.monotonic() - begun)

    def _environment(self, module: str) -> dict[str, str]:
        return {
            **os.environ,
            "PYTHONPATH": str(self._source),
            # Python tells changed files by their second: a mutant must not live on in what was compiled.
            "PYTHONDONTWRITEBYTECODE": "1",
            "BLOBFORGE_TEST_POSTGRES": self._postgres_url,
            "BLOBFORGE_TEST_SOURCE": str(self._source),
            "BLOBFORGE_TEST_MODULE": module,
            "BLOBFORGE_TEST_VERDICT": str(self._verdict),
        }

    def _wait(self, process: "subprocess.Popen[bytes]") -> bool:
        """Whether it ended by itself. A mutant may leave threads behind that never end."""
        give_up = time.monotonic() + LIMIT_SECONDS
        ending = False
        while time.monotonic() < give_up:
            try:
                process.wait(timeout=0.1)
            except subprocess.TimeoutExpired:
                if self._verdict.exists() and not ending:
                    ending, give_up = True, time.monotonic() + ENDING_SECONDS
            else:
                return True
        _end(process)
        return False

    def _judge(self, code: int | None, seconds: float) -> Trial:
        if self._verdict.exists():
            verdict = json.loads(self._verdict.read_text())
            if verdict["when"] == "setup":
                return Trial(None, seconds, f"{verdict['test']} could not even begin: {self._last_line()}")
            return Trial(verdict["test"], seconds)
        if code is None:
            return Trial(TOO_LONG, seconds)
        return Trial(None, seconds, None if code == 0 else self._last_line())

    def _last_line(self) -> str:
        lines = [line for line in self._output.read_text().splitlines() if line.strip()]
        return " / ".join(lines[-2:]) or "it said nothing"

    def _drop_databases(self, pid: int) -> None:
        """Hundreds of runs would fill the disk."""
        with psycopg.connect(self._postgres_url, autocommit=True) as connection:
            names = connection.execute("SELECT datname FROM pg_database WHERE datname LIKE %s", (f"test_{pid}_%",))
            for (name,) in names.fetchall():
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Asked first, so that pytest lets go of its servers."""
    for how, patience in ((signal.SIGINT, 10.0), (signal.SIGKILL, None)):
        os.killpg(process.pid, how)
        try:
            process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            continue
        return
