"""Every way in which a child can go wrong, on request."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from blobforge.domain.error_codes import all_errors
from blobforge.ports.processor import Progress, Report
from blobforge.processors.echo.options import EchoOptions

_CHUNK = 1 << 16
_SIGN_OF_LIFE_SECONDS = 0.05

_eaten: list[bytearray] = []
"""Held, so that the memory stays in use."""


def misbehave(options: EchoOptions, workspace: Path, report: Report) -> None:
    """All that the options ask for, the deadly last."""
    if options.deaf:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if options.orphan_seconds:
        subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({options.orphan_seconds})"])
    _flood(options.flood_bytes)
    if options.eat_bytes:
        _eaten.append(bytearray(b"\1") * options.eat_bytes)
    _write(workspace / "write_bytes", options.write_bytes)
    _burn(options.burn_seconds)
    _hang(options.hang_seconds, report)
    while options.stall:
        time.sleep(1)
    _end(options)


def crash(options: EchoOptions) -> None:
    os.kill(os.getpid(), options.crash or signal.SIGSEGV)


def _end(options: EchoOptions) -> None:
    if options.fail:
        raise all_errors()[options.fail](f"echo was asked to fail with {options.fail}")
    if options.exit_code >= 0:
        os._exit(options.exit_code)
    if options.crash and not options.crash_unit:
        crash(options)


def _flood(size: int) -> None:
    for stream in (1, 2):
        for start in range(0, size, _CHUNK):
            os.write(stream, b"." * min(_CHUNK, size - start))


def _write(path: Path, size: int) -> None:
    if size:
        with path.open("wb") as file:
            for start in range(0, size, _CHUNK):
                file.write(b"." * min(_CHUNK, size - start))


def _burn(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def _hang(seconds: float, report: Report) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        report(Progress("waiting", 0, 1))
        time.sleep(_SIGN_OF_LIFE_SECONDS)
