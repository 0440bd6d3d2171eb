"""`convert` with nothing new to do, against a bare walk that looks at every file."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.documents import make_pdf
from benchmarks.harness import Measure, interleaved

FILES = 10_000
CONTENTS = 50
ALLOWANCE_SECONDS = 0.5


def measures() -> Iterator[Measure]:
    with TemporaryDirectory() as folder:
        library, out, home = Path(folder, "library"), Path(folder, "out"), Path(folder, "home")
        _make(library)
        _convert(library, out, home)
        ours, walk = interleaved([lambda: _convert(library, out, home), lambda: _walk(library)])
    limit = 2 * walk + ALLOWANCE_SECONDS
    yield Measure(
        what=f"convert again, {FILES:,} files, nothing new: share of its limit",
        value=ours / limit,
        unit="x",
        goal=1,
        better="less",
        details=f"{ours:.2f} s; a bare walk takes {walk:.3f} s, so the limit is {limit:.2f} s",
    )


def _make(library: Path) -> None:
    """Few contents under many names: only the first run converts, and that is not what is measured."""
    contents: list[bytes] = []
    library.mkdir()
    for number in range(CONTENTS):
        make_pdf(library / "made.pdf", pages=1, seed=number)
        contents.append((library / "made.pdf").read_bytes())
    (library / "made.pdf").unlink()
    for number in range(FILES):
        place = library / f"results-{number % 100:02}"
        place.mkdir(exist_ok=True)
        (place / f"book-{number:05}.pdf").write_bytes(contents[number % CONTENTS])


def _convert(library: Path, out: Path, home: Path) -> float:
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "blobforge", "convert", str(library), "-o", str(out)],
        env={**os.environ, "BLOBFORGE_HOME": str(home)},
        check=True,
        stderr=subprocess.DEVNULL,
    )
    return time.perf_counter() - began


def _walk(library: Path) -> float:
    began = time.perf_counter()
    for folder, _, names in os.walk(library):
        for name in names:
            os.stat(os.path.join(folder, name))  # noqa: PTH116, PTH118 - the bare limit
    return time.perf_counter() - began
