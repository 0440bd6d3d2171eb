"""Packages that only some installations have: who needs one that is missing is told the command that installs it."""

import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from urllib.parse import unquote, urlsplit

from blobforge.domain.errors import InvalidSettings
from blobforge.domain.loose_json import json_in, object_in

_OURS = re.compile(r"'?blobforge(\[[a-z0-9]+\])?'?")
_PIP, _PYTHON = "pip install ", "python -m "


def require_extra(extra: str, package: str, *, user: str) -> None:
    """`user` is what needs the package, for people. Cheap: nothing is imported. Raises InvalidSettings."""
    if find_spec(package) is None:
        raise InvalidSettings(f"{user} needs {package}, which is not installed here; run {command_for(extra)}")


def command_for(extra: str) -> str:
    return as_here(f"pip install 'blobforge[{extra}]'")


def as_here(command: str) -> str:
    """A command of `pip` or `python` as it is to be typed for this installation; any other as it is.

    Where BlobForge was installed from a folder, an extra of it comes from there: no index need have it.
    """
    if command.startswith(_PYTHON):
        return command if pip() == "pip" else f"{quote(sys.executable)} -m {command.removeprefix(_PYTHON)}"
    if not command.startswith(_PIP):
        return command
    wanted = command.removeprefix(_PIP)
    found, folder = _OURS.fullmatch(wanted), folder_installed_from()
    if found is not None and folder is not None:
        wanted = quote(f"{folder}{found[1] or ''}")
    return f"{pip()} install {wanted}"


def pip() -> str:
    """`pip` where a shell finds that of this environment; in most environments it finds another's."""
    if find_spec("pip") is None:
        return f"pip --python {quote(sys.executable)}"
    plain = shutil.which("pip")
    is_ours = plain is not None and Path(plain).parent.resolve() == Path(sys.executable).parent.resolve()
    return "pip" if is_ours else f"{quote(sys.executable)} -m pip"


def folder_installed_from() -> str | None:
    """None where it came from an index, or in a wheel."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return folder_recorded(distribution("blobforge").read_text("direct_url.json"))
    except PackageNotFoundError:
        return None


def folder_recorded(recorded: str | None) -> str | None:
    """By what pip writes down of an installation."""
    facts = object_in(json_in(recorded or ""))
    url = facts.get("url")
    return unquote(urlsplit(url).path) if "dir_info" in facts and isinstance(url, str) else None
