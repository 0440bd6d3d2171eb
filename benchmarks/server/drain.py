"""How fast workers convert small documents over HTTP, against the same on the file of the queue."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.documents import make_library
from benchmarks.harness import Measure
from benchmarks.server.running import WORKER, Server, running

DOCUMENTS, PAGES, WORKERS = 200, 1, 2


def measures() -> Iterator[Measure]:
    with TemporaryDirectory() as folder, running(synchronous="FULL") as server:
        library = Path(folder, "library")
        library.mkdir()
        make_library(library, documents=DOCUMENTS, pages=PAGES)
        file = _rate(Path(folder, "file"), library, {})
        http = _rate(Path(folder, "http"), library, _over(server), submits={"BLOBFORGE_HOME": str(server.home)})
    details = f"{http:.1f} against {file:.1f} documents/s"
    what = f"{DOCUMENTS} small documents, {WORKERS} workers over HTTP, against the file"
    yield Measure(what=what, value=http / file, unit="x", goal=0.8, details=details)


def _over(server: Server) -> dict[str, str]:
    return {
        "BLOBFORGE_SERVER_URL": server.url,
        "BLOBFORGE_WORKER_ID": WORKER,
        "BLOBFORGE_WORKER_SECRET": server.secret,
    }


def _rate(home: Path, library: Path, settings: dict[str, str], *, submits: dict[str, str] | None = None) -> float:
    home.mkdir()
    ours = {**os.environ, "BLOBFORGE_HOME": str(home), "BLOBFORGE_SLOTS": "1", "BLOBFORGE_LOG_LEVEL": "warning"}
    command = [sys.executable, "-m", "blobforge"]
    subprocess.run([*command, "submit", str(library)], env={**ours, **(submits or {})}, check=True, capture_output=True)
    began = time.perf_counter()
    workers = [
        subprocess.Popen([*command, "worker", "--drain"], env={**ours, **settings}, stderr=subprocess.DEVNULL)
        for _ in range(WORKERS)
    ]
    assert [worker.wait() for worker in workers] == [0] * WORKERS
    return DOCUMENTS / (time.perf_counter() - began)
