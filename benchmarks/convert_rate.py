"""`convert` of many small documents, against a bare loop of the same engine in as many processes."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.documents import corpus, make_library, make_shelf_of_rulebooks
from benchmarks.harness import Measure, interleaved

DOCUMENTS, PAGES, PROCESSES = 1_000, 2, 2


def measures() -> Iterator[Measure]:
    with TemporaryDirectory() as folder:
        rulebooks = Path(folder, "small rulebooks")
        make_shelf_of_rulebooks(rulebooks, documents=DOCUMENTS)
        yield _against_bare(rulebooks, f"{DOCUMENTS:,} documents of two rulebook pages")
        library = Path(folder, "library")
        make_library(library, documents=DOCUMENTS, pages=PAGES)
        # As light as a PDF can be: the cost of a document that is not its conversion. Without a goal, to be watched.
        yield _against_bare(library, f"{DOCUMENTS:,} documents of two bare pages", goal=None)
        if (real := corpus()) is not None:
            copied = Path(folder, "rulebooks")
            _copies(real / "rulebooks", copied)
            yield _against_bare(copied, "rulebooks of the corpus, scans left out")


def _copies(source: Path, target: Path) -> None:
    target.mkdir()
    for path in sorted(source.glob("*.pdf")):
        if "scan" not in path.name:
            shutil.copyfile(path, target / path.name)


def _against_bare(library: Path, what: str, *, goal: float | None = 0.85) -> Measure:
    documents = len(list(library.rglob("*.pdf")))
    with TemporaryDirectory() as folder:
        ours, bare = interleaved([lambda: convert_seconds(library, Path(folder)), lambda: _bare(library, Path(folder))])
    return Measure(
        what=f"convert {what}: share of a bare loop",
        value=bare / ours,
        unit="x",
        goal=goal,
        details=f"{documents / ours:.0f} against {documents / bare:.0f} documents/s, {PROCESSES} processes each",
    )


def convert_seconds(library: Path, folder: Path, **environment: str) -> float:
    """How long `convert` takes from nothing, with these variables."""
    out, home = folder / "out", folder / "home"
    began = time.perf_counter()
    subprocess.run(
        [
            sys.executable,
            "-m",
            "blobforge",
            "convert",
            str(library),
            "-o",
            str(out),
            "--jobs",
            str(PROCESSES),
            "--json",
        ],
        env={**os.environ, "BLOBFORGE_HOME": str(home), **environment},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    seconds = time.perf_counter() - began
    shutil.rmtree(out)
    shutil.rmtree(home)
    return seconds


def _bare(library: Path, folder: Path) -> float:
    """A program of its own, as ours is: it starts, finds the documents, and writes the Markdown of each."""
    out = folder / "bare"
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "benchmarks.bare_loop", str(library), str(out), str(PROCESSES)], check=True)
    seconds = time.perf_counter() - began
    shutil.rmtree(out)
    return seconds
