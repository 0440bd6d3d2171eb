"""What may be told of a document's work: no secrets, and only text that every store can keep."""

from collections.abc import Iterable

MASK = "***"
LONGEST = 4000


def without(text: str, secrets: Iterable[str]) -> str:
    """The text with the secrets masked."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, MASK)
    return text


def storable(text: str, *, most: int | None = LONGEST) -> str:
    """Valid text without null characters, and not too much of it. JSON stays JSON, with the same meaning."""
    # A file's name may hold bytes that are no text; written as \udcXX they can be kept anywhere.
    text = text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")
    return text if most is None or len(text) <= most else f"{text[:most]} …"
