"""Text made safe to show: no secrets, no characters that steer a terminal."""

import re

from blobforge.domain.addresses import MASK, shown_address

__all__ = ["MASK", "is_secret_name", "on_one_line", "without_passwords"]

# Without the sign that ends a clause or a quotation, which is no part of a host or a port.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S*[^\s\"'),.;:>]")
_SECRET_NAME = re.compile(
    r"(?i)passw(or)?d|passphrase|secret|token|api_?key|access_?key|authorization|cookie|credential"
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def without_passwords(text: str) -> str:
    """Of texts that others wrote: the passwords in their URLs are masked. Our own texts hold none to begin with."""
    return _URL.sub(lambda found: shown_address(found[0]), text)


def is_secret_name(name: str) -> bool:
    return _SECRET_NAME.search(name) is not None


def on_one_line(text: str) -> str:
    """The text with control characters written out, so that a file's name cannot move the cursor or fake a line."""
    return _CONTROL.sub(_written_out, text)


def _written_out(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
