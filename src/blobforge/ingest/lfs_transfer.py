"""One download by Git LFS, ended when its server sends too much or too slowly: Git LFS itself has no such bounds."""

import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from blobforge.domain.errors import Interrupted, SourceMissing
from blobforge.ingest.processes import said

PATIENCE_SECONDS = 120
"""For the connection, its retries, and whoever types a passphrase."""
SLOWEST = 10_000
"""Bytes in a second."""
ROOM = 1 << 20
LOOK_EVERY_SECONDS = 0.2


class TransferBounds(NamedTuple):
    """`size` is what the pointer names; `stopped` says whether somebody has ended the run."""

    size: int
    stopped: Callable[[], bool]


def smudge(
    command: Sequence[str],
    text: bytes,
    target: Path,
    *,
    scratch: Path,
    environ: Mapping[str, str],
    bounds: TransferBounds,
) -> str:
    """Writes what the text of a pointer names into `target`. What went wrong, if anything did.

    Raises SourceMissing, Interrupted.
    """
    with target.open("wb") as file, TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                command, cwd=scratch, env=environ, stdin=subprocess.PIPE, stdout=file, stderr=errors
            )
        except FileNotFoundError as error:
            raise SourceMissing("git is not installed") from error
        with process, _ended(process):
            if process.stdin is not None:
                with suppress(BrokenPipeError), process.stdin:
                    process.stdin.write(text)
            _wait(process, bounds, scratch)
        errors.seek(0)
        return said(errors.read())


def _wait(process: "subprocess.Popen[bytes]", bounds: TransferBounds, scratch: Path) -> None:
    size, stopped = bounds
    patience = PATIENCE_SECONDS + size // SLOWEST
    deadline = time.monotonic() + patience
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=LOOK_EVERY_SECONDS)
            return
        if stopped():
            raise Interrupted("the download was ended")
        # A part that is begun again lies beside the one before.
        if sum(_sizes(scratch)) > 2 * size + ROOM:
            raise SourceMissing(f"the server sent more than the {size} bytes that the pointer names; the rest was left")
        if time.monotonic() > deadline:
            raise SourceMissing(f"the server took longer than {patience} s for {size} bytes; try again later")


@contextmanager
def _ended(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """On SIGTERM git ends what it has started, and waits for it; on SIGKILL it cannot."""
    try:
        yield
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
        process.kill()


def _sizes(folder: Path) -> Iterator[int]:
    for path in folder.rglob("*"):
        with suppress(OSError):
            yield path.stat().st_size
