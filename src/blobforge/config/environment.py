"""The environment as a source of settings, and the names in it that are not ours to read."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from blobforge.config.catalog import PREFIX, Setting, catalog
from blobforge.config.reading import Given, Layer, Provenance, ReadSettings, did_you_mean


class Reserved(NamedTuple):
    """A name that the documents fix for a part that is not there yet.

    `decides` means that to go on without that part would put data into the wrong place.
    """

    name: str
    missing: str
    instead: str = ""
    decides: bool = False


_SERVER = "server"
_SIGN_IN = "server with sign-in"

RESERVED: tuple[Reserved, ...] = (
    Reserved("BLOBFORGE_SERVER_URL", _SERVER, "unset it, and name a queue in BLOBFORGE_QUEUE", decides=True),
    Reserved("BLOBFORGE_WORKER_SECRET", _SERVER),
    Reserved("BLOBFORGE_PORT", _SERVER),
    Reserved("BLOBFORGE_DB_PATH", _SERVER, "BLOBFORGE_QUEUE=sqlite:///PATH says where the queue is"),
    Reserved("BLOBFORGE_WORKER_TIMEOUT", _SERVER, "BLOBFORGE_LEASE_SECONDS frees the jobs of lost workers"),
    *(
        Reserved(f"BLOBFORGE_OIDC_{name}", _SIGN_IN)
        for name in ("ISSUER", "CLIENT_ID", "CLIENT_SECRET", "REDIRECT_URL", "ALLOWED_GROUPS", "ADMIN_GROUPS")
    ),
)

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
    given: dict[str, Given] = {}
    doubts: list[str] = []
    for setting in catalog():
        doubts += _take(setting, ours, given)
    known = {name for setting in catalog() for name in (setting.environment, *setting.aliases)}
    others = {name: ours[name] for name in sorted(ours) if name not in known and not _is_foreign(name, ours[name])}
    reserved = {entry.name: entry for entry in RESERVED}
    refused = [_not_there_yet(reserved[name]) for name in others if name in reserved and reserved[name].decides]
    doubts += [_not_there_yet(reserved[name]) for name in others if name in reserved and not reserved[name].decides]
    doubts += [_unknown(name, known) for name in others if name not in reserved]
    return ReadSettings(given=given, refused=tuple(refused), doubts=tuple(doubts))


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
    instead = f"; {reserved.instead}" if reserved.instead else ""
    return f"environment {reserved.name}: this version has no {reserved.missing} yet{instead}"


def _unknown(name: str, known: set[str]) -> str:
    return f"environment {name}: no such setting{did_you_mean(name, known)}"
