"""Makes the example library: python examples/make_examples.py [folder]. The same input gives the same bytes."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

LIBRARY = Path(__file__).resolve().parent / "library"


def make_library(folder: Path) -> None:
    for name, write in _writers().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path)


def _writers() -> Mapping[str, Callable[[Path], None]]:
    from examples.typesetting import atlas, handbook, letter, report, rulebook

    return {
        "rulebook.pdf": rulebook.write,
        "report.pdf": report.write,
        "scans/old-letter.pdf": letter.write,
        "handbook.pdf": handbook.write,
        "atlas.pdf": atlas.write,
    }


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else LIBRARY
    make_library(folder)
    for path in sorted(folder.rglob("*.pdf")):
        print(f"{path}: {path.stat().st_size // 1024} KB")


if __name__ == "__main__":
    # Run by its path, Python looks for modules beside this file; they are named from the folder above.
    sys.path.insert(0, str(LIBRARY.parents[1]))
    main()
