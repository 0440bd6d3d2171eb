"""Makes the pages: python -m benchmarks.onepage OUT."""

import sys
from pathlib import Path

from benchmarks.onepage import make_all
from benchmarks.printed.chromium import ChromiumMissing


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.onepage OUT")
    try:
        made = make_all(Path(sys.argv[1]))
    except ChromiumMissing as error:
        sys.exit(str(error))
    for path in made:
        print(path)


if __name__ == "__main__":
    main()
