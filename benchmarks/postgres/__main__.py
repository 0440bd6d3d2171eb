"""`python -m benchmarks.postgres [--quick] [NAME ...]`: all or some, and exits with 1 where a goal is missed."""

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from benchmarks.harness import Measure, report
from benchmarks.postgres import claim_cost, drain, enqueue, killed, wake_up
from benchmarks.postgres.effort import FULL, QUICK, Effort
from benchmarks.postgres.place import ClaimPosition, place

BENCHMARKS: dict[str, Callable[[ClaimPosition, Effort], Iterable[Measure]]] = {
    "drain": drain.measures,
    "enqueue": enqueue.measures,
    "claim-cost": claim_cost.measures,
    "wake-up": wake_up.measures,
    "killed": killed.measures,
}


def main() -> int:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.postgres", description=__doc__)
    arguments.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    arguments.add_argument("--quick", action="store_true", help="a tenth of the jobs and one round")
    arguments.add_argument("--rounds", type=int, help="so often the contestants take turns")
    asked = arguments.parse_args()
    effort = QUICK if asked.quick else FULL
    if asked.rounds:
        effort = replace(effort, rounds=asked.rounds)
    if unknown := set(asked.names) - set(BENCHMARKS):
        arguments.error(f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    # Whoever ends it by a signal finds no server, no worker and no folder left behind.
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    measures: list[Measure] = []
    with place() as server:
        for name in asked.names or BENCHMARKS:
            began = time.monotonic()
            measures += BENCHMARKS[name](server, effort)
            print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0 if report(measures) else 1


if __name__ == "__main__":
    sys.exit(main())
