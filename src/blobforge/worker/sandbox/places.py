"""What a child needs to do its work: the places that it may read, and the one where it may write."""

import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from blobforge.worker.sandbox.landlock import READ, RUN, USE, WORK, Right
from blobforge.worker.sandbox.policy import SandboxPolicy

PROGRAMS: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store", "/snap")
_FOLDERS_OF_PROGRAMS: Final = frozenset(
    {*PROGRAMS, "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/libexec", "/usr/games", "/usr/local/bin", "/usr/local/sbin"}
)
# Of /etc only what everyone reads: the rest has keys in it.
SYSTEM_FILES: Final = (
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/alternatives"),
    *("/etc/fonts", "/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/mime.types", "/etc/papersize"),
    *("/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/os-release", "/etc/debian_version"),
    *("/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/OpenCL", "/etc/magic"),
    *("/var/cache/fontconfig", "/sys/devices/system/cpu", "/sys/devices/system/node"),
    *("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/filesystems", "/proc/version"),
    *("/proc/sys/vm/overcommit_memory", "/proc/sys/kernel/osrelease", "/proc/self"),
)
DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def allowed_paths(policy: SandboxPolicy, environment: Mapping[str, str]) -> Iterator[tuple[Path, Right]]:
    """In the child itself: it knows where its packages are."""
    kept = [_real(path) for path in (*policy.private, policy.scratch)]
    private = [*kept, *(_real(home) for home in filter(None, [environment.get("HOME")]))]
    for place in (*_packages(), *_listed(environment, "PATH", "LD_LIBRARY_PATH", "TESSDATA_PREFIX")):
        if _is_narrow(place, private):
            yield place, RUN
    for program in PROGRAMS:
        yield from ((place, RUN) for place in _without(Path(program), private))
    yield from ((Path(place), READ) for place in SYSTEM_FILES)
    yield from ((Path(place), USE) for place in DEVICES)
    for asked_for in policy.readable:
        rights = USE if _is_device(asked_for) else RUN
        yield from ((place, rights) for place in _without(Path(asked_for), kept))
    yield Path(policy.scratch), WORK


def _packages() -> Iterator[Path]:
    prefixes = (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix)
    paths = (*prefixes, *sysconfig.get_paths().values(), *sys.path)
    yield from (Path(path).absolute() for path in dict.fromkeys(filter(None, paths)))


def _listed(environment: Mapping[str, str], *names: str) -> Iterator[Path]:
    for name in names:
        yield from (Path(path) for path in environment.get(name, "").split(os.pathsep) if path.startswith("/"))


def _is_narrow(place: Path, private: Iterable[Path]) -> bool:
    """Whether it is a folder of packages and programs, and not one that holds people's files besides."""
    real = _real(place)
    return real != Path("/") and not any(path.is_relative_to(real) for path in private)


def _without(place: Path, private: Sequence[Path]) -> Iterator[Path]:
    """The place itself, or all that is in it but what is private: Landlock knows no exceptions."""
    real = _real(place)
    # A home that is a folder of programs is that of a system's user, and holds nothing private.
    within = [path for path in private if path.is_relative_to(real) and str(path) not in _FOLDERS_OF_PROGRAMS]
    if not within:
        yield place
        return
    with suppress(OSError):
        for entry in sorted(real.iterdir()):
            # A link would give what it leads to, which has its own place or none.
            if entry not in within and not entry.is_symlink():
                yield from _without(entry, within)


def _real(place: Path | str) -> Path:
    # A URL with a slash too many names a path that begins with two, which are kept and compare as another place.
    return Path("/" + str(Path(place).resolve()).lstrip("/"))


def _is_device(place: str) -> bool:
    return place.startswith("/dev/")
