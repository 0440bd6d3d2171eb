"""Makes the typeset styles: python -m benchmarks.typeset OUT."""

import sys
from pathlib import Path

from benchmarks.typeset import make_all


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.typeset OUT")
    for path in make_all(Path(sys.argv[1])):
        print(path)


if __name__ == "__main__":
    main()
