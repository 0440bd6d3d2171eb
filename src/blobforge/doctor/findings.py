"""What a check found, and what to do about it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from blobforge.domain.errors import BlobForgeError


class Verdict(StrEnum):
    OK = "ok"
    WARNING = "warning"
    """Something will be missing or slow."""
    PROBLEM = "problem"
    """Something will not work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    name: str
    verdict: Verdict
    message: str


def finding_of(name: str, check: Callable[[], Finding]) -> Finding:
    """What the check finds; what it raises is a problem."""
    try:
        return check()
    except BlobForgeError as error:
        return problem(name, error)
    except OSError as error:
        return Finding(name=name, verdict=Verdict.PROBLEM, message=_told(error))


def _told(error: OSError) -> str:
    if error.strerror is None:
        return str(error)
    return f"{error.filename}: {error.strerror}" if error.filename else error.strerror


def problem(name: str, error: BlobForgeError) -> Finding:
    return Finding(name=name, verdict=Verdict.PROBLEM, message=f"{error} [{error.code}]")
