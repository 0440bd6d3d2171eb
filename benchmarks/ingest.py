"""`ingest` of a library that is there already, against a bare walk; and hashing, against `sha256sum`."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.harness import Measure, interleaved, report
from blobforge import wiring
from blobforge.cli.ingest_display import IngestDisplay
from blobforge.config.load import load
from blobforge.config.settings import Settings
from blobforge.domain.priority import Priority
from blobforge.gc_pause import gc_paused
from blobforge.ingest.hashing import hash_file
from blobforge.wiring import IngestRequest, OpenedIngest

FILES = 10_000
LARGE_MB = 400


def measures() -> Iterator[Measure]:
    with TemporaryDirectory() as folder:
        yield from _again(Path(folder))
        yield _hashing(Path(folder))


def _again(folder: Path) -> Iterator[Measure]:
    library = folder / "library"
    make_library(library, FILES, repeats=400)
    settings = _settings(folder / "home")
    _ingest(settings, library)
    fresh = folder / "catalog.db"
    # In processor time, since all is in memory: what others do on the machine counts for neither.
    ours, by_attributes, walk = interleaved(
        [
            lambda: _ingest(settings, library),
            lambda: _without_catalogue(settings, library, fresh),
            lambda: _walk(library),
        ],
    )
    command = timed(lambda: _command(settings, library))
    yield Measure(
        what=f"ingest again, {FILES:,} files, caches warm: times a bare walk with stat",
        value=ours / walk,
        unit="x",
        goal=3,
        better="less",
        details=f"{ours * 1000:.0f} ms; the walk {walk * 1000:.0f} ms; the whole command takes {command:.2f} s",
    )
    yield Measure(
        what="the same with the files' attributes alone: times a bare walk with stat",
        value=by_attributes / walk,
        unit="x",
        goal=None,
        better="less",
        details=f"{by_attributes * 1000:.0f} ms; the catalogue learns all {FILES:,} hashes on the way",
    )
    questions = _questions(settings, library)
    yield Measure(
        what="files to one question to queue, store and manifest",
        value=FILES / max(sum(questions.values()), 1),
        unit="files",
        goal=500,
        details=", ".join(f"{count} {name}" for name, count in questions.items()) or "none",
    )


def _hashing(folder: Path) -> Measure:
    large = folder / "large.pdf"
    with large.open("wb") as file:
        for _ in range(LARGE_MB):
            file.write(os.urandom(1_000_000))
    ours, theirs = interleaved([lambda: timed(lambda: hash_file(str(large))), lambda: timed(lambda: _sha256sum(large))])
    return Measure(
        what="hashing a large file: rate against sha256sum",
        value=theirs / ours,
        unit="x",
        goal=0.9,
        details=f"{LARGE_MB / ours:.0f} MB/s; sha256sum {LARGE_MB / theirs:.0f} MB/s",
    )


def make_library(library: Path, files: int, *, repeats: int) -> None:
    past = time.time() - 3600
    for number in range(files):
        place = library / f"results-{number % 100:02}"
        place.mkdir(parents=True, exist_ok=True)
        book = place / f"book-{number:05}.pdf"
        book.write_bytes(b"%PDF-1.4\n" + f"{number:05}".encode() * repeats)
        os.utime(book, (past, past))


def _settings(home: Path) -> Settings:
    return load({"home": str(home)}, environ={}).settings


@contextmanager
def opened_for(settings: Settings, library: Path) -> Iterator[OpenedIngest]:
    request = IngestRequest(paths=(str(library),), priority=Priority.NORMAL, tags=(), source=None)
    opened = wiring.open_ingest(settings, request, watcher=IngestDisplay(), stopped=lambda: False)
    try:
        yield opened
    finally:
        opened.close()


def _ingest(settings: Settings, library: Path) -> float:
    """As the command does it, from the walk to the last word; the program is started and the queue open already."""
    with opened_for(settings, library) as opened:
        return _worked(lambda: ingest_all(opened))


def ingest_all(opened: OpenedIngest) -> None:
    with gc_paused():
        opened.service.ingest(opened.libraries.files(lambda: False))
        opened.service.finish()


def _without_catalogue(settings: Settings, library: Path, fresh: Path) -> float:
    """As on another machine, or after somebody moved the library."""
    catalogue = settings.home / "catalog.db"
    catalogue.rename(fresh)
    try:
        return _ingest(settings, library)
    finally:
        for name in ("catalog.db-wal", "catalog.db-shm"):
            (settings.home / name).unlink(missing_ok=True)
        fresh.rename(catalogue)


def _questions(settings: Settings, library: Path) -> Mapping[str, int]:
    """How often the queue, the store and the manifest were asked."""
    asked: dict[str, int] = {}

    def counted(name: str, call: Callable[..., object], *args: object, **facts: object) -> object:
        asked[name] = asked.get(name, 0) + 1
        return call(*args, **facts)

    parts = {"_coordinator": ("states", "submit", "record_many"), "_intake": ("take_in",)}
    with opened_for(settings, library) as opened:
        for part, names in parts.items():
            inner = getattr(opened.service, part)
            for name in names:
                if hasattr(inner, name):
                    setattr(inner, name, partial(counted, name, getattr(inner, name)))
        ingest_all(opened)
    return asked


def _command(settings: Settings, library: Path) -> None:
    command = [sys.executable, "-m", "blobforge", "ingest", str(library)]
    environ = {**os.environ, "BLOBFORGE_HOME": str(settings.home)}
    subprocess.run(command, env=environ, check=True, stderr=subprocess.DEVNULL)


def _walk(library: Path) -> float:
    return _worked(lambda: walk_through(library))


def walk_through(library: Path) -> None:
    for folder, _, names in os.walk(library):
        for name in names:
            os.stat(os.path.join(folder, name))  # noqa: PTH116, PTH118 - the bare limit


def _sha256sum(path: Path) -> None:
    subprocess.run(["sha256sum", str(path)], check=True, stdout=subprocess.DEVNULL)


def _worked(work: Callable[[], object]) -> float:
    """Seconds of the processor."""
    began = time.process_time()
    work()
    return time.process_time() - began


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(0 if report(measures()) else 1)
