"""`ingest` of a library that is in the bucket already, against a bare walk, and how often the bucket is asked."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.seaweed import running

from benchmarks.bucket.effort import Effort
from benchmarks.bucket.seaweed import DiskSpace, counted, room_in
from benchmarks.harness import Measure, interleaved
from benchmarks.ingest import ingest_all, make_library, opened_for, timed, walk_through
from blobforge.config.load import load
from blobforge.config.settings import Settings


def measures(effort: Effort) -> Iterator[Measure]:
    with TemporaryDirectory() as folder, running() as server:
        yield from _again(Path(folder), room_in(server), effort.files)


def _again(folder: Path, room: DiskSpace, files: int) -> Iterator[Measure]:
    library = folder / "library"
    make_library(library, files, repeats=400)
    settings = load({"home": str(folder / "home")}, environ=room.variables).settings
    first = _ingest(settings, library)
    ours, walk = interleaved([lambda: _ingest(settings, library), lambda: timed(lambda: walk_through(library))])
    with counted() as sent:
        _ingest(settings, library)
    asked = ", ".join(f"{count} {operation}" for operation, count in sorted(sent.requests.items()))
    yield Measure(
        what=f"ingest again into a bucket, {files:,} files, caches warm: times a bare walk with stat",
        value=ours / walk,
        unit="x",
        goal=3,
        better="less",
        details=f"{ours * 1000:.0f} ms; the walk takes {walk * 1000:.0f} ms; the first time took {first:.0f} s",
    )
    yield Measure(
        what="files to one request to the bucket",
        value=files / max(sent.requests.total(), 1),
        unit="files",
        goal=500,
        details=f"{asked or 'none'}; {sent.seconds * 1000:.0f} ms went by until they were answered",
    )


def _ingest(settings: Settings, library: Path) -> float:
    """By the clock: much of it is waiting for the bucket."""
    with opened_for(settings, library) as opened:
        return timed(lambda: ingest_all(opened))
