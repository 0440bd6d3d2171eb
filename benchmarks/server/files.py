"""A large file up and down through a folder: memory that stays, and how long it takes against `cp`."""

import asyncio
import hashlib
import http.client
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from benchmarks.harness import Measure
from benchmarks.server.running import Server, line_of_person, running

MOST = 1 << 30
SHARE_OF_DISK = 20
CHUNK = 1 << 20


def measures() -> Iterator[Measure]:
    with running() as server, TemporaryDirectory() as folder:
        # Each byte lies there up to five times at once.
        size = min(MOST, shutil.disk_usage(folder).free // SHARE_OF_DISK // CHUNK * CHUNK)
        source = Path(folder, "source.pdf")
        digest = _made(source, size)
        copied = _seconds_of_copy(source, Path(folder, "copy.pdf"))
        before = server.memory_mb
        up, down = asyncio.run(_transfers(server, source, size, digest))
        grown = server.peak_mb - before
    yield _ratio("up", size, copied, up)
    yield _ratio("down", size, copied, down)
    details = f"{size / 1e6:,.0f} MB up and down"
    yield Measure(what="a large file: memory", value=grown, unit="MB", goal=64, better="less", details=details)


def _ratio(way: str, size: int, copied: float, seconds: float) -> Measure:
    details = f"{size / seconds / 1e6:,.0f} against {size / copied / 1e6:,.0f} MB/s; not what the disk keeps in memory"
    return Measure(what=f"a large file {way}, against cp", value=copied / seconds, unit="x", goal=0.5, details=details)


def _made(path: Path, size: int) -> str:
    found, block = hashlib.sha256(), os.urandom(CHUNK)
    with path.open("wb") as file:
        for number in range(size // CHUNK):
            piece = number.to_bytes(8, "big") + block[8:]
            file.write(piece)
            found.update(piece)
        os.fsync(file.fileno())
    return found.hexdigest()


def _seconds_of_copy(source: Path, target: Path) -> float:
    """With what both have to do: the bytes are on the disk when it ends."""
    began = time.perf_counter()
    with source.open("rb") as read, target.open("wb") as written:
        shutil.copyfileobj(read, written, CHUNK)
        os.fsync(written.fileno())
    return time.perf_counter() - began


async def _transfers(server: Server, source: Path, size: int, digest: str) -> tuple[float, float]:
    line = await line_of_person(server)
    announced = {"source_hash": digest, "source_path": "large.pdf", "source_size": size}
    created = await line.ask("POST", "/api/jobs", announced)
    up = await asyncio.to_thread(_put, created["upload_url"], source, size)
    began = time.perf_counter()
    await line.ask("POST", f"/api/jobs/{created['job_id']}/uploaded")
    print(f"the server looked at it for {time.perf_counter() - began:.1f} s")
    told = await line.ask("GET", f"/api/files/{created['job_id']}/source")
    return up, await asyncio.to_thread(_get, told["url"], size)


def _put(url: str, source: Path, size: int) -> float:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, blocksize=CHUNK)
    began = time.perf_counter()
    with source.open("rb") as file:
        connection.request("PUT", f"{parts.path}?{parts.query}", body=file, headers={"Content-Length": str(size)})
        answered = connection.getresponse()
    assert answered.status == 201, answered.read()
    return time.perf_counter() - began


def _get(url: str, size: int) -> float:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc)
    began, arrived, piece = time.perf_counter(), 0, memoryview(bytearray(CHUNK))
    connection.request("GET", f"{parts.path}?{parts.query}")
    answered = connection.getresponse()
    while count := answered.readinto(piece):
        arrived += count
    assert arrived == size
    return time.perf_counter() - began
