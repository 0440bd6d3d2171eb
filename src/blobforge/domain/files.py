"""What a job leaves in the blob store, as its record keeps it."""

from enum import StrEnum
from typing import NamedTuple


class FileRole(StrEnum):
    SOURCE = "source"
    OUTPUT = "output"


class FileRecord(NamedTuple):
    """`checksum` is a SHA-256 of the bytes under `key`."""

    role: FileRole
    key: str
    size: int
    content_type: str
    checksum: str
