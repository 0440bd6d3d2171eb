"""The files of a job in the blob store, as they are recorded."""

from enum import StrEnum
from typing import NamedTuple


class FileRole(StrEnum):
    """What a file is to its job."""

    SOURCE = "source"
    OUTPUT = "output"


class FileRecord(NamedTuple):
    """`checksum` is a SHA-256 of the bytes under `key`."""

    role: FileRole
    key: str
    size: int
    content_type: str
    checksum: str
