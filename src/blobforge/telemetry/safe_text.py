"""Text made safe to show: no secrets, no characters that steer a terminal."""

import re

from blobforge.domain.addresses import MASK, shown_address

__all__ = ["MASK", "as_text", "is_secret_name", "on_one_line", "without_passwords"]

# Without the sign that ends a clause or a quotation, which is no part of a host or a port.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S*[^\s\"'),.;:>]")
_SECRET_NAME = re.compile(
    r"(?i)passw(or)?d|passphrase|secret|token|api_?key|access_?key|authorization|cookie|credential"
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


_NO_TEXT = re.compile(r"[\ud800-\udfff]")
_FIRST_OF_BYTES = 0xDC00
"""Python reads the byte 0xE9 in a file's name that is no UTF-8 as the lone surrogate U+DCE9."""


def as_text(text: str) -> str:
    """Valid text: bytes of a file's name that are none are written out, `caf\\xe9.pdf`, as jobs have them."""
    return _NO_TEXT.sub(_shown_byte, text)


def _shown_byte(match: re.Match[str]) -> str:
    byte = ord(match[0]) - _FIRST_OF_BYTES
    return f"\\x{byte:02x}" if 0x80 <= byte <= 0xFF else f"\\u{ord(match[0]):04x}"


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
