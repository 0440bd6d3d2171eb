"""What is known of the documents of a library: where each content was seen, and how people call it."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from blobforge.domain.manifest import Entries, ManifestContents, ManifestEntry, Sighting

__all__ = ["Entries", "Manifest", "ManifestContents", "ManifestEntry", "Rebuilt", "Sighting", "SightingBook"]


class Rebuilt(NamedTuple):
    """`added` were found in the store and not known before; `sourceless` are known and not in the store."""

    contents: ManifestContents
    added: int
    sourceless: int


class SightingBook(Protocol):
    """What an ingest needs of a manifest: to write what it sees."""

    def has_heard(self, sightings: Sequence[Sighting]) -> bool:
        """Whether it is certain, without asking anybody, that all of these were recorded a short while ago."""
        ...

    def record(self, sightings: Sequence[Sighting]) -> None: ...

    def flush(self) -> None: ...

    def finish(self) -> None: ...


class Manifest(Protocol):
    """Each method raises StoreUnavailable, and ManifestDamaged where what is written cannot be understood: then it
    is left as it is. Several processes may write to one manifest; nothing that is flushed is lost. A handle is for
    one thread."""

    def has_heard(self, sightings: Sequence[Sighting]) -> bool:
        """As for a SightingBook."""
        ...

    def record(self, sightings: Sequence[Sighting]) -> None:
        """Merges sightings by their hash. They may wait for `flush`, so that not every call writes."""
        ...

    def flush(self) -> None:
        """Writes what waits. Without anything that waits, it asks for nothing."""
        ...

    def finish(self) -> None:
        """The last word of a run that records: flushes, and brings the one document that others read up to date, where
        that is worth its bytes. Who does not come to say it loses nothing."""
        ...

    def entries(self) -> Entries:
        """All that is written, and what waits in this process."""
        ...

    def contents(self) -> ManifestContents:
        """The same, with when it was last changed."""
        ...

    def rebuild(self, found: Entries) -> Rebuilt:
        """Adds what was found in the store. What was known before keeps its paths, tags and time; its size is the
        one that was found."""
        ...

    def set_aside(self) -> list[str]:
        """Keeps what is damaged under another name, and puts what can be read of it in its place. Gives the other
        names: none where nothing is damaged."""
        ...
