"""`python -m benchmarks.ablation`: switches off each rule of the layout engine and tells which change no score.

A rule is a named constant (set to nothing, or beyond all bounds) or a predicate (never true, always true). It matters
as soon as one document scores otherwise without it, so most are decided by a few documents. First all documents are
read once, and it is noted which functions each of them calls and what its predicates answer: a rule is tried only where
it can make a difference. With CORPUS=… its documents are among them.
"""

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import gettempdir
from types import FrameType

from benchmarks.ablation.documents import Library, Made, Scored, all_documents, by_set, made_of, read_anew, score_of
from benchmarks.ablation.rules import Rule, all_rules, switched_off
from benchmarks.ablation.watching import Seen, watched
from benchmarks.documents import corpus

EXACT = 1e-9
PROCESSES = 2
LONGEST_SECONDS = 20.0
"""Of processor time for a document: without a bound that a rule sets, some would take for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What became of the documents without a rule, up to the first that scores otherwise."""

    rule: str
    line: int
    variant: str
    tried: int
    otherwise: list[str]
    """Documents of which the Markdown, or where a picture is cut out, is another."""
    scores_otherwise: str = ""
    difference: float = 0.0


@dataclass(frozen=True, slots=True)
class _Baseline:
    made: Mapping[str, Made]
    scores: Mapping[str, float]
    seen: Mapping[str, Seen]


def main() -> int:
    wanted = _arguments()
    began = time.monotonic()
    documents = all_documents(wanted.kept, corpus(), every=wanted.every)
    rules = [rule for rule in all_rules() if not wanted.only or any(name in rule.title for name in wanted.only)]
    library = Library(wanted.kept)
    print(f"{len(rules)} rules, {len(documents)} documents (one in {wanted.every} of the set `documents`)")
    with ProcessPoolExecutor(PROCESSES) as pool:
        baseline = _baseline(documents, list(pool.map(_measured, documents, [library] * len(documents), chunksize=8)))
    for name, mean, count in by_set(baseline.scores):
        print(f"  {name:10} {mean:.4f} over {count}")
    findings: list[Finding] = []
    left = wanted.minutes * 60 - (time.monotonic() - began)
    with (
        ProcessPoolExecutor(PROCESSES, initializer=_prepare, initargs=(documents, library, baseline)) as pool,
        Path(wanted.json or os.devnull).open("a", encoding="utf-8") as told,
    ):
        waiting = [pool.submit(_tried, rule, variant) for rule, variant in _cheapest_first(rules, baseline)]
        try:
            for done in as_completed(waiting, timeout=max(left, 1.0)):
                findings.append(done.result())
                print(json.dumps(asdict(findings[-1])), file=told, flush=True)
        except TimeoutError:
            print(f"the time is over: {len(waiting) - len(findings)} of {len(waiting)} variants were not tried")
        pool.shutdown(wait=False, cancel_futures=True)
    _report(findings)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="rules whose name contains this")
    parser.add_argument("--every", type=int, default=1, help="one in so many of the set `documents` (default: 1, all)")
    parser.add_argument("--minutes", type=float, default=60.0, help="no longer than this (default: 60)")
    parser.add_argument("--json", type=Path, help="appends each finding to this file, a line each")
    default = Path(gettempdir(), f"blobforge-ablation-{os.getuid()}")
    parser.add_argument("--kept", type=Path, default=default, help="keeps made and read pages there")
    return parser.parse_args()


def _measured(document: Scored, library: Library) -> tuple[Made, float, Seen]:
    """Read anew once, so that what reading calls is seen, too."""
    library.pages(document)
    with watched() as seen:
        made = made_of(document, read_anew(document))
    return made, score_of(made.markdown, document, corpus()), seen


def _baseline(documents: Sequence[Scored], measured: Sequence[tuple[Made, float, Seen]]) -> _Baseline:
    by_title = {document.title: each for document, each in zip(documents, measured, strict=True)}
    return _Baseline(
        {title: each[0] for title, each in by_title.items()},
        {title: each[1] for title, each in by_title.items()},
        {title: each[2] for title, each in by_title.items()},
    )


def _cheapest_first(rules: Sequence[Rule], baseline: _Baseline) -> list[tuple[Rule, str]]:
    """What concerns few documents is tried soon, and is most likely to have no effect: so a limited time tells much."""
    variants = [(rule, variant) for rule in rules for variant in rule.variants]
    costs = {
        (rule, variant): sum(seen.concerns(rule, variant) for seen in baseline.seen.values())
        for rule, variant in variants
    }
    return sorted(variants, key=lambda one: (one[0].is_of_reading, costs[one]))


_SHARED: list[tuple[Sequence[Scored], Library, _Baseline]] = []
"""Of each process of the pool."""


def _prepare(documents: Sequence[Scored], library: Library, baseline: _Baseline) -> None:
    _SHARED.append((documents, library, baseline))


def _tried(rule: Rule, variant: str) -> Finding:
    documents, library, baseline = _SHARED[0]
    concerned = [document for document in documents if baseline.seen[document.title].concerns(rule, variant)]
    other: list[str] = []
    with switched_off(rule, variant):
        for tried, document in enumerate(concerned, start=1):
            made = _attempted(document, library, rule)
            if made != baseline.made[document.title]:
                other.append(document.title)
                score = score_of(made.markdown, document, corpus()) if made is not None else 0.0
                difference = score - baseline.scores[document.title]
                if abs(difference) > EXACT:
                    return Finding(
                        rule=rule.title,
                        line=rule.line,
                        variant=variant,
                        tried=tried,
                        otherwise=other,
                        scores_otherwise=document.title,
                        difference=difference,
                    )
    return Finding(rule=rule.title, line=rule.line, variant=variant, tried=len(concerned), otherwise=other)


def _attempted(document: Scored, library: Library, rule: Rule) -> Made | None:
    """None where nothing can be read without the rule, or not in the time: then it matters."""
    signal.signal(signal.SIGPROF, _give_up)
    signal.setitimer(signal.ITIMER_PROF, LONGEST_SECONDS)
    try:
        return made_of(document, read_anew(document) if rule.is_of_reading else library.pages(document))
    except Exception:  # noqa: BLE001 - whatever fails without the rule
        return None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _give_up(_signal: int, _frame: FrameType | None) -> None:
    raise TimeoutError


def _report(findings: Sequence[Finding]) -> None:
    idle = sorted(_without_effect(findings), key=lambda finding: (finding.rule, finding.variant))
    for finding in idle:
        others = f"other output in {len(finding.otherwise)}" if finding.otherwise else "same output"
        print(f"{finding.rule:70} {finding.variant:7} {finding.tried:4} documents tried, {others}")
    names = {finding.rule for finding in findings}
    print(f"{len({finding.rule for finding in idle})} of {len(names)} rules change no score when they are switched off")
    print(json.dumps([asdict(finding) for finding in idle]))


def _without_effect(findings: Sequence[Finding]) -> Iterator[Finding]:
    return (finding for finding in findings if not finding.scores_otherwise)


if __name__ == "__main__":
    sys.exit(main())
