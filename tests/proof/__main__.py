"""`python -m tests.proof`: runs the real code of the queue in a bucket under schedules that a test never meets.

    python -m tests.proof                    a part of all pairs, some random schedules, all traces: some minutes
    python -m tests.proof pairs              every interleaving of two actors on one job, with one fault
    python -m tests.proof schedules          random schedules of three to eleven actors, in virtual time
    python -m tests.proof traces             each known way to lose a job, put back, is caught

Exit code 1: something does not hold; its schedule is printed.
"""

import argparse
import json
import logging
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from tests.mutants.mutant import misfits
from tests.proof import dice
from tests.proof.explorer import Explored
from tests.proof.pairs import Pair, all_pairs, explored, parse_pair
from tests.proof.schedules import Scheduled, scheduled
from tests.proof.traces import TRACES, Trace
from tests.proof.trial import copied, tried_out

Task = TypeVar("Task")
Result = TypeVar("Result")

QUICK_EVERY = 20
QUICK_SCHEDULES = 300
FULL_SCHEDULES = 20_000


def main() -> int:
    # What the queue logs is its own business here: schedules tell what happened.
    logging.disable(logging.CRITICAL)
    arguments = _arguments()
    parts: dict[str, Callable[[argparse.Namespace], bool]] = {
        "pairs": _pairs,
        "schedules": _schedules,
        "traces": _traces,
    }
    chosen = [parts[arguments.part]] if arguments.part else list(parts.values())
    # Each is run, also after one that failed.
    outcomes = [part(arguments) for part in chosen]
    return 0 if all(outcomes) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.proof", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", nargs="?", choices=["pairs", "schedules", "traces"], help="all three when left out")
    parser.add_argument("--only", action="append", default=[], metavar="PAIR", help='such as "waiting: fails, cancel"')
    parser.add_argument("--every", type=int, metavar="N", help="every Nth pair only")
    parser.add_argument("--faults", type=int, default=1, metavar="N", help="in a pair; 1 when left out")
    parser.add_argument("--late", action="store_true", help="what is cut off may arrive at any later moment")
    parser.add_argument("--count", type=int, metavar="N", help="how many schedules")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the first schedule")
    parser.add_argument("--trace", type=int, metavar="N", help="this one only")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes; 2 when left out")
    parser.add_argument("--json", action="store_true", help="one line a pair")
    return parser.parse_args()


def _pairs(arguments: argparse.Namespace) -> bool:
    every = arguments.every or (1 if arguments.part else QUICK_EVERY)
    pairs = [parse_pair(text) for text in arguments.only] or list(all_pairs())[::every]
    tasks = [(pair, arguments.faults, arguments.late) for pair in pairs]
    begun = time.monotonic()
    states = transitions = endings = broken = 0
    for pair, found in _spread(_explored, tasks, arguments.jobs):
        states, transitions, endings = states + found.states, transitions + found.transitions, endings + found.endings
        broken += bool(found.violations)
        _tell_pair(pair, found, as_json=arguments.json)
    took = time.monotonic() - begun
    told = f"{len(pairs)} pairs with {arguments.faults} fault(s): {states:,} states, {transitions:,} transitions, "
    tell(f"{told}{endings:,} endings; {broken} pairs broken ({took:.0f} s)")
    return not broken


def _explored(task: tuple[Pair, int, bool]) -> tuple[Pair, Explored]:
    pair, faults, late = task
    with dice.loaded():
        return pair, explored(pair, faults=faults, late=late)


def _tell_pair(pair: Pair, found: Explored, *, as_json: bool) -> None:
    complaint = found.violations[0].complaint if found.violations else None
    if as_json:
        tell(json.dumps({"pair": str(pair), "states": found.states, "complaint": complaint}))
    elif found.violations:
        tell(f"{pair}: {complaint}")
        for step in found.violations[0].schedule:
            tell(f"    {step}")


def _schedules(arguments: argparse.Namespace) -> bool:
    count = arguments.count or (FULL_SCHEDULES if arguments.part else QUICK_SCHEDULES)
    seeds = range(arguments.seed, arguments.seed + count)
    begun = time.monotonic()
    steps = broken = 0
    for run in _spread(_scheduled, seeds, arguments.jobs):
        steps += run.steps
        broken += bool(run.complaints)
        if run.complaints:
            tell(f"seed {run.seed}: {'; '.join(run.complaints)}")
            tell("\n".join(f"    {line}" for line in run.log) if count == 1 else "    (--count 1 --seed N tells it)")
    took = time.monotonic() - begun
    tell(f"{count:,} schedules from seed {arguments.seed}: {steps:,} steps; {broken} broken ({took:.0f} s)")
    return not broken


def _scheduled(seed: int) -> Scheduled:
    with dice.loaded():
        return scheduled(seed)


def _traces(arguments: argparse.Namespace) -> bool:
    chosen = [trace for trace in TRACES if arguments.trace in (None, trace.number)]
    if wrong := misfits(mutant for trace in chosen for mutant in trace.mutants):
        tell("\n".join(wrong))
        return False
    with TemporaryDirectory(prefix="blobforge-proof-") as folder:
        source = copied(Path(folder))
        caught = sum([_is_caught(trace, source) for trace in chosen]) if _is_honest(chosen, source) else 0
    tell(f"caught {caught} of {len(chosen)}")
    return caught == len(chosen)


def _is_honest(traces: Sequence[Trace], source: Path) -> bool:
    """Without any trace, nothing is found where they should be; else nothing is proved."""
    pairs = tuple(dict.fromkeys(pair for trace in traces for pair in trace.pairs))
    trial = tried_out(Trace(0, "nothing is put back", (), pairs), source) if pairs else None
    if trial is None or not (trial.caught_by or trial.trouble):
        return True
    tell(f"nothing can be proved: without a trace, {trial.caught_by or trial.trouble}")
    return False


def _is_caught(trace: Trace, source: Path) -> bool:
    trial = tried_out(trace, source)
    outcome = f"ERROR: {trial.trouble}" if trial.trouble else trial.caught_by or "SURVIVED"
    tell(f"trace {trace.number:>2}: {trace.name:<62} {outcome}  {trial.seconds:.1f} s")
    return trial.caught_by is not None


def _spread(work: Callable[[Task], Result], tasks: Sequence[Task], jobs: int) -> Iterator[Result]:
    if jobs <= 1 or len(tasks) <= 1:
        yield from map(work, tasks)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(work, tasks, chunksize=4)


def tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
