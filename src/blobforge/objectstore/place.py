"""The location of objects: a bucket, a prefix in it, and the access to it."""

from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from blobforge.domain.addresses import has_dot_parts, shown_address
from blobforge.domain.errors import InvalidSettings
from blobforge.extras import require_extra
from blobforge.ports.blob_store import S3Access


class Place(NamedTuple):
    """The key of an object in the bucket is the prefix and its name."""

    bucket: str
    prefix: str
    """Ends with a slash, or is empty."""
    access: S3Access

    def key(self, name: str) -> str:
        return self.prefix + name

    def name(self, key: str) -> str:
        return key[len(self.prefix) :]

    @property
    def address(self) -> str:
        """With the server, for people."""
        server = self.access.endpoint_url
        return f"{self} at {shown_address(server)}" if server else str(self)

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}"


def require_sdk() -> None:
    """All else of this package needs it. Raises InvalidSettings."""
    require_extra("s3", "boto3", user="an address at s3://")


def place_of(url: str, access: S3Access) -> Place:
    """Of s3://BUCKET or s3://BUCKET/PREFIX. Raises InvalidSettings."""
    parts = urlsplit(url)
    if parts.scheme != "s3" or not parts.netloc or parts.query or parts.fragment or "@" in parts.netloc:
        raise InvalidSettings(
            f"{shown_address(url)!r} names no place in a bucket: write s3://BUCKET or s3://BUCKET/PREFIX; "
            "the address and the keys come from BLOBFORGE_S3_ENDPOINT_URL, BLOBFORGE_S3_ACCESS_KEY_ID and "
            "BLOBFORGE_S3_SECRET_ACCESS_KEY"
        )
    prefix = unquote(parts.path).strip("/")
    if has_dot_parts(prefix):
        raise InvalidSettings(
            f"{shown_address(url)!r} names no place in a bucket: in s3://BUCKET/PREFIX no part of PREFIX is . or .."
        )
    return Place(parts.netloc, f"{prefix}/" if prefix else "", access)
