"""The environment as a source of settings, and the names in it that are not ours to read."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from blobforge.config.catalog import PREFIX, Setting, catalog
from blobforge.config.reading import Given, Layer, Provenance, ReadSettings, did_you_mean
from blobforge.domain.errors import InvalidSettings
from blobforge.telemetry.safe_text import is_secret_name


class Reserved(NamedTuple):
    """A name that the documents fix for a part that is not there yet."""

    name: str
    missing: str


_SIGN_IN = "server with sign-in"

RESERVED: tuple[Reserved, ...] = tuple(
    Reserved(f"BLOBFORGE_OIDC_{name}", _SIGN_IN)
    for name in ("ISSUER", "CLIENT_ID", "CLIENT_SECRET", "REDIRECT_URL", "ALLOWED_GROUPS", "ADMIN_GROUPS")
)

FILE = "_FILE"

_FOR_TESTS = re.compile(r"BLOBFORGE_TEST_\w+")
# Kubernetes puts the address of every service into every container: a service named `blobforge-server` makes
# BLOBFORGE_SERVER_SERVICE_HOST, BLOBFORGE_SERVER_PORT=tcp://10.0.0.1:80 and BLOBFORGE_SERVER_PORT_80_TCP_ADDR.
_OF_A_SERVICE = re.compile(
    r"BLOBFORGE(_\w+)?_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)"
)
_PORT_OF_A_SERVICE = re.compile(r"BLOBFORGE(_\w+)?_PORT")
_ADDRESS = re.compile(r"(tcp|udp|sctp)://")


def read_environment(environ: Mapping[str, str]) -> ReadSettings:
    """What the environment sets. An empty value counts as unset, as a line of a compose file leaves it."""
    ours = {name: value for name, value in environ.items() if name.startswith(PREFIX) and value.strip()}
    ours = {name: value for name, value in ours.items() if not _is_foreign(name, value)}
    given: dict[str, Given] = {}
    doubts: list[str] = []
    refused = list(_read_secret_files(ours))
    for setting in catalog():
        doubts += _take(setting, ours, given)
    known = {name for setting in catalog() for name in (setting.environment, *setting.aliases)}
    others = {name: ours[name] for name in sorted(ours) if name not in known}
    reserved = {entry.name: entry for entry in RESERVED}
    doubts += [_not_there_yet(reserved[name]) for name in others if name in reserved]
    doubts += [_unknown(name, known) for name in others if name not in reserved]
    return ReadSettings(given=given, refused=tuple(refused), doubts=tuple(doubts))


def _read_secret_files(ours: dict[str, str]) -> Iterator[str]:
    """A secret may lie in a file that the variable with `_FILE` names, as orchestrators mount them; what is wrong."""
    for setting in catalog():
        for name in (setting.environment, *setting.aliases):
            path = ours.pop(f"{name}{FILE}", None) if is_secret_name(setting.name) else None
            if path is None or name in ours:
                continue
            try:
                ours[name] = secret_in_file(name, path)
            except InvalidSettings as error:
                yield str(error)


def secret_in_file(name: str, path: str) -> str:
    """What the variable `name` would hold. Raises InvalidSettings."""
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except UnicodeDecodeError as error:
        # What is there may be a secret all the same: no byte of it is shown.
        raise InvalidSettings(f"environment {name}{FILE}: {path} cannot be read: it is no UTF-8 text") from error
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or error
        raise InvalidSettings(f"environment {name}{FILE}: {path} cannot be read: {told}") from error


def _take(setting: Setting, ours: Mapping[str, str], given: dict[str, Given]) -> Iterator[str]:
    names = [name for name in (setting.environment, *setting.aliases) if name in ours]
    if not names:
        return
    first, *later = names
    given[setting.name] = Given(ours[first].strip(), Provenance(Layer.ENVIRONMENT, first))
    for name in later:
        if ours[name] != ours[first]:
            yield f"environment {name}: it means the same as {first}, which is set to another value and is used"


def _is_foreign(name: str, value: str) -> bool:
    if _FOR_TESTS.fullmatch(name) or _OF_A_SERVICE.fullmatch(name):
        return True
    return bool(_PORT_OF_A_SERVICE.fullmatch(name) and _ADDRESS.match(value))


def _not_there_yet(reserved: Reserved) -> str:
    return f"environment {reserved.name}: this version has no {reserved.missing} yet"


def _unknown(name: str, known: set[str]) -> str:
    return f"environment {name}: no such setting{did_you_mean(name, known)}"
