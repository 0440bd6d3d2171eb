"""What a child may use, and what it may know."""

import os
import re
import resource
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MEGABYTE = 1024 * 1024
_FIRST_TO_GO = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildLimits:
    """The first six bound one request; the last three say when a child has served long enough."""

    memory_mb: int = 2048
    cpu_seconds: float = 3600
    open_files: int = 256
    output_mb: int = 2048
    timeout_seconds: float = 3600
    stall_seconds: float = 300
    max_jobs: int = 1_000
    max_age_seconds: float = 3600
    recycle_mb: int = 600


def apply_limits(limits: ChildLimits) -> None:
    """Called in the child. A limit that the system does not know is left to the parent's clock."""
    _limit(resource.RLIMIT_AS, limits.memory_mb * MEGABYTE)
    _limit(resource.RLIMIT_NOFILE, limits.open_files)
    _limit(resource.RLIMIT_FSIZE, limits.output_mb * MEGABYTE)
    _limit(resource.RLIMIT_CORE, 0)
    # When the machine itself runs out of memory, a child goes before its parent.
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(_FIRST_TO_GO), encoding="ascii")


def allow_cpu_seconds(seconds: float) -> None:
    """Called in the child before each request: so much more processor time than it has used so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def peak_memory() -> int:
    """The most bytes that this process has held in memory."""
    # Not from getrusage where it can be helped: on Linux a new program begins with the peak of whoever started it.
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return peak_of(resource.getrusage(resource.RUSAGE_SELF))


def peak_of(usage: resource.struct_rusage) -> int:
    """The most bytes that a process has held; systems count them in units of their own."""
    return usage.ru_maxrss if os.uname().sysname == "Darwin" else usage.ru_maxrss * 1024


def _limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
    try:
        resource.setrlimit(kind, (allowed, allowed))
    except (ValueError, OSError):
        # macOS refuses an address-space limit below what is mapped already; the child's own watch sees to memory.
        return


_KEPT_NAMES = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TERM"),
        *("TESSDATA_PREFIX", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    }
)
_KEPT_PREFIXES = ("LC_", "XDG_", "PYTHON", "COVERAGE_", "OMP_", "CUDA_", "NVIDIA_", "TORCH", "HF_", "PYTORCH_")
# A proxy's address may name its user; the child goes without.
_URL_PASSWORD = re.compile(r"(?<=://)\S*@")
_SECRET_WORDS = ("SECRET", "TOKEN", "PASSWORD", "PASSWD", "CREDENTIAL", "KEY", "AUTH")


def child_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What a child gets of the parent's environment: what it needs to run, and nothing that looks like a secret."""
    return {
        name: _URL_PASSWORD.sub("", value)
        for name, value in environment.items()
        if (name in _KEPT_NAMES or name.startswith(_KEPT_PREFIXES))
        and not any(word in name.upper() for word in _SECRET_WORDS)
    }
