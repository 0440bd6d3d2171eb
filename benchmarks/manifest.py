"""How many bytes the manifest of a library writes until it is complete, against its size in the end."""

import hashlib
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta

from benchmarks.harness import Measure, report
from blobforge.domain.ids import SourceHash
from blobforge.domain.manifest import Sighting
from blobforge.manifests.manifest import ShardedManifest
from blobforge.ports.shards import MANIFEST, Shard, ShardFacts
from blobforge.testing.clock import START, FakeClock

DOCUMENTS = 50_000
BATCHES = (500, 50)
GOAL = 10


class CountingCells:
    """In memory, with what was written, deleted and asked for."""

    def __init__(self) -> None:
        self._cells: dict[str, Shard] = {}
        self._marks = 0
        self.written = 0
        self.requests = 0
        self.most = 0

    def address(self, name: str) -> str:
        return name

    def get(self, name: str) -> Shard | None:
        self.requests += 1
        return self._cells.get(name)

    def put(self, name: str, body: bytes, *, seen: str | None) -> bool:
        self.requests += 1
        self.written += len(body)
        there = self._cells.get(name)
        assert (None if there is None else there.version) == seen, "nobody else is here"
        self._marks += 1
        self._cells[name] = Shard(body, str(self._marks))
        self.most = max(self.most, len(self._cells))
        return True

    def facts(self) -> dict[str, ShardFacts]:
        self.requests += 1
        return {name: ShardFacts(len(cell.body), START) for name, cell in self._cells.items()}

    def delete(self, names: Sequence[str]) -> None:
        self.requests += 1
        for name in names:
            self._cells.pop(name, None)

    @property
    def is_one_file(self) -> bool:
        return list(self._cells) == [MANIFEST]

    @property
    def size(self) -> int:
        return len(self._cells[MANIFEST].body)


def measures() -> Iterator[Measure]:
    seen = _library(DOCUMENTS)
    for batch in BATCHES:
        yield from _ingest(seen, batch)


def _ingest(seen: Sequence[Sighting], batch: int) -> Iterator[Measure]:
    shards = CountingCells()
    manifest = ShardedManifest(shards, clock=FakeClock())
    began = time.perf_counter()
    for start in range(0, len(seen), batch):
        manifest.record(seen[start : start + batch])
        manifest.flush()
    manifest.finish()
    took, requests, written, size = time.perf_counter() - began, shards.requests, shards.written, shards.size
    assert shards.is_one_file
    assert len(manifest.entries()) == len(seen)
    yield Measure(
        what=f"bytes written for {len(seen):,} documents in batches of {batch}, against the manifest",
        value=written / size,
        unit="x",
        goal=GOAL,
        better="less",
        details=f"{written / 1e6:.0f} MB, manifest {size / 1e6:.1f} MB, {requests} requests, "
        f"at most {shards.most} files, {took:.1f} s",
    )
    before = shards.written
    again = ShardedManifest(shards, clock=FakeClock())
    for start in range(0, len(seen), batch):
        again.record(seen[start : start + batch])
    again.finish()
    yield Measure(
        what=f"the same once more, in batches of {batch}",
        value=(shards.written - before) / size,
        unit="x",
        goal=0.1,
        better="less",
    )


def _library(count: int) -> list[Sighting]:
    """Names and tags about as long as those of a library of rule books."""
    return [
        Sighting(
            source_hash=SourceHash(hashlib.sha256(str(number).encode()).hexdigest()),
            path=f"RPG/Publisher {number % 97}/Line {number % 13}/A series/Volume {number:06} (2nd printing).pdf",
            size=1_000_000 + number,
            tags=("RPG", f"Publisher {number % 97}", f"Line {number % 13}", "Series of books"),
            source="rpg-library",
            at=START + timedelta(seconds=number),
        )
        for number in range(count)
    ]


if __name__ == "__main__":
    sys.exit(0 if report(measures()) else 1)
