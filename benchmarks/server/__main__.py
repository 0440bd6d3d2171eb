"""`python -m benchmarks.server [NAME ...]`: runs all or some, and exits with 1 where a goal is missed."""

import sys
import time
from collections.abc import Callable, Iterable

from benchmarks.harness import Measure, report
from benchmarks.server import drain, files, lists, throughput, waiting

BENCHMARKS: dict[str, Callable[[], Iterable[Measure]]] = {
    "throughput": throughput.measures,
    "waiting": waiting.measures,
    "lists": lists.measures,
    "drain": drain.measures,
    "files": files.measures,
}


def main() -> int:
    wanted = sys.argv[1:] or list(BENCHMARKS)
    if unknown := set(wanted) - set(BENCHMARKS):
        print(f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
        return 2
    measures: list[Measure] = []
    for name in wanted:
        began = time.monotonic()
        measures += BENCHMARKS[name]()
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0 if report(measures) else 1


if __name__ == "__main__":
    sys.exit(main())
