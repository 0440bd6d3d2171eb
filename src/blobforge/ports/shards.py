"""Small files beside the blobs of a store, each replaced as a whole or not at all: the manifest, and whose it is."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

MANIFEST = "registry/manifest.json"
PENDING = "registry/manifest/"


class Shard(NamedTuple):
    """`mark` is another one whenever the body is another one."""

    body: bytes
    mark: str


class ShardFacts(NamedTuple):
    size: int
    modified: datetime


class Shards(Protocol):
    """Each method raises StoreUnavailable."""

    def address(self, name: str) -> str:
        """What a person calls it."""
        ...

    def get(self, name: str) -> Shard | None:
        """None when there is none, and only then."""
        ...

    def put(self, name: str, body: bytes, *, seen: str | None) -> bool:
        """Only where the shard is still the one with this mark, or, for None, where there is none. Else False.

        Raises DiskFull.
        """
        ...

    def facts(self) -> dict[str, ShardFacts]:
        """The manifest, if there is one, and everything below `registry/manifest/`."""
        ...

    def delete(self, names: Sequence[str]) -> None:
        """Absent ones are no error."""
        ...
