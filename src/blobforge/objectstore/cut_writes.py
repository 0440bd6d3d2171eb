"""What a write that was cut off leaves: an empty object under a name whose content is never empty.

A store may keep an object of 0 bytes, with all its metadata, when a connection ends between the headers and the body of
a PUT (SeaweedFS 4.48 does, in place of what was there before). So each body is sent with its MD5, by which such a store
notices what is missing, and keeps nothing. What is there all the same, by an older release, another program, or in a
store that compares nothing, counts as not there: `ObjectStore` judges by `is_remains` for everybody.
"""

import hashlib
import re
from base64 import b64encode
from typing import BinaryIO

from blobforge.objectstore.key_layout import LANES, OUT, RAW, RECIPES

_CHUNK = 1 << 20
_HASH = "[0-9a-f]{64}"
_OF_NOTHING = hashlib.sha256(b"").hexdigest()
_NEVER_EMPTY = re.compile(
    rf"(?:{LANES}[^/]+/[^/]+/)?(?:queue/hint|queue/processing/{_HASH}(?:\.g[0-9]+)?|{OUT}{_HASH}\.zip)"
    rf"|(?:{RAW}|sources/)(?!{_OF_NOTHING}){_HASH}\.[a-z0-9]+"
    rf"|{RECIPES}[^/]+\.zip|outputs/(?:.+/)?{_HASH}(?:-[^/]+)?\.zip"
    # Entries of an index and lanes are names alone, whatever they end with.
    r"|registry/(?!(?:ids|gaps|doubts|lanes|probe)/).+\.json"
)
"""Not the markers of the queue: those of other programs are empty."""


def is_remains(name: str, size: int) -> bool:
    return size == 0 and _NEVER_EMPTY.fullmatch(name) is not None


def content_md5(body: bytes | BinaryIO) -> str:
    """The header that tells a store what it is to receive."""
    # It protects against a cut connection, not against somebody.
    digest = hashlib.md5(usedforsecurity=False)
    if isinstance(body, bytes):
        digest.update(body)
    else:
        body.seek(0)
        while chunk := body.read(_CHUNK):
            digest.update(chunk)
    return b64encode(digest.digest()).decode("ascii")
