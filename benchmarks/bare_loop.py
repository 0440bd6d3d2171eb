"""The bare limit: the engine in a pool of processes and nothing else. `python -m benchmarks.bare_loop IN OUT N`."""

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from liteparse import LiteParse

_parser = LiteParse(output_format="markdown", ocr_enabled=False, quiet=True, max_pages=10**9, image_mode="placeholder")


def convert(source: str, target: str) -> None:
    pages = _parser._native.parse(source).pages
    Path(target).write_text("\n\n".join(page.markdown for page in pages), encoding="utf-8")


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
