"""Small files beside the blobs of a store, each replaced atomically: the manifest, and the mark of its queue."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

MANIFEST = "registry/manifest.json"
PENDING = "registry/manifest/"


class Shard(NamedTuple):
    """`version` changes whenever the body does."""

    body: bytes
    version: str


class ShardFacts(NamedTuple):
    """A small file without its content."""

    size: int
    modified: datetime


class Shards(Protocol):
    """Each method raises StoreUnavailable."""

    def address(self, name: str) -> str:
        """Its address, for people."""
        ...

    def get(self, name: str) -> Shard | None:
        """None when there is none, and only then."""
        ...

    def put(self, name: str, body: bytes, *, seen: str | None) -> bool:
        """Compare-and-swap: only if the shard still has the version `seen`, or, for None, does not exist. Else False.

        Raises DiskFull.
        """
        ...

    def facts(self) -> dict[str, ShardFacts]:
        """The manifest, if there is one, and everything below `registry/manifest/`."""
        ...

    def delete(self, names: Sequence[str]) -> None:
        """Absent ones are no error."""
        ...
