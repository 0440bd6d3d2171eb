"""Text made safe to show: no secrets, no characters that steer a terminal."""

import re

MASK = "***"

# Greedy up to the last "@": a password may hold "@" and "/" unescaped, and hiding too much beats hiding too little.
_URL_PASSWORD = re.compile(r"(?<=://)([^\s/@:]*):\S*@")
_URL_PARAMETER = re.compile(r"(?i)([?&][^=&\s]*(?:password|secret|token|key|signature)[^=&\s]*=)[^&\s]+")
_SECRET_NAME = re.compile(
    r"(?i)passw(or)?d|passphrase|secret|token|api_?key|access_?key|authorization|cookie|credential"
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def without_passwords(text: str) -> str:
    """The text with the passwords in its URLs replaced by a mask."""
    masked = _URL_PASSWORD.sub(rf"\1:{MASK}@", text)
    return _URL_PARAMETER.sub(rf"\1{MASK}", masked)


def is_secret_name(name: str) -> bool:
    return _SECRET_NAME.search(name) is not None


def on_one_line(text: str) -> str:
    """The text with control characters written out, so that a file's name cannot move the cursor or fake a line."""
    return _CONTROL.sub(_written_out, text)


def _written_out(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
