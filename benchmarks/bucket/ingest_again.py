"""`ingest` of a library that is in the bucket already, against a bare walk, and how often the bucket is asked."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.seaweed import running

from benchmarks.bucket.effort import Effort
from benchmarks.bucket.seaweed import Room, counted, room_in
from benchmarks.harness import Measure, interleaved
from blobforge import wiring
from blobforge.cli.ingest_display import IngestDisplay
from blobforge.config.load import load
from blobforge.config.settings import Settings
from blobforge.domain.priority import Priority
from blobforge.pauses import uncollected
from blobforge.wiring import IngestRequest


def measures(effort: Effort) -> Iterator[Measure]:
    with TemporaryDirectory() as folder, running() as server:
        yield from _again(Path(folder), room_in(server), effort.files)


def _again(folder: Path, room: Room, files: int) -> Iterator[Measure]:
    library = folder / "library"
    _make(library, files)
    settings = load({"home": str(folder / "home")}, environ=room.variables).settings
    first = _ingest(settings, library)
    ours, walk = interleaved([lambda: _ingest(settings, library), lambda: _timed(lambda: _walk(library))])
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


def _make(library: Path, files: int) -> None:
    past = time.time() - 3600
    for number in range(files):
        place = library / f"shelf-{number % 100:02}"
        place.mkdir(parents=True, exist_ok=True)
        book = place / f"book-{number:05}.pdf"
        book.write_bytes(b"%PDF-1.4\n" + f"{number:05}".encode() * 40)
        os.utime(book, (past, past))


def _ingest(settings: Settings, library: Path) -> float:
    """As the command does it, from the walk to the last word; the program is started and the queue open already."""
    request = IngestRequest(paths=(str(library),), priority=Priority.NORMAL, tags=(), source=None)
    opened = wiring.open_ingest(settings, request, watcher=IngestDisplay(), stopped=lambda: False)

    def run() -> None:
        with uncollected():
            opened.service.ingest(opened.libraries.files(lambda: False))
            opened.service.finish()

    try:
        return _timed(run)
    finally:
        opened.close()


def _walk(library: Path) -> None:
    for folder, _, names in os.walk(library):
        for name in names:
            os.stat(os.path.join(folder, name))  # noqa: PTH116, PTH118 - the bare limit


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
