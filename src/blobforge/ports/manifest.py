"""The manifest of a library: the paths and tags with which each content was seen."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from blobforge.domain.manifest import Entries, ManifestContents, ManifestEntry, Sighting

__all__ = ["Entries", "Manifest", "ManifestContents", "ManifestEntry", "Rebuilt", "Sighting", "SightingBook"]


class Rebuilt(NamedTuple):
    """`added` were in the store and not in the manifest; `sourceless` are in the manifest and not in the store."""

    contents: ManifestContents
    added: int
    sourceless: int


class SightingBook(Protocol):
    """The part of a manifest that an ingest needs: it records sightings."""

    def has_heard(self, sightings: Sequence[Sighting]) -> bool:
        """Whether it is certain, without a request, that all of these were recorded a short while ago."""
        ...

    def record(self, sightings: Sequence[Sighting]) -> None: ...

    def flush(self) -> None: ...

    def finish(self) -> None: ...


class Manifest(Protocol):
    """Each method raises StoreUnavailable, and ManifestDamaged where it cannot be parsed: then it is not changed.
    Several processes may write to one manifest; nothing that is flushed is lost. A handle is for
    one thread."""

    def has_heard(self, sightings: Sequence[Sighting]) -> bool:
        """As for a SightingBook."""
        ...

    def record(self, sightings: Sequence[Sighting]) -> None:
        """Merges sightings by their hash. May buffer them until `flush`."""
        ...

    def flush(self) -> None:
        """Writes the buffered sightings; without any, it makes no request."""
        ...

    def finish(self) -> None:
        """At the end of a run: flushes, and updates the one document that other programs read, where that is worth its
        bytes. A run that crashes before it loses nothing."""
        ...

    def entries(self) -> Entries:
        """All that is written, and what this process has buffered."""
        ...

    def contents(self) -> ManifestContents:
        """The same, with when it was last changed."""
        ...

    def rebuild(self, found: Entries) -> Rebuilt:
        """Adds documents that were found in the store. Known ones keep their paths, tags and time, and get the size
        that was found."""
        ...

    def set_aside(self) -> list[str]:
        """Renames what is damaged, and writes what can be read of it in its place. Returns the new names: none where
        nothing is damaged."""
        ...
