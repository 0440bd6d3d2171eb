"""What depends on the machine: where a user's files go, and how many cores may be used."""

import math
import os
import sys
from collections.abc import Mapping
from pathlib import Path

CPU_LIMIT = Path("/sys/fs/cgroup/cpu.max")


def usable_cores(cpu_limit: Path = CPU_LIMIT) -> int:
    """The cores that this process may run on, and no more than its container pays for."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, _paid_for(cpu_limit) or cores))


def data_folder(environ: Mapping[str, str], *, platform: str = sys.platform) -> Path | None:
    """Where the user's data goes; None where no home is known."""
    if folder := _absolute(environ.get("XDG_DATA_HOME")):
        return folder / "blobforge"
    home = _home(environ)
    if home is None:
        return None
    if platform == "darwin":
        return home / "Library" / "Application Support" / "blobforge"
    return home / ".local" / "share" / "blobforge"


def user_file(environ: Mapping[str, str]) -> Path | None:
    """The user's configuration file, whether it is there or not; None where no home is known."""
    home = _home(environ)
    folder = _absolute(environ.get("XDG_CONFIG_HOME")) or (home / ".config" if home else None)
    return folder / "blobforge" / "config.toml" if folder else None


def _paid_for(cpu_limit: Path) -> int | None:
    """A container's limit is `<microseconds> <period>`, or `max <period>` where there is none."""
    try:
        quota, period = cpu_limit.read_text().split()
        return math.ceil(int(quota) / int(period))
    except (OSError, ValueError, ZeroDivisionError):
        return None


def _absolute(text: str | None) -> Path | None:
    # The XDG rules say that a relative path there is to be passed over.
    return Path(text) if text and Path(text).is_absolute() else None


def _home(environ: Mapping[str, str]) -> Path | None:
    if folder := _absolute(environ.get("HOME")):
        return folder
    try:
        return Path.home()
    except RuntimeError:
        return None
