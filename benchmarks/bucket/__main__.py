"""`python -m benchmarks.bucket [--quick] [NAME ...]`: all or some, and exits with 1 where a goal is missed."""

import argparse
import logging
import signal
import sys
import time
from collections.abc import Callable, Iterable

from benchmarks import ingest, manifest
from benchmarks.bucket import crowd, idle, ingest_again, job_cost, real_jobs
from benchmarks.bucket.effort import FULL, QUICK, Effort
from benchmarks.harness import Measure, report

BENCHMARKS: dict[str, Callable[[Effort], Iterable[Measure]]] = {
    "job-cost": job_cost.measures,
    "idle": idle.measures,
    "crowd": crowd.measures,
    "ingest": ingest_again.measures,
    "real-jobs": real_jobs.measures,
    "manifest": lambda _: manifest.measures(),
    "hashing": lambda _: ingest.measures(),
}


def main() -> int:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.bucket", description=__doc__)
    arguments.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    arguments.add_argument("--quick", action="store_true", help="fewer jobs and less time")
    asked = arguments.parse_args()
    if unknown := set(asked.names) - set(BENCHMARKS):
        arguments.error(f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    # Whoever ends it by a signal finds no server, no worker and no folder left behind.
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    logging.getLogger("blobforge").setLevel(logging.CRITICAL)
    measures: list[Measure] = []
    for name in asked.names or BENCHMARKS:
        began = time.monotonic()
        measures += BENCHMARKS[name](QUICK if asked.quick else FULL)
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0 if report(measures) else 1


if __name__ == "__main__":
    sys.exit(main())
