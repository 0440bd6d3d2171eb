"""Makes the page styles: python -m benchmarks.styles OUT."""

import sys
from pathlib import Path

from benchmarks.styles import make_all


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.styles OUT")
    for path in make_all(Path(sys.argv[1])):
        print(f"{path}: {path.stat().st_size // 1024} KB")


main()
