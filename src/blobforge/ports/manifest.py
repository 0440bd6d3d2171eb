"""What is known of the documents of a library: where each content was seen, and how people call it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from blobforge.domain.ids import SourceHash


class Sighting(NamedTuple):
    """A document, seen once under a path. `path` is text as people write it; `source` names the library."""

    source_hash: SourceHash
    path: str
    size: int
    tags: tuple[str, ...]
    source: str
    at: datetime


class ManifestEntry(NamedTuple):
    """One content: every path and tag that it was seen with."""

    paths: tuple[str, ...]
    size: int
    tags: tuple[str, ...]
    ingested_at: datetime
    source: str


class Manifest(Protocol):
    """Each method raises StoreUnavailable. Several processes may write to one manifest; nothing that is flushed is
    lost."""

    def record(self, sightings: Sequence[Sighting]) -> None:
        """Merges sightings by their hash. They may wait for `flush`, so that not every call writes."""
        ...

    def flush(self) -> None:
        """Writes what waits. Without anything that waits, it asks for nothing."""
        ...

    def entries(self) -> Mapping[SourceHash, ManifestEntry]:
        """All that is written, and what waits in this process."""
        ...
