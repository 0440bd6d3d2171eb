"""`python -m benchmarks.SERIES OUT`: writes the pages of a series with the truth beside them."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.printed.chromium import ChromiumMissing


def write_series(name: str, make_all: Callable[[Path], Iterable[Path]]) -> None:
    if len(sys.argv) != 2:
        sys.exit(f"usage: python -m benchmarks.{name} OUT")
    try:
        made = make_all(Path(sys.argv[1]))
    except ChromiumMissing as error:
        sys.exit(str(error))
    for path in made:
        print(path)
