"""`convert` with its children shut in, against children that may do everything."""

import resource
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.convert_rate import convert_seconds
from benchmarks.documents import make_shelf_of_rulebooks
from benchmarks.harness import Measure, interleaved

DOCUMENTS, REPETITIONS = 200, 3


def measures() -> Iterator[Measure]:
    with TemporaryDirectory() as folder:
        library = Path(folder, "library")
        make_shelf_of_rulebooks(library, documents=DOCUMENTS)
        shut_in, free = interleaved(
            [
                lambda: _processor_seconds(library, Path(folder), sandbox="required"),
                lambda: _processor_seconds(library, Path(folder), sandbox="off"),
            ],
            repetitions=REPETITIONS,
        )
    yield Measure(
        what="sandbox: conversions with it, against without",
        value=free / shut_in,
        unit="x",
        goal=0.95,
        details=f"{shut_in / DOCUMENTS:.3f} against {free / DOCUMENTS:.3f} s of processor time a document",
    )


def _processor_seconds(library: Path, folder: Path, *, sandbox: str) -> float:
    """Of the program and all that it started: a few per cent of the time on the wall are lost in its noise."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    convert_seconds(library, folder, BLOBFORGE_SANDBOX=sandbox)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
