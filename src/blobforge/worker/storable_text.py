"""What may be told of a document's work: no secrets, and only text that every store can keep."""

from collections.abc import Iterable

WITHHELD = "what was said of it is not told: it holds the document's password"
LONGEST = 4000


def foreign(text: str, secrets: Iterable[str]) -> str:
    """A text that a library or a program wrote, which may quote what it was given: then nothing of it is told.

    A mask in its place would tell the password as well, where that is a word that everyone can guess.
    """
    return WITHHELD if any(secret in text for secret in secrets if secret) else text


def storable(text: str, *, most: int | None = LONGEST) -> str:
    """Valid text without null characters, and not too much of it. JSON stays JSON, with the same meaning."""
    # A file's name may hold bytes that are no text; written as \udcXX they can be kept anywhere.
    text = text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")
    return text if most is None or len(text) <= most else f"{text[:most]} …"
