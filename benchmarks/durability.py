"""`convert` and `submit`, which wait for the disk before they record what they wrote, against not waiting."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.documents import make_shelf_of_rulebooks
from benchmarks.harness import Measure, interleaved

DOCUMENTS, REPETITIONS = 200, 3
SYNCED, UNSYNCED = "blobforge", "benchmarks.unsynced"


def measures() -> Iterator[Measure]:
    """Without a goal: what a sync costs is the disk's to say, and there is no choice about it."""
    with TemporaryDirectory() as folder:
        library = Path(folder, "library")
        make_shelf_of_rulebooks(library, documents=DOCUMENTS)
        for command in (["convert", str(library), "-o", str(Path(folder, "out")), "--json"], ["submit", str(library)]):
            synced, unsynced = interleaved(
                [partial(_seconds, program, command, Path(folder)) for program in (SYNCED, UNSYNCED)],
                repetitions=REPETITIONS,
            )
            yield Measure(
                what=f"durability: {command[0]} that waits for the disk, against one that does not",
                value=unsynced / synced,
                unit="x",
                goal=None,
                details=f"{synced / DOCUMENTS * 1000:.1f} against {unsynced / DOCUMENTS * 1000:.1f} ms a document",
            )


def _seconds(program: str, command: list[str], folder: Path) -> float:
    home, out = folder / "home", folder / "out"
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", program, *command],
        env={**os.environ, "BLOBFORGE_HOME": str(home)},
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    seconds = time.perf_counter() - began
    shutil.rmtree(home)
    shutil.rmtree(out, ignore_errors=True)
    return seconds
