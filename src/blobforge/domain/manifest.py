"""The entries of a manifest, and how sightings of several processes are merged."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import NamedTuple

from blobforge.domain.ids import SourceHash
from blobforge.domain.json_value import JsonObject

NO_EXTRAS: JsonObject = MappingProxyType({})


class Sighting(NamedTuple):
    """A document, seen once under a path. `path` is text as people write it; `source` names the library."""

    source_hash: SourceHash
    path: str
    size: int
    tags: tuple[str, ...]
    source: str
    at: datetime


class ManifestEntry(NamedTuple):
    """One content: every path and tag that it was seen with, in the order in which they came."""

    paths: tuple[str, ...]
    size: int
    tags: tuple[str, ...]
    ingested_at: datetime
    source: str
    extras: JsonObject = NO_EXTRAS
    """Fields that only another writer knows."""


Entries = Mapping[SourceHash, ManifestEntry]


class ManifestContents(NamedTuple):
    """`updated_at` is None where nothing was ever written."""

    entries: Entries = MappingProxyType({})
    updated_at: datetime | None = None
    extras: JsonObject = NO_EXTRAS


def entry_of(sighting: Sighting) -> ManifestEntry:
    """Its time in whole seconds, as the manifest writes it."""
    return ManifestEntry(
        paths=(sighting.path,),
        size=sighting.size,
        tags=_joined(sighting.tags, ()),
        ingested_at=sighting.at.astimezone(UTC).replace(microsecond=0),
        source=sighting.source,
    )


def merged_entry(first: ManifestEntry, second: ManifestEntry) -> ManifestEntry:
    """Of one content: nothing twice, the order kept, the time and the source of who saw it first."""
    earlier = second if second.ingested_at < first.ingested_at else first
    return ManifestEntry(
        paths=_joined(first.paths, second.paths),
        size=first.size,
        tags=_joined(first.tags, second.tags),
        ingested_at=earlier.ingested_at,
        source=earlier.source,
        extras={**second.extras, **first.extras},
    )


def merged(parts: Iterable[ManifestContents]) -> ManifestContents:
    """Merges parts. Idempotent, so that a write whose answer was lost may be repeated."""
    entries: dict[SourceHash, ManifestEntry] = {}
    times: list[datetime] = []
    extras: JsonObject = NO_EXTRAS
    for part in parts:
        for source_hash, entry in part.entries.items():
            known = entries.get(source_hash)
            entries[source_hash] = entry if known is None else merged_entry(known, entry)
        if part.updated_at is not None:
            times.append(part.updated_at)
        extras = {**part.extras, **extras}
    return ManifestContents(entries, max(times, default=None), extras)


def news(known: Entries, seen: Iterable[Sighting]) -> dict[SourceHash, ManifestEntry]:
    """The entries of sightings, by content, without those that add nothing new."""
    new: dict[SourceHash, ManifestEntry] = {}
    for sighting in seen:
        source_hash, entry = sighting.source_hash, entry_of(sighting)
        before, told = known.get(source_hash), new.get(source_hash)
        if before is None or merged_entry(before, entry) != before:
            new[source_hash] = entry if told is None else merged_entry(told, entry)
    return new


def rebuilt(known: Entries, found: Entries) -> dict[SourceHash, ManifestEntry]:
    """Adds what was found in the store: its sizes replace the known ones, the rest only fills gaps."""
    entries = dict(known)
    for source_hash, entry in found.items():
        before = known.get(source_hash)
        if before is None:
            entries[source_hash] = entry
        else:
            entries[source_hash] = before._replace(
                size=entry.size, paths=_joined(before.paths, entry.paths), tags=_joined(before.tags, entry.tags)
            )
    return entries


def _joined(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(first + second))
