"""Bytes by key. Writes are atomic: a half-written blob is never seen."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, NamedTuple, NewType, Protocol

from blobforge.domain.file_rights import FileRights
from blobforge.domain.ids import RecipeId, SourceHash

BlobKey = NewType("BlobKey", str)
"""Slash-separated, relative, without "." or ".." segments."""


NO_LABELS: Mapping[str, str] = MappingProxyType({})


class BlobStat(NamedTuple):
    """`modified` is when these bytes were stored, by the clock of the store, about to the second. `version` is another
    one from when they are stored anew or renewed, and the same in listings."""

    key: BlobKey
    size: int
    modified: datetime
    version: str = ""


DeleteAsSeen = Callable[[BlobStat], bool]
"""Deletes a blob as it was seen; False for one that was stored anew or renewed since, which stays, or is gone. Raises
ClearingLapsed."""


class ClearingLapsed(Exception):
    """So much time has passed, such as on a machine that was suspended, that those who store do not heed any more what
    is to be deleted. Whether it was deleted may be unknown: begin anew, and ask again what is needed."""


class Leftover(NamedTuple):
    """A temporary file of an interrupted `put`. `name` is internal to the store, and only for `clear`."""

    name: str
    size: int
    modified: datetime


def source_key(source_hash: SourceHash, *, suffix: str = ".pdf") -> BlobKey:
    return BlobKey(f"sources/{source_hash}{suffix}")


def result_key(source_hash: SourceHash, recipe_id: RecipeId) -> BlobKey:
    return BlobKey(f"outputs/{source_hash[:2]}/{source_hash}-{recipe_id}.zip")


def error_log_key(source_hash: SourceHash) -> BlobKey:
    return BlobKey(f"registry/logs/{source_hash}/error.json")


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
    rights: FileRights = FileRights.PRIVATE
    """Of a store in files: who may read them."""
    public_endpoint: str | None = None
    """The address by which clients of a server reach a bucket, where that is another one: a signature covers it."""


class BlobStore(Protocol):
    """Each method raises StoreUnavailable when the store cannot be reached, InvalidValue for a key that is none.

    `gc` deletes beside those who store. What `put` or `adopt` has stored, or `renew` has returned, or was named to
    `keep`, stays, also where somebody has looked at it before and is about to delete it as he saw it.
    """

    def put(
        self,
        key: BlobKey,
        path: Path,
        *,
        labels: Mapping[str, str] = NO_LABELS,
        source_hash: SourceHash | None = None,
    ) -> BlobStat:
        """Stores a file's bytes under a key, replacing what was there, atomically.

        `labels` are for people who browse the store with other tools; a store may ignore them. With a `source_hash`,
        no other bytes than those are ever seen under the key, whatever becomes of the file meanwhile; not for results.
        Raises SourceMissing, SourceUnreadable, SourceChanged for bytes of another hash, DiskFull.
        """
        ...

    def adopt(self, key: BlobKey, path: Path) -> BlobStat:
        """Like put, but takes over the file: it may be moved instead of copied, and is gone afterwards."""
        ...

    def open(self, key: BlobKey) -> BinaryIO:
        """Raises NotFound, and ResultDamaged for what cannot be a blob at all."""
        ...

    def local_path(self, key: BlobKey) -> Path | None:
        """A path to read the blob from, where the store has one; None otherwise, also when the blob is absent."""
        ...

    def fetch(self, key: BlobKey, target: Path) -> None:
        """Copies a blob into a file. Raises NotFound, OutputUnwritable, DiskFull."""
        ...

    def address(self, key: BlobKey) -> str:
        """Where the blob is, or would be, for people who look into the store with other tools: for messages."""
        ...

    def stat(self, key: BlobKey) -> BlobStat | None:
        """None when there is no such blob, and only then."""
        ...

    def stat_many(self, keys: Collection[BlobKey]) -> dict[BlobKey, BlobStat]:
        """Those that exist. A store may answer many keys by one listing, where every request costs."""
        ...

    def renew(self, key: BlobKey) -> BlobStat | None:
        """Makes a blob as young as one that is stored now, without its bytes being sent. None where there is no such
        blob, or the store cannot: then it is to be stored."""
        ...

    def keep(self, keys: Collection[BlobKey]) -> set[BlobKey]:
        """Told when something has come to need these blobs, which were there. Returns those to be stored anew, because
        somebody has deleted them meanwhile who did not know. It may wait for his end."""
        ...

    def clearing(self, keys: Collection[BlobKey]) -> AbstractContextManager[DeleteAsSeen]:
        """Deletes some of these blobs, as they were seen before. What is needed is asked inside the block, so that
        whoever stores or needs one of them either is known by then, or learns of the deletion."""
        ...

    def delete(self, key: BlobKey) -> None:
        """Whoever else may need it. An absent blob is no error."""
        ...

    def list(self, prefix: str) -> Iterator[BlobStat]:
        """Every blob whose key has this prefix."""
        ...

    def leftovers(self) -> Iterator[Leftover]:
        """Temporary files of interrupted writes; some may belong to writes that are in progress."""
        ...

    def clear(self, leftover: Leftover) -> None:
        """Removes it; one that is gone is no error."""
        ...
