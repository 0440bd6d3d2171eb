"""One download by Git LFS, ended when its server sends too much or too slowly: Git LFS itself has no such bounds."""

import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile

from blobforge.domain.errors import SourceMissing
from blobforge.ingest.processes import said

PATIENCE_SECONDS = 120
"""For the connection, its retries, and whoever types a passphrase."""
SLOWEST = 10_000
"""Bytes in a second."""
ROOM = 1 << 20
LOOK_EVERY_SECONDS = 0.2


def smudge(
    command: Sequence[str], text: bytes, target: Path, *, size: int, scratch: Path, environ: Mapping[str, str]
) -> str:
    """Writes what the text of a pointer names into `target`; `size` is what it shall have. What went wrong, if anything
    did. Raises SourceMissing."""
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
            _wait(process, size, scratch)
        errors.seek(0)
        return said(errors.read())


def _wait(process: "subprocess.Popen[bytes]", size: int, scratch: Path) -> None:
    patience = PATIENCE_SECONDS + size // SLOWEST
    deadline = time.monotonic() + patience
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=LOOK_EVERY_SECONDS)
            return
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
