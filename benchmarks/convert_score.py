"""`python -m benchmarks.convert_score`: how good and how fast the engines are, side by side on the same documents.

The pages that we typeset ourselves are scored by `benchmarks.likeness`. With CORPUS=… its documents are scored too, by
its own scorer.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks import onepage, printed, styles, typeset
from benchmarks.documents import corpus
from benchmarks.harness import Measure, report
from benchmarks.likeness import likeness
from benchmarks.printed.chromium import ChromiumMissing

OURS = "blobforge"
PEERS = {
    "liteparse": "liteparse",
    "pdf-inspector": "pdf_inspector",
    "pdf-oxide": "pdf_oxide",
    "pymupdf4llm": "pymupdf4llm",
}
REPETITIONS = 5
GOALS = {"styles": 0.96, "typeset": 0.96, "printed": 0.96, "onepage": 0.96, "rulebooks": 0.98, "dpbench": 0.93}
OWN = {"styles": styles.make_all, "typeset": typeset.make_all, "printed": printed.make_all, "onepage": onepage.make_all}
FASTEST_GOAL, MEMORY_GOAL = 60.0, 200.0


class Set(NamedTuple):
    """Documents with the truth beside them."""

    name: str
    folder: Path


class Cost(NamedTuple):
    pages_a_second: float
    peak_mb: float


def main() -> int:
    engines = [OURS, *(name for name, module in PEERS.items() if find_spec(module) is not None)]
    print(f"left out, not installed: {', '.join(sorted(set(PEERS) - set(engines))) or 'nothing'}")
    measures: list[Measure] = []
    with TemporaryDirectory() as place:
        for documents in _sets(Path(place)):
            measures += _compared(documents, engines, Path(place, "out"))
    return 0 if report(measures) else 1


def _sets(place: Path) -> Iterator[Set]:
    for name, make_all in OWN.items():
        try:
            make_all(place / name)
        except ChromiumMissing as error:
            print(f"left out, the pages of {name}: {error}")
            continue
        yield Set(name, place / name)
    given = corpus()
    if given is None:
        print("CORPUS is not set: only the pages that are typeset here are measured")
        return
    for name in ("rulebooks", "dpbench"):
        copied = place / name
        copied.mkdir()
        for path in sorted((given / name).iterdir()):
            if path.suffix in (".pdf", ".md") and "scan" not in path.name:
                shutil.copyfile(path, copied / path.name)
        yield Set(name, copied)


def _compared(documents: Set, engines: list[str], out: Path) -> Iterator[Measure]:
    costs: dict[str, list[Cost]] = {engine: [] for engine in engines}
    for _ in range(REPETITIONS):
        for engine in engines:
            costs[engine].append(_run(engine, documents, out / documents.name / engine))
    for engine in engines:
        scores = _scores(documents, out / documents.name / engine)
        speed = statistics.median(cost.pages_a_second for cost in costs[engine])
        peak = max(cost.peak_mb for cost in costs[engine])
        print(f"{documents.name:10} {engine:14} {_in_words(scores)}  {speed:6.1f} pages/CPU-s  {peak:5.0f} MB")
        if engine == OURS:
            yield Measure(
                what=f"{documents.name}: overall", value=scores["overall"], unit="", goal=GOALS[documents.name]
            )
            # A goal for documents as they come; those that we make are few pages, half of them hard ones.
            goal = None if documents.name in OWN else FASTEST_GOAL
            yield Measure(what=f"{documents.name}: pages per CPU-second", value=speed, unit="/s", goal=goal)
            yield Measure(what=f"{documents.name}: peak memory", value=peak, unit="MB", goal=MEMORY_GOAL, better="less")


def _run(engine: str, documents: Set, out: Path) -> Cost:
    command = [sys.executable, "-m", "benchmarks.engine_run", engine, str(documents.folder), str(out)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    told = json.loads(done.stdout.splitlines()[-1])
    return Cost(told["pages"] / told["cpu_seconds"], told["peak_mb"])


def _scores(documents: Set, out: Path) -> Mapping[str, float]:
    given = corpus()
    if given is None or documents.name in OWN:
        return _own_scores(documents, out)
    with TemporaryDirectory() as place:
        told = Path(place, "scores.json")
        command = [sys.executable, str(given / "score_markdown.py"), str(documents.folder), str(out)]
        subprocess.run([*command, "--json", str(told)], check=True, stdout=subprocess.DEVNULL, env=os.environ)
        summary: dict[str, Any] = json.loads(told.read_text(encoding="utf-8"))["summary"]
    return {**summary["all"], **{name: group["overall"] for name, group in summary.items() if name != "all"}}


def _own_scores(documents: Set, out: Path) -> Mapping[str, float]:
    each = [
        likeness(truth.read_text(encoding="utf-8"), (out / truth.name).read_text(encoding="utf-8"))
        for truth in sorted(documents.folder.glob("*.md"))
    ]
    return {
        "overall": statistics.mean(one.overall for one in each),
        "text": statistics.mean(one.text for one in each),
        "headings": statistics.mean(one.headings for one in each if one.headings is not None),
        "tables": statistics.mean(one.tables for one in each if one.tables is not None),
    }


def _in_words(scores: Mapping[str, float]) -> str:
    return "  ".join(f"{name} {score:.3f}" for name, score in scores.items())


if __name__ == "__main__":
    sys.exit(main())
