"""The manifest as one document and pending shards, like a log and its compaction: each flush writes little.

A flush writes what is new into a pending shard of its own. When enough is pending, it is folded into the manifest: a
compare-and-swap of the manifest, and only then the deletion of the folded shards. Folding is idempotent, so a crash
between the two steps does no harm.
"""

import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from secrets import token_hex
from typing import NamedTuple

from blobforge.domain import manifest as rules
from blobforge.domain.errors import ManifestDamaged, StoreUnavailable
from blobforge.domain.ids import SourceHash
from blobforge.domain.manifest import Entries, ManifestContents, ManifestEntry, Sighting
from blobforge.manifests import codec
from blobforge.ports.clock import Clock
from blobforge.ports.manifest import Rebuilt
from blobforge.ports.shards import MANIFEST, PENDING, Shard, ShardFacts, Shards

BATCH = 500
"""So many buffered sightings are flushed automatically."""
READ_FIRST_FROM = 100
"""A flush of so many sightings reads the manifest first: a library that was ingested before is not written again."""
SMALL = 256 * 1024
"""A manifest up to this size is written at every flush: it is smaller than most documents."""
SHARE = 4
"""A larger one is written when a quarter of its size is pending, so each byte is written about five times in all."""
SHARE_OF_A_RUN = 64
"""At the end of a run that added more than 1/64 of its size, it is written once more."""
WRITE_RATE = 1_000
"""Bytes per second: after a small run it is written only as often as this rate allows, so that a thousand small runs do
not write it a thousand times."""
COMPACT_AT = 16
"""So many pending shards of one level become one of the next, so that there are never many to read."""

TRIES = 12
FIRST_WAIT_SECONDS = 0.05
LONGEST_WAIT_SECONDS = 5.0

_PENDING_NAME = re.compile(re.escape(PENDING) + r"[0-9]-[0-9]{8}T[0-9]{12}Z-[0-9a-f]{16}\.json")


class _View(NamedTuple):
    """A consistent read: every entry that was flushed before it is in one of these."""

    pending: tuple[str, ...]
    version: str | None
    manifest: ManifestContents
    contents: ManifestContents


class Backoff(NamedTuple):
    """Exponential back-off with full jitter."""

    sleep: Callable[[float], None] = time.sleep
    roll: Callable[[], float] = random.random

    def tries(self) -> Iterator[None]:
        yield
        longest = FIRST_WAIT_SECONDS
        for _ in range(TRIES - 1):
            self.sleep(self.roll() * longest)
            longest = min(longest * 2, LONGEST_WAIT_SECONDS)
            yield


class ShardedManifest:
    def __init__(
        self,
        shards: Shards,
        *,
        clock: Clock,
        backoff: Backoff | None = None,
    ) -> None:
        self._shards = shards
        self._clock = clock
        self._backoff = backoff or Backoff()
        self._buffer: list[Sighting] = []
        self._known: dict[SourceHash, ManifestEntry] | None = None
        self._added = 0

    def has_heard(self, sightings: Sequence[Sighting]) -> bool:  # noqa: ARG002 - fixed by the port
        return False

    def record(self, sightings: Sequence[Sighting]) -> None:
        for start in range(0, len(sightings), BATCH):
            self._buffer += sightings[start : start + BATCH]
            if len(self._buffer) >= BATCH:
                self.flush()

    def flush(self) -> None:
        if not self._buffer:
            return
        if self._known is None and len(self._buffer) >= READ_FIRST_FROM:
            self._known = self._readable()
        new = ManifestContents(rules.news(self._known or {}, self._buffer), self._now())
        if new.entries:
            body = codec.encode(new)
            self._add(_pending_name(0, _stamp(self._clock.now())), body)
            self._added += len(body)
        if self._known is not None:
            self._known |= rules.merged([_only(self._known, new.entries), new]).entries
        self._buffer = []
        if new.entries:
            self._fold_or_compact()

    def finish(self) -> None:
        self.flush()
        if self._added and self._is_final_fold_due(self._shards.facts()):
            self._fold(lambda contents: contents)
        self._added = 0

    def entries(self) -> Entries:
        return self.contents().entries

    def contents(self) -> ManifestContents:
        written = self._view().contents
        return rules.merged([written, ManifestContents(rules.news(written.entries, self._buffer))])

    def rebuild(self, found: Entries) -> Rebuilt:
        self.flush()
        before, after = self._fold(lambda contents: self._with(contents, found))
        added = len(after.entries) - len(before.entries)
        return Rebuilt(after, added, sourceless=len(after.entries) - len(found))

    def set_aside(self) -> list[str]:
        names = [MANIFEST, *_pending_in(self._shards.facts())]
        return [other for name in names if (other := self._set_aside(name)) is not None]

    def _with(self, contents: ManifestContents, found: Entries) -> ManifestContents:
        entries = rules.rebuilt(contents.entries, found)
        if entries == contents.entries and contents.updated_at is not None:
            return contents
        return contents._replace(entries=entries, updated_at=self._now())

    def _readable(self) -> dict[SourceHash, ManifestEntry]:
        try:
            return dict(self._view().contents.entries)
        except ManifestDamaged:
            # The sightings are written all the same; the fold reports the damage.
            return {}

    def _add(self, name: str, body: bytes) -> None:
        if not self._shards.put(name, body, seen=None):
            raise StoreUnavailable(f"{self._shards.address(name)} cannot be written: it is there already; try again")

    def _fold_or_compact(self) -> None:
        facts = self._shards.facts()
        pending = _pending_in(facts)
        if _is_fold_due(facts, pending):
            self._fold(lambda contents: contents)
            return
        for level in sorted({_level(name) for name in pending}):
            shards = [name for name in pending if _level(name) == level]
            if len(shards) >= COMPACT_AT:
                self._compact(level, shards)

    def _is_final_fold_due(self, facts: Mapping[str, ShardFacts]) -> bool:
        """At the end of a run: other programs read only the manifest itself."""
        written = facts.get(MANIFEST)
        if written is None or not _pending_in(facts):
            return False
        age = (self._clock.now() - written.modified).total_seconds()
        return self._added * SHARE_OF_A_RUN >= written.size or age * WRITE_RATE >= written.size

    def _compact(self, level: int, names: Sequence[str]) -> None:
        """The shard of the next level is written before its parts are deleted: every entry is in some file at any
        time."""
        parts = [self._read(name) for name in names]
        if None in parts:
            return  # another process is compacting them
        whole = rules.merged(part for part in parts if part is not None)
        self._add(_pending_name(min(level + 1, 9), _stamp(self._clock.now())), codec.encode(whole))
        self._shards.delete(names)

    def _fold(
        self, change: Callable[[ManifestContents], ManifestContents]
    ) -> tuple[ManifestContents, ManifestContents]:
        """Writes everything into the manifest, changed by `change`; returns the contents before and after."""
        for _ in self._backoff.tries():
            view = self._view()
            after = change(view.contents)
            if _is_all_in(view, after) or self._shards.put(MANIFEST, codec.encode(after), seen=view.version):
                self._shards.delete(view.pending)
                return view.contents, after
        raise StoreUnavailable(f"{self._shards.address(MANIFEST)} is always being written by others; try again later")

    def _view(self) -> _View:
        """The manifest is read last: what was folded meanwhile is in it, and shards that are not listed were written
        later."""
        for _ in self._backoff.tries():
            pending = _pending_in(self._shards.facts())
            parts = [self._read(name) for name in pending]
            shard = self._shards.get(MANIFEST)
            if None in parts:
                continue  # folded meanwhile: start again
            manifest = self._decoded(MANIFEST, shard)
            contents = rules.merged([manifest, *(part for part in parts if part is not None)])
            return _View(tuple(pending), None if shard is None else shard.version, manifest, contents)
        raise StoreUnavailable(f"{self._shards.address(PENDING)} is always being changed by others; try again later")

    def _read(self, name: str) -> ManifestContents | None:
        shard = self._shards.get(name)
        return None if shard is None else self._decoded(name, shard)

    def _decoded(self, name: str, shard: Shard | None) -> ManifestContents:
        return ManifestContents() if shard is None else codec.decode(shard.body, address=self._shards.address(name))

    def _set_aside(self, name: str) -> str | None:
        shard = self._shards.get(name)
        try:
            self._decoded(name, shard)
        except ManifestDamaged:
            assert shard is not None, "only what is there can be damaged"
        else:
            return None
        other = f"{name}.damaged-{self._clock.now().astimezone(UTC):%Y%m%dT%H%M%SZ}-{token_hex(4)}"
        self._add(other, shard.body)
        rest = ManifestContents(codec.salvage(shard.body), self._now())
        # If it was replaced meanwhile, the other one is as good.
        self._shards.put(name, codec.encode(rest), seen=shard.version)
        return self._shards.address(other)

    def _now(self) -> datetime:
        return self._clock.now().astimezone(UTC).replace(microsecond=0)


def _pending_in(facts: Mapping[str, ShardFacts]) -> list[str]:
    """In the order in which they are merged: a higher level is older."""
    found = [name for name in facts if _PENDING_NAME.fullmatch(name)]
    return sorted(found, key=lambda name: (-_level(name), name))


def _is_fold_due(facts: Mapping[str, ShardFacts], pending: Sequence[str]) -> bool:
    written = facts[MANIFEST].size if MANIFEST in facts else 0
    return bool(pending) and (written <= SMALL or sum(facts[name].size for name in pending) * SHARE >= written)


def _only(known: Entries, wanted: Iterable[SourceHash]) -> ManifestContents:
    return ManifestContents({source_hash: known[source_hash] for source_hash in wanted if source_hash in known})


def _is_all_in(view: _View, after: ManifestContents) -> bool:
    return view.version is not None and (after.entries, after.extras) == (view.manifest.entries, view.manifest.extras)


def _pending_name(level: int, stamp: str) -> str:
    return f"{PENDING}{level}-{stamp}-{token_hex(8)}.json"


def _level(name: str) -> int:
    return int(name[len(PENDING)])


def _stamp(moment: datetime) -> str:
    """Sorts as text in the order of time."""
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%S%f}Z"
