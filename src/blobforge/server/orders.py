"""Orders that come over the wire: they name no file of a worker's machine."""

from blobforge.domain.errors import InvalidValue
from blobforge.domain.json_value import JsonValue
from blobforge.domain.loose_json import object_in

_FILES = ("password_file",)


def require_no_files(metadata: JsonValue) -> None:
    """Raises InvalidValue."""
    for name in _FILES:
        if name in object_in(metadata):
            raise InvalidValue(
                f"metadata.{name} names a file of the machine that does the work, which a job from elsewhere may not do"
            )
