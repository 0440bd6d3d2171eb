"""`python -m benchmarks [NAME ...]`: runs all or some, and exits with 1 where a goal is missed."""

import os
import sys
import time
from collections.abc import Callable, Iterable

from benchmarks import (
    claim_cost,
    convert_again,
    convert_rate,
    durability,
    ingest,
    list_pages,
    manifest,
    memory,
    queue_drain,
    sandbox,
    start_up,
    wake_up,
)
from benchmarks.harness import Measure, report

BENCHMARKS: dict[str, Callable[[], Iterable[Measure]]] = {
    "start-up": start_up.measures,
    "queue-drain": queue_drain.measures,
    "claim-cost": claim_cost.measures,
    "list-pages": list_pages.measures,
    "wake-up": wake_up.measures,
    "convert-rate": convert_rate.measures,
    "sandbox": sandbox.measures,
    "durability": durability.measures,
    "convert-again": convert_again.measures,
    "ingest": ingest.measures,
    "memory": memory.measures,
    "manifest": manifest.measures,
}


def main() -> int:
    wanted = sys.argv[1:] or list(BENCHMARKS)
    unknown = set(wanted) - set(BENCHMARKS)
    if unknown:
        print(f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
        return 2
    if not os.environ.get("CORPUS"):
        print("CORPUS is not set: documents are made here; rates on real documents are left out")
    measures: list[Measure] = []
    for name in wanted:
        began = time.monotonic()
        measures += BENCHMARKS[name]()
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0 if report(measures) else 1


if __name__ == "__main__":
    sys.exit(main())
