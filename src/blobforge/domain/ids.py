"""The names of things: each id is a type of its own, so that two cannot be swapped."""

import re
from typing import NamedTuple, NewType

from blobforge.domain.errors import InvalidValue

JobId = NewType("JobId", int)
"""A store's handle of a job: a row number in SQL, derived from the time in a bucket."""

WorkerId = NewType("WorkerId", str)
SourceHash = NewType("SourceHash", str)
RecipeId = NewType("RecipeId", str)

DEFAULT_PROJECT = "default"

_SHA256 = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")


class JobKey(NamedTuple):
    """What makes a job unique: the same content is one job per project and type."""

    project: str
    type: str
    source_hash: SourceHash


def parse_source_hash(text: str) -> SourceHash:
    """A lower-case SHA-256. Raises InvalidValue."""
    if not _SHA256.fullmatch(text):
        raise InvalidValue(f"{text!r} is not a SHA-256 in 64 lower-case hexadecimal digits")
    return SourceHash(text)


def parse_name(text: str, *, of: str) -> str:
    """A project or job type: short and safe in a path, a URL and an object key. Raises InvalidValue."""
    if not _NAME.fullmatch(text):
        raise InvalidValue(
            f"{text!r} is no name for a {of}: use up to 64 lower-case letters, digits, '.', '_' or '-', "
            "beginning with a letter or digit"
        )
    return text
