"""Packages that only some installations have: who needs one that is missing is told the command that installs it."""

import re
from importlib.util import find_spec
from urllib.parse import unquote, urlsplit

from blobforge.domain.errors import InvalidSettings
from blobforge.domain.loose_json import json_in, object_in

_COMMAND = re.compile(r"pip install 'blobforge\[([a-z0-9]+)\]'")


def require_extra(extra: str, package: str, *, user: str) -> None:
    """`user` is what needs the package, for people. Cheap: nothing is imported. Raises InvalidSettings."""
    if find_spec(package) is None:
        raise InvalidSettings(f"{user} needs {package}, which is not installed here; run {command_for(extra)}")


def command_for(extra: str) -> str:
    return f"pip install 'blobforge[{extra}]'"


def command_from_folder(message: str) -> str | None:
    """For a message that says how to install an extra: the command where BlobForge was installed from a folder."""
    found = _COMMAND.search(message)
    folder = folder_installed_from() if found is not None else None
    return f"pip install '{folder}[{found[1]}]'" if found is not None and folder is not None else None


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
