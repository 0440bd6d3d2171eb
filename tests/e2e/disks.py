"""Small disks that can be filled, and a program that permissions hold for."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.parts import requires


class Disk:
    """A disk of its own, mounted at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ballast = path / ".ballast"

    def fill(self, *, leave: int = 0) -> None:
        """Leaves so many bytes, in whole blocks of 4 KiB."""
        with self._ballast.open("wb") as ballast:
            size = shutil.disk_usage(self.path).free - leave
            os.posix_fallocate(ballast.fileno(), 0, size)

    def free(self) -> None:
        self._ballast.unlink()


@contextmanager
def small_disk(path: Path, *, kilobytes: int) -> Iterator[Disk]:
    path.mkdir(exist_ok=True)
    options = f"size={kilobytes}k,mode=755"
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", path], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")
    try:
        yield Disk(path)
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)


def bound_by_permissions() -> list[str]:
    """What to put before a command so that it cannot read what its user may not: root can, unless it is told not to."""
    if os.geteuid() != 0:
        return []
    powers = "-dac_override,-dac_read_search"
    before = [requires("setpriv"), f"--bounding-set={powers}", f"--inh-caps={powers}"]
    if subprocess.run([*before, "true"], capture_output=True).returncode != 0:
        pytest.skip("root cannot be bound by permissions here")
    return before
