"""Text for logs and job records: without secrets, and valid in every store."""

from collections.abc import Iterable

WITHHELD = "what was said of it is not told: it holds the document's password"
LONGEST = 4000


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """A text of a library or a program, which may quote its input: withheld as a whole where it holds a secret.

    Masking only the secret would reveal it where the rest of the text lets it be guessed.
    """
    return WITHHELD if any(secret in text for secret in secrets if secret) else text


def storable(text: str, *, most: int | None = LONGEST) -> str:
    """Valid UTF-8 without null characters, truncated to `most`. JSON stays JSON, with the same meaning."""
    # A file's name may hold bytes that are no text; written as \udcXX they can be kept anywhere.
    text = text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")
    return text if most is None or len(text) <= most else f"{text[:most]} …"
