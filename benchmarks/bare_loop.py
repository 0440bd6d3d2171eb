"""The bare limit: the engine in a pool of processes and nothing else. `python -m benchmarks.bare_loop IN OUT N`."""

import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

from benchmarks.engine_run import Convert, bare_engine
from blobforge.processors.pdf_markdown.engines.registry import DEFAULT


@cache
def engine() -> Convert:
    """One a process."""
    return bare_engine(DEFAULT)


def convert(source: str, target: str) -> None:
    Path(target).write_text(engine()(Path(source)), encoding="utf-8")


def main() -> None:
    library, out, processes = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    sources = sorted(library.rglob("*.pdf"))
    targets = [out / path.relative_to(library).with_suffix(".md") for path in sources]
    for folder in {target.parent for target in targets}:
        folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(processes) as pool:
        list(pool.map(convert, map(str, sources), map(str, targets), chunksize=8))


if __name__ == "__main__":
    main()
