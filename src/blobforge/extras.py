"""Packages that only some installations have: who needs one that is missing is told the command that installs it."""

from importlib.util import find_spec

from blobforge.domain.errors import InvalidSettings


def require_extra(extra: str, package: str, *, user: str) -> None:
    """`user` is what needs the package, for people. Cheap: nothing is imported. Raises InvalidSettings."""
    if find_spec(package) is None:
        raise InvalidSettings(f"{user} needs {package}, which is not installed here; run {command_for(extra)}")


def command_for(extra: str) -> str:
    return f"pip install 'blobforge[{extra}]'"
