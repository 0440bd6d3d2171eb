"""`python -m tests.mutants`: plants bugs in the queue one by one, and tells which test catches each.

`--only NAME` tries one (it may be said several times), `--list` names all, `--check` looks in seconds whether all of
them, and the traces of `make prove`, fit the source as it is. Exit code 1: one survived; 2: no proof.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

from tests import postgres
from tests.mutants.catalogue import MUTANTS
from tests.mutants.mutant import Mutant, misfits
from tests.mutants.trial import Bench, Trial
from tests.proof.traces import TRACES

AT_ONCE = 2


def main() -> int:
    arguments = _arguments()
    chosen = [mutant for mutant in MUTANTS if not arguments.only or mutant.name in arguments.only]
    unknown = set(arguments.only).difference(mutant.name for mutant in chosen)
    if unknown:
        tell(f"there is no mutant {', '.join(sorted(unknown))}; --list names all")
        return 2
    if arguments.list:
        for mutant in chosen:
            tell(f"{mutant.name:<55} {mutant.file}")
        return 0
    edits = [] if arguments.only else [mutant for trace in TRACES for mutant in trace.mutants]
    if not _fit([*chosen, *edits]):
        return 2
    if arguments.check:
        return 0
    settings = postgres.SETTINGS + "max_connections = 200\n"
    with postgres.running(settings=settings) as server, TemporaryDirectory(prefix="blobforge-mutants-") as folder:
        benches: SimpleQueue[Bench] = SimpleQueue()
        for number in range(AT_ONCE):
            benches.put(Bench(Path(folder) / str(number), postgres_url=server.url))
        return _prove(chosen, benches)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="try this one")
    parser.add_argument("--list", action="store_true", help="name them all")
    parser.add_argument("--check", action="store_true", help="only look whether they fit the source")
    return parser.parse_args()


def _fit(mutants: Sequence[Mutant]) -> bool:
    """Before the slow part: a mutant that cannot be planted proves nothing."""
    wrong = misfits(mutants)
    for sentence in wrong:
        tell(sentence)
    tell(f"{len(mutants) - len(wrong)} of {len(mutants)} fit the source")
    return not wrong


def _prove(chosen: Sequence[Mutant], benches: "SimpleQueue[Bench]") -> int:
    honest = _try_without(chosen, benches)
    if honest.caught_by or honest.trouble:
        tell(f"nothing can be proved: without a mutant, {honest.caught_by or honest.trouble} fails")
        return 2
    tell(f"without a mutant all tests pass ({honest.seconds:.0f} s)")
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="mutant") as pool:
        trials = list(pool.map(lambda mutant: _try_out(mutant, benches), chosen))
    caught = sum(trial.caught_by is not None for trial in trials)
    tell(f"caught {caught} of {len(chosen)}")
    if any(trial.trouble for trial in trials):
        return 2
    return 0 if caught == len(chosen) else 1


def _try_without(chosen: Sequence[Mutant], benches: "SimpleQueue[Bench]") -> Trial:
    tests = tuple(dict.fromkeys(test for mutant in chosen for test in mutant.tests))
    bench = benches.get()
    try:
        return bench.try_without(tests)
    finally:
        benches.put(bench)


def _try_out(mutant: Mutant, benches: "SimpleQueue[Bench]") -> Trial:
    bench = benches.get()
    try:
        trial = bench.try_out(mutant)
    except ValueError as error:
        trial = Trial(None, 0.0, str(error))
    finally:
        benches.put(bench)
    outcome = f"ERROR: {trial.trouble}" if trial.trouble else trial.caught_by or "SURVIVED"
    tell(f"{mutant.name:<55} {mutant.file:<40} {outcome}  {trial.seconds:.1f} s")
    return trial


def tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
