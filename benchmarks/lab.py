"""`python -m benchmarks.lab`: how well lab reports are read, on reports that are typeset here in many layouts.

With CORPUS=… its reports are scored too, by its own scorer; every name is printed with the code that it got. Each of
them is also read with a table of biomarkers that has none of its names (leave-one-out, see `lab_reports/left_out.py`).
"""

import json
import re
import resource
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

from benchmarks import lab_reports
from benchmarks.documents import corpus
from benchmarks.harness import Measure, report
from benchmarks.lab_reports import left_out
from blobforge.domain.ids import SourceHash
from blobforge.ports.processor import Plan, Progress, Task
from blobforge.processors.lab_report.output.archive import NORMALIZED
from blobforge.processors.lab_report.page.slice_files import load_parts
from blobforge.processors.lab_report.page.words import PositionedWord
from blobforge.processors.lab_report.plugin import LabReportProcessor

GOALS = (97.0, 98.0, 95.0, 95.0, 100.0)
"""Of recall, precision, full rows, person and language."""
CODED = 90.0
SLOWEST, TYPICAL, MEMORY = 5.0, 1.0, 512.0
_FIGURE = re.compile(r"(recall|precision|full-row|person|language) ([\d.]+)%")

Truths = Mapping[str, Mapping[str, Any]]


def main() -> int:
    processor = LabReportProcessor()
    measures: list[Measure] = []
    with TemporaryDirectory() as place:
        own = Path(place, "typeset")
        lab_reports.make_all(own)
        measures += _own(processor, own, Path(place, "own"))
        given = corpus()
        if given is None:
            print("CORPUS is not set: only the reports that are typeset here are measured")
        elif not (given / "score_lab.py").exists():
            print(f"{given} has no score_lab.py: CORPUS is the folder with score_lab.py and lab/")
            return 1
        else:
            measures += _given(processor, given, Path(place, "given"))
    scale = 1024 if sys.platform != "darwin" else 1024 * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale
    measures.append(Measure(what="peak memory", value=peak, unit="MB", goal=MEMORY, better="less"))
    return 0 if report(measures) else 1


def _own(processor: LabReportProcessor, folder: Path, out: Path) -> Iterator[Measure]:
    seconds = _read_all(processor, folder, out)
    truths = _load(folder / "labels")
    found = _load(out)
    by_layout: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    person, spoken = 0, 0
    for name, truth in truths.items():
        hits, full = _hits(truth["observations"], found[name]["observations"])
        counts = (len(truth["observations"]), len(found[name]["observations"]), hits, full)
        layout = name.partition("-")[2]
        by_layout[layout] = [total + count for total, count in zip(by_layout[layout], counts, strict=True)]
        person += sum(_key(found[name][key]) == _key(truth[key]) for key in ("first_name", "second_name", "DOB"))
        spoken += found[name]["language"] == truth["language"]
    for layout, (true, read, hits, full) in by_layout.items():
        print(f"typeset {layout:24} true {true:3} read {read:3} hit {hits:3} full {full:3}")
    true, read, hits, full = (sum(counts[place] for counts in by_layout.values()) for place in range(4))
    shares = [hits / true, hits / read, full / true, person / len(truths) / 3, spoken / len(truths)]
    yield from _scores("typeset", shares, goals=GOALS)
    yield from _times("typeset", seconds)


def _given(processor: LabReportProcessor, given: Path, out: Path) -> Iterator[Measure]:
    seconds = _read_all(processor, given / "lab", out)
    yield from _scores("corpus", _scored(given, out), goals=GOALS)
    yield from _codes(_load(given / "lab" / "labels"), _load(out))
    yield from _times("corpus", seconds)
    unknowing = out / "unknowing"
    unknowing.mkdir()
    for source in sorted((given / "lab").glob("*.pdf")):
        (unknowing / f"{source.stem}.json").write_bytes(left_out.read_unknowing(_words(processor, source)))
    print("leave-one-out: each report with a table that has none of its names")
    yield from _scores("leave-one-out", _scored(given, unknowing)[:3], goals=(None, None, None))


def _scored(given: Path, out: Path) -> list[float]:
    """The shares that the scorer of the corpus prints, in the order of GOALS."""
    command = [sys.executable, str(given / "score_lab.py"), str(given / "lab" / "labels"), str(out)]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    print(told, end="")
    figures = dict(_FIGURE.findall(told.splitlines()[-1]))
    return [float(figures[name]) / 100 for name in ("recall", "precision", "full-row", "person", "language")]


def _codes(truths: Truths, found: Truths) -> Iterator[Measure]:
    wrong, coded, total = 0, 0, 0
    for name, truth in truths.items():
        for seen in found[name]["observations"]:
            wanted = next((one.get("biomarker_code") for one in truth["observations"] if _is_same(one, seen)), None)
            total += 1
            coded += seen["biomarker_code"] is not None
            wrong += wanted is not None and wanted != seen["biomarker_code"]
            print(f"code {name:24} {seen['biomarker_name']:40} {seen['unit'] or '-':14} -> {seen['biomarker_code']}")
    yield Measure(what="corpus: wrong codes", value=wrong, unit="", goal=0, better="less")
    yield Measure(what="corpus: coded", value=100 * coded / max(total, 1), unit="%", goal=CODED)


def _read_all(processor: LabReportProcessor, folder: Path, out: Path) -> list[float]:
    """Seconds of processor time for each report: other work on the machine does not count."""
    out.mkdir(parents=True)
    seconds = []
    for source in sorted(folder.glob("*.pdf")):
        began = time.process_time()
        result = _read(processor, source)
        seconds.append(time.process_time() - began)
        (out / f"{source.stem}.json").write_bytes(result)
    return seconds


def _read(processor: LabReportProcessor, source: Path) -> bytes:
    with TemporaryDirectory() as workspace:
        task, plan = _run(processor, source, Path(workspace))
        product = processor.join(task, plan, [], _nobody)
        with ZipFile(product.archive) as archive:
            return archive.read(NORMALIZED)


def _words(processor: LabReportProcessor, source: Path) -> dict[int, Sequence[PositionedWord]]:
    with TemporaryDirectory() as workspace:
        task, _ = _run(processor, source, Path(workspace))
        return {page.account.number: page.words for page in load_parts(task.workspace)}


def _run(processor: LabReportProcessor, source: Path, workspace: Path) -> tuple[Task, Plan]:
    source_hash = SourceHash(sha256(source.read_bytes()).hexdigest())
    task = Task(source=source, source_name=source.name, source_hash=source_hash, workspace=workspace)
    plan = processor.plan(task)
    for part in plan.slices:
        processor.run(task, plan, part, _nobody)
    return task, plan


def _nobody(_progress: Progress) -> None:
    """Nobody watches."""


def _load(folder: Path) -> Truths:
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def _hits(truth: list[dict[str, Any]], found: list[dict[str, Any]]) -> tuple[int, int]:
    """How many were found, and how many of them with unit and range."""
    left = list(found)
    hits = full = 0
    for wanted in truth:
        match = next((seen for seen in left if _is_same(wanted, seen)), None)
        if match is not None:
            left.remove(match)
            hits += 1
            full += all(_key(match[key]) == _key(wanted[key]) for key in ("unit", "reference_range"))
    return hits, full


def _is_same(wanted: Mapping[str, Any], seen: Mapping[str, Any]) -> bool:
    same_name = _key(wanted["biomarker_name"]) == _key(seen["biomarker_name"])
    return same_name and abs(float(wanted["value"]) - float(seen["value"])) < 1e-6


def _key(text: str | None) -> str:
    return re.sub(r"[\s()–—-]+", "", text or "").lower()


def _scores(where: str, shares: Sequence[float], *, goals: Sequence[float | None]) -> Iterator[Measure]:
    names = ("recall", "precision", "full rows", "person", "language")
    for name, share, goal in zip(names, shares, goals, strict=False):
        yield Measure(what=f"{where}: {name}", value=round(100 * share, 2), unit="%", goal=goal)


def _times(where: str, seconds: list[float]) -> Iterator[Measure]:
    # The first report also pays for loading the libraries.
    ordered = sorted(seconds)
    yield Measure(what=f"{where}: slowest report", value=ordered[-1], unit="s", goal=SLOWEST, better="less")
    yield Measure(
        what=f"{where}: typical report", value=ordered[len(ordered) // 2], unit="s", goal=TYPICAL, better="less"
    )


if __name__ == "__main__":
    sys.exit(main())
