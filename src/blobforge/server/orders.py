"""Orders that come over the wire: they name no file of a worker's machine."""

import re

from blobforge.domain.errors import InvalidValue
from blobforge.domain.json_value import JsonValue
from blobforge.domain.loose_json import object_in

_FILES = ("password_file",)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def require_no_files(metadata: JsonValue) -> None:
    """Raises InvalidValue."""
    for name in _FILES:
        if name in object_in(metadata):
            raise InvalidValue(
                f"metadata.{name} names a file of the machine that does the work, which a job from elsewhere may not do"
            )


def require_plain_path(path: str | None) -> None:
    """What a document is called is shown to people, and others name files by it. Raises InvalidValue."""
    if path is not None and (_CONTROL.search(path) or ".." in path.replace("\\", "/").split("/")):
        raise InvalidValue("source_path names a document: it has no '..' and no control characters")
