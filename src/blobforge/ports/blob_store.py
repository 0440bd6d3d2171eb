"""Bytes by key. What is there is whole: a half-written blob is never seen."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, NewType, Protocol

from blobforge.domain.ids import RecipeId, SourceHash

BlobKey = NewType("BlobKey", str)
"""Slash-separated, relative, without "." or ".." segments."""


class BlobStat(NamedTuple):
    key: BlobKey
    size: int


def source_key(source_hash: SourceHash, *, suffix: str = ".pdf") -> BlobKey:
    return BlobKey(f"sources/{source_hash}{suffix}")


def result_key(source_hash: SourceHash, recipe_id: RecipeId) -> BlobKey:
    return BlobKey(f"outputs/{source_hash[:2]}/{source_hash}-{recipe_id}.zip")


class S3Access(NamedTuple):
    """How a bucket is reached. What is None comes from the SDK's own files and variables (AWS_…)."""

    endpoint_url: str | None = None
    region: str | None = None
    access_key_id: str | None = None
    secret_access_key: str | None = None

    def __repr__(self) -> str:
        return f"S3Access(endpoint_url={self.endpoint_url!r}, region={self.region!r})"


class StoreOptions(NamedTuple):
    """`durable`: what was stored survives a power cut. Without it, a blob may be missing then, or empty."""

    durable: bool = True
    s3: S3Access = S3Access()


class BlobStore(Protocol):
    """Each method raises StoreUnavailable when the store cannot be reached, InvalidValue for a key that is none."""

    def put(self, key: BlobKey, path: Path) -> BlobStat:
        """Stores a file's bytes under a key, replacing what was there, in one step.

        Raises SourceMissing, SourceUnreadable, DiskFull.
        """
        ...

    def adopt(self, key: BlobKey, path: Path) -> BlobStat:
        """Like put, but the file is the caller's to give away: it may be moved instead of copied, and is gone after."""
        ...

    def open(self, key: BlobKey) -> BinaryIO:
        """Raises NotFound."""
        ...

    def local_path(self, key: BlobKey) -> Path | None:
        """A path to read the blob from, where the store has one; None otherwise, also when the blob is absent."""
        ...

    def fetch(self, key: BlobKey, target: Path) -> None:
        """Copies a blob into a file. Raises NotFound, OutputUnwritable, DiskFull."""
        ...

    def stat(self, key: BlobKey) -> BlobStat | None:
        """None when there is no such blob, and only then."""
        ...

    def delete(self, key: BlobKey) -> None:
        """An absent blob is no error."""
        ...

    def list(self, prefix: str) -> Iterator[BlobStat]:
        """Every blob whose key begins so."""
        ...


OpenStore = Callable[[str, StoreOptions], BlobStore]
"""What an entry point of the group `blobforge.stores` gives for its URL scheme."""
