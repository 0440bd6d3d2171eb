"""Attempts to do what a child has no business to do, each harmless where it succeeds. They run in a child.

An attempt that returns has succeeded; one that raises OSError was refused. What it is up against is in `Targets`.
"""

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from blobforge.worker.sandbox.system_calls import NUMBERS

BY_FILE = "signal its parent when a file is ready"
"""Whether that went through, only the parent can tell."""


@dataclass(frozen=True)
class Targets:
    """What there is to get at."""

    home: str
    key: str
    database: str
    blob: str
    other_document: str
    tcp_port: int
    udp_port: int
    unix_socket: str
    abstract_socket: str
    neighbour: int
    secret_name: str


Attempt = Callable[[Targets, Path], None]
ATTEMPTS: dict[str, Attempt] = {}


def attempt(name: str) -> Callable[[Attempt], Attempt]:
    def keep(function: Attempt) -> Attempt:
        ATTEMPTS[name] = function
        return function

    return keep


def system_call(name: str, *arguments: object) -> int:
    """Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    result: int = libc.syscall(ctypes.c_long(NUMBERS[os.uname().machine][name]), *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")
    return result


@contextmanager
def suppress_number(number: int) -> Iterator[None]:
    """For a call that fails of its arguments, once it is let through."""
    try:
        yield
    except OSError as error:
        if error.errno != number:
            raise


def in_a_process_of_its_own(act: Callable[[], object]) -> None:
    """For what changes the process that does it. Raises OSError as it did there."""
    pid = os.fork()
    if pid == 0:
        try:
            act()
        except OSError as error:
            os._exit(error.errno or 1)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code:
        raise OSError(code, os.strerror(code))
