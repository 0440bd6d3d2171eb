"""Real documents through a real S3 server: four workers, beside a bare loop that gets, converts and puts."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.seaweed import running

from benchmarks.bucket.effort import Effort
from benchmarks.bucket.seaweed import DiskSpace, room_in
from benchmarks.documents import make_shelf_of_rulebooks
from benchmarks.engine_run import Convert, bare_engine
from benchmarks.harness import Measure
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import place_of
from blobforge.ports.blob_store import S3Access
from blobforge.processors.pdf_markdown.engines.registry import DEFAULT

WORKERS = 4
PATIENCE_SECONDS = 3_600


def measures(effort: Effort) -> Iterator[Measure]:
    jobs = effort.real_jobs
    with TemporaryDirectory() as folder, running() as server:
        library = Path(folder, "library")
        make_shelf_of_rulebooks(library, documents=jobs)
        room = room_in(server)
        ingested = _timed([["ingest", str(library)]], room, Path(folder))
        ours = _timed([["worker", "--drain", "--slots", "1"]] * WORKERS, room, Path(folder))
        states = _states(room, Path(folder))
        bare = _bare(room, library)
    completed = states.get("completed", 0)
    yield Measure(
        what=f"{jobs:,} documents in a bucket, {WORKERS} workers: completed",
        value=100 * completed / jobs,
        unit="%",
        goal=100,
        details=f"{states}; ingested in {ingested:.0f} s",
    )
    yield Measure(
        what="their rate, as a share of a bare loop that gets, converts and puts",
        value=bare / ours,
        unit="x",
        goal=None,
        details=f"{jobs / ours:.1f} against {jobs / bare:.1f} documents/s, {WORKERS} processes each, start included",
    )


def _timed(commands: list[list[str]], room: DiskSpace, folder: Path) -> float:
    began = time.perf_counter()
    started = [_start(command, room, folder / f"machine-{number}") for number, command in enumerate(commands)]
    try:
        for process in started:
            if process.wait(PATIENCE_SECONDS) != 0:
                raise RuntimeError(f"{process.args!r} ended with {process.returncode}")
    finally:
        for process in started:
            process.kill()
    return time.perf_counter() - began


def _start(command: list[str], room: DiskSpace, home: Path) -> "subprocess.Popen[bytes]":
    """As on a machine of its own, which has nothing but the bucket."""
    environ = {**os.environ, **room.variables, "BLOBFORGE_HOME": str(home)}
    arguments = [sys.executable, "-m", "blobforge", *command]
    return subprocess.Popen(arguments, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _states(room: DiskSpace, folder: Path) -> dict[str, int]:
    environ = {**os.environ, **room.variables, "BLOBFORGE_HOME": str(folder / "machine-0")}
    command = [sys.executable, "-m", "blobforge", "status", "--json"]
    told = json.loads(subprocess.run(command, env=environ, check=True, capture_output=True).stdout)
    return {state: count for state, count in told["counts"]["pdf"].items() if count}


def _bare(room: DiskSpace, library: Path) -> float:
    """The same documents under names of its own."""
    access, url = room.server.access, f"s3://{room.server.bucket}/bare-{room.prefix}"
    objects = ObjectStore(place_of(url, access))
    names = [path.name for path in sorted(library.glob("*.pdf"))]
    for name in names:
        objects.put_file(f"in/{name}", library / name)
    objects.close()
    began = time.perf_counter()
    with ProcessPoolExecutor(WORKERS) as pool:
        for _ in pool.map(_one, [url] * len(names), [access] * len(names), names, chunksize=8):
            continue
    return time.perf_counter() - began


def _one(url: str, access: S3Access, name: str) -> None:
    objects, convert = _objects(url, access), _engine()
    with TemporaryDirectory() as folder:
        source = Path(folder, "source.pdf")
        with source.open("wb") as file:
            objects.fetch(f"in/{name}", file)
        objects.put(f"out/{name}.md", convert(source).encode())


@cache
def _objects(url: str, access: S3Access) -> ObjectStore:
    """One a process."""
    return ObjectStore(place_of(url, access))


@cache
def _engine() -> Convert:
    return bare_engine(DEFAULT)
