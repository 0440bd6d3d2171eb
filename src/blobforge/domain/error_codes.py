"""Errors by their codes: for whoever reads a code in a record, and for tables that must miss none."""

from blobforge.domain.errors import BlobForgeError


def all_errors() -> dict[str, type[BlobForgeError]]:
    """Every error class by its code, the root included."""
    found: list[type[BlobForgeError]] = [BlobForgeError]
    for error in found:  # which grows
        found += error.__subclasses__()
    return {error.code: error for error in found}
