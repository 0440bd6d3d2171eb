"""Makes the printed styles: python -m benchmarks.printed OUT."""

import sys
from pathlib import Path

from benchmarks.printed import make_all
from benchmarks.printed.chromium import ChromiumMissing


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.printed OUT")
    try:
        made = make_all(Path(sys.argv[1]))
    except ChromiumMissing as error:
        sys.exit(str(error))
    for path in made:
        print(path)


if __name__ == "__main__":
    main()
