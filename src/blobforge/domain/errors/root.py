"""The root of all errors, and what ends a run rather than a document."""

from typing import ClassVar


class BlobForgeError(Exception):
    """The root: everything that the product raises on purpose."""

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False


class Interrupted(BlobForgeError):
    """Somebody ended the run; the same command goes on."""

    code = "interrupted"
    retryable = True
