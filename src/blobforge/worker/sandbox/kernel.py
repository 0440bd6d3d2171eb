"""The few calls to Linux that Python has no names for. Each raises OSError."""

import ctypes
import os
import platform
import sys

from blobforge.worker.sandbox.system_calls import NUMBERS

_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_CAPABILITY_VERSION_3 = 0x20080522
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2
# What may be read and written is Landlock's matter; a package folder that only these open must stay readable.
_KEPT_CAPABILITIES = (1 << CAP_DAC_OVERRIDE) | (1 << CAP_DAC_READ_SEARCH)


def machine() -> str:
    return platform.machine()


def is_known() -> bool:
    """Whether this is a system whose calls are in the tables here."""
    return sys.platform == "linux" and machine() in NUMBERS and sys.maxsize > 2**32


def call(name: str, *arguments: "int | ctypes.Array[ctypes.c_char] | ctypes.Structure | None") -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    passed = [
        ctypes.c_long(argument)
        if isinstance(argument, int)
        else ctypes.c_void_p(None)
        if argument is None
        else ctypes.byref(argument)
        for argument in arguments
    ]
    result: int = libc.syscall(ctypes.c_long(NUMBERS[machine()][name]), *passed)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def forbid_new_privileges() -> None:
    """From here on no program that is started gets more rights than its starter has, whoever owns it."""
    call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def adopt_orphans() -> None:
    """What a program of this process leaves behind becomes this process's own, and is found below it."""
    call("prctl", _PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def forbid_inspection() -> None:
    """Other processes of the same user can then read neither this one's memory nor its environment."""
    call("prctl", _PR_SET_DUMPABLE, 0, 0, 0, 0)


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Capabilities(ctypes.Structure):
    _fields_ = tuple(
        (f"{kind}_{half}", ctypes.c_uint32) for half in (0, 1) for kind in ("effective", "permitted", "inheritable")
    )


def drop_capabilities() -> None:
    """All of root's powers but that over files, which Landlock bounds."""
    header = _CapabilityHeader(_CAPABILITY_VERSION_3, 0)
    held = _Capabilities()
    call("capget", header, held)
    for kind in ("effective", "permitted", "inheritable"):
        setattr(held, f"{kind}_0", getattr(held, f"{kind}_0") & _KEPT_CAPABILITIES)
        setattr(held, f"{kind}_1", 0)
    call("capset", header, held)
