"""Addresses as they may be shown: URLs with everything but their secrets, however badly they are written."""

import re
from urllib.parse import urlsplit

MASK = "***"

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_AS_SCP = re.compile(r"[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:[^@]*")
_PLAIN_USER = re.compile(r"[A-Za-z0-9_.+-]*")
_HIDDEN = r"(?:passw|pwd|secret|token|(?:api|access|private|client|server)_?key|signature|credential)"
_PARAMETER = re.compile(
    rf"(?is)([?&;#][^=&;\s]*{_HIDDEN}[^=&;\s]*=)"
    # With what follows an "&" and is no parameter itself: it is the rest of a secret that was not escaped.
    r"[^&]*(?:&[^=&]*(?=&|$))*"
)
_KEYWORD = re.compile(rf"(?is)((?<!\w)\w*{_HIDDEN}\w*['\"]?\s*[=:]\s*).*")
"""As libpq has it, `host=h password=p`. What follows is hidden too: a password may hold spaces."""
_LARGE_PORT = re.compile(r"(?:^|@)[A-Za-z0-9.-]+:[0-9]{1,5}$")
_END_OF_AUTHORITY = re.compile(r"[/?#]")
_UNSAFE_IN_USER = re.compile(r"[][@\s]")
_OF_FILES = ("file", "sqlite")
"""They have no users, and "@" and ":" in names of files."""
_WITH_TOKENS = ("http", "https")
"""Where a user name alone may be the secret itself, as with servers of Git."""


def is_readable(address: str) -> bool:
    """Whether it is clear where user and password end. A driver that guesses takes parts of a password for the host or
    the port, and prints them."""
    return _is_clear(address) and _port_is_valid(address)


def _port_is_valid(address: str) -> bool:
    try:
        _ = urlsplit(address).port
    except ValueError:
        return False
    return True


def _is_clear(address: str) -> bool:
    """Where user and password end. A port that is too large hides nothing; a longer number may be a password."""
    found = _SCHEME.fullmatch(address)
    if found is None:
        return False
    scheme, rest = found.groups()
    if not _port_is_valid(address) and not _LARGE_PORT.search(_authority(rest)):
        return False
    user, _, _ = _authority(rest).rpartition("@")
    # An "@" behind the host may be the one before it.
    before, at, _ = rest.rpartition("@")
    is_torn = at and before != user and ":" in before and scheme.lower() not in _OF_FILES
    return not is_torn and not _UNSAFE_IN_USER.search(user)


def has_dot_parts(path: str) -> bool:
    """Whether a part of it is . or .., which those who send an address take away: it would name another place."""
    return not {".", ".."}.isdisjoint(path.split("/"))


def shown_address(address: str) -> str:
    """Without its password. In doubt more is hidden rather than less."""
    found = _SCHEME.fullmatch(address)
    if found is None:
        is_harmless = "@" not in address or _AS_SCP.fullmatch(address)
        return _without_keywords(_without_parameters(address)) if is_harmless else MASK
    scheme, rest = found.groups()
    if not _is_clear(address):
        return f"{scheme}://{MASK}"
    user, at, _ = _authority(rest).rpartition("@")
    if at:
        rest = _shown_user(scheme, user) + rest[len(user) :]
    return f"{scheme}://{_without_parameters(rest)}"


def shown_value(text: str) -> str:
    """Of what ought to be no address at all, and may be one that was put into the wrong place."""
    if _SCHEME.fullmatch(text):
        return shown_address(text)
    before, at, _ = text.rpartition("@")
    return MASK if "://" in text or (at and ":" in before) else _without_keywords(text)


def _authority(rest: str) -> str:
    return _END_OF_AUTHORITY.split(rest, maxsplit=1)[0]


def _without_parameters(text: str) -> str:
    return _PARAMETER.sub(rf"\1{MASK}", text)


def _without_keywords(text: str) -> str:
    return _KEYWORD.sub(rf"\1{MASK}", text)


def _shown_user(scheme: str, user: str) -> str:
    name, colon, _ = user.partition(":")
    if not _PLAIN_USER.fullmatch(name) or (not colon and scheme.lower() in _WITH_TOKENS):
        return MASK
    return f"{name}:{MASK}" if colon else name
