"""Landlock: which files a process and all that it starts may touch, and whom it may reach."""

import ctypes
import os
from collections.abc import Iterable
from contextlib import suppress
from enum import IntFlag
from pathlib import Path
from stat import S_ISDIR
from typing import Final

from blobforge.worker.sandbox import kernel

_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1
_NET_BIND_AND_CONNECT_TCP = 0b11
_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11

ABI_WITH_TRUNCATE, ABI_WITH_TCP, ABI_WITH_SCOPES = 3, 4, 6


class Right(IntFlag):
    """As in linux/landlock.h."""

    EXECUTE = 1 << 0
    WRITE_FILE = 1 << 1
    READ_FILE = 1 << 2
    READ_DIR = 1 << 3
    REMOVE_DIR = 1 << 4
    REMOVE_FILE = 1 << 5
    MAKE_CHAR = 1 << 6
    MAKE_DIR = 1 << 7
    MAKE_REG = 1 << 8
    MAKE_SOCK = 1 << 9
    MAKE_FIFO = 1 << 10
    MAKE_BLOCK = 1 << 11
    MAKE_SYM = 1 << 12
    REFER = 1 << 13
    TRUNCATE = 1 << 14
    IOCTL_DEV = 1 << 15


READ: Final = Right.READ_FILE | Right.READ_DIR
RUN: Final = READ | Right.EXECUTE
USE: Final = Right.READ_FILE | Right.WRITE_FILE | Right.IOCTL_DEV
# No links, pipes or sockets: the parent follows and reads what it finds there. Nothing written there can be run.
WORK: Final = (
    READ
    | Right.WRITE_FILE
    | Right.TRUNCATE
    | Right.REFER
    | Right.MAKE_REG
    | Right.MAKE_DIR
    | Right.REMOVE_FILE
    | Right.REMOVE_DIR
)
_OF_FILES = Right.EXECUTE | Right.WRITE_FILE | Right.READ_FILE | Right.TRUNCATE | Right.IOCTL_DEV
_SINCE: Final = {Right.REFER: 2, Right.TRUNCATE: ABI_WITH_TRUNCATE, Right.IOCTL_DEV: 5}


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def abi() -> int:
    """The version of what the kernel gives; 0 where it gives nothing."""
    if not kernel.is_known():
        return 0
    try:
        return kernel.call("landlock_create_ruleset", None, 0, _CREATE_RULESET_VERSION)
    except OSError:
        return 0


def known_rights(version: int) -> Right:
    every = Right(0)
    for right in Right:
        if _SINCE.get(right, 1) <= version:
            every |= right
    return every


def restrict(allowed: Iterable[tuple[Path, Right]], *, version: int) -> None:
    """Whatever is not allowed here is refused to this thread and to all that it starts, for ever.

    A path that is not there is left out. Raises OSError.
    """
    handled = known_rights(version)
    ruleset = kernel.call("landlock_create_ruleset", _ruleset(handled, version), ctypes.sizeof(_Ruleset), 0)
    try:
        for path, rights in allowed:
            with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
                _allow(ruleset, path, rights & handled)
        kernel.call("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)


def _ruleset(handled: Right, version: int) -> _Ruleset:
    return _Ruleset(
        files=int(handled),
        network=_NET_BIND_AND_CONNECT_TCP if version >= ABI_WITH_TCP else 0,
        scoped=_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS if version >= ABI_WITH_SCOPES else 0,
    )


def _allow(ruleset: int, path: Path, rights: Right) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not S_ISDIR(os.fstat(place).st_mode):
            rights &= _OF_FILES
        kernel.call(
            "landlock_add_rule", ruleset, _RULE_PATH_BENEATH, _PathBeneath(allowed=int(rights), parent=place), 0
        )
    finally:
        os.close(place)
