"""How much memory the parent and a child hold, and whether a longer document needs more."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.documents import make_pdf
from benchmarks.harness import Measure

SHORT, LONG = 200, 1_000
# Memory is given out in steps; less than this is no growth.
STEP_MB = 16


def measures() -> Iterator[Measure]:
    with TemporaryDirectory() as folder:
        parent_short, child_short = _peaks(Path(folder), SHORT)
        parent, child = _peaks(Path(folder), LONG)
    yield Measure(
        what=f"memory of the parent, {LONG:,} pages",
        value=parent,
        unit="MB",
        goal=120,
        better="less",
        details=f"{parent_short:.0f} MB with {SHORT} pages",
    )
    yield Measure(what=f"memory of a child, {LONG:,} pages", value=child, unit="MB", goal=400, better="less")
    yield Measure(
        what=f"growth of a child from {SHORT} to {LONG:,} pages",
        value=child - child_short,
        unit="MB",
        goal=STEP_MB,
        better="less",
        details=f"{child_short:.0f} MB with {SHORT} pages",
    )


def _peaks(folder: Path, pages: int) -> tuple[float, float]:
    """Peak resident memory of the program and of its largest child, in MB."""
    source = folder / f"{pages}.pdf"
    make_pdf(source, pages=pages, seed=1)
    answer = subprocess.run(
        [sys.executable, "-m", "benchmarks.peak_memory", str(source), str(folder / f"out-{pages}")],
        env={**os.environ, "BLOBFORGE_HOME": str(folder / f"home-{pages}")},
        check=True,
        capture_output=True,
        text=True,
    )
    parent, child = answer.stdout.split()[-2:]
    return float(parent), float(child)
