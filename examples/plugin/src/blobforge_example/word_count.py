"""The processor `word_count`: how many words each line of a text has. A unit is a line."""

import json
from collections.abc import Sequence
from pathlib import Path

from blobforge.domain.errors import EmptySource, EngineFailed, InvalidOptions
from blobforge.domain.json_value import JsonObject
from blobforge.domain.page import Page, PageOutcome, tally
from blobforge.domain.recipe import Recipe
from blobforge.ports.processor import Gap, Plan, ProcessorInfo, Product, Progress, Report, Slice, Task, VersionChange
from blobforge.processors import result_archive
from blobforge.processors.result_archive import Entry

INFO = ProcessorInfo(
    name="word_count",
    version="1",
    summary="Counts the words of a text, line by line",
    types=("text",),
    changes=(VersionChange("1", "the first version"),),
)
SLICE_LINES = 1000


class WordCountProcessor:
    @property
    def info(self) -> ProcessorInfo:
        return INFO

    def recipe(self, options: JsonObject) -> Recipe:
        """All that the result is known by: the version, and the options with their defaults filled in."""
        lines = _slice_lines(options)
        return Recipe(
            processor=INFO.name,
            version=INFO.version,
            engine="word_count",
            engine_version=INFO.version,
            options={"slice_lines": lines},
        )

    def needs(self, options: JsonObject, *, refused: str | None = None) -> frozenset[str]:  # noqa: ARG002 - the port
        _slice_lines(options)
        return frozenset()

    def has(self) -> frozenset[str]:
        return frozenset()

    def mended(self, options: JsonObject) -> frozenset[str]:  # noqa: ARG002 - the port
        return frozenset()

    def plan(self, task: Task) -> Plan:
        lines, longest = len(_lines(task)), _slice_lines(task.options)
        if not lines:
            raise EmptySource(f"{task.source_name} has no lines")
        return Plan(slices=tuple(Slice(at, min(at + longest - 1, lines)) for at in range(1, lines + 1, longest)))

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:  # noqa: ARG002 - the port
        """Leaves what it found in the workspace: another process may join it."""
        lines = _lines(task)[part.first - 1 : part.last]
        for done, line in enumerate(lines, start=1):
            _count_of(task, part.first + done - 1).write_text(str(len(line.split())))
            report(Progress("counting", done, len(lines)))

    def join(self, task: Task, plan: Plan, gaps: Sequence[Gap], report: Report) -> Product:
        missing = result_archive.gap_pages(gaps)
        units = range(1, plan.units + 1)
        pages = [missing.get(unit) or _account(task, unit) for unit in units]
        counts = {
            page.number: int(_count_of(task, page.number).read_text())
            for page in pages
            if page.outcome is PageOutcome.TEXT
        }
        if not counts:
            raise EngineFailed(f"{task.source_name}: no line could be counted")
        entries = [
            Entry("words.json", json.dumps({"words": sum(counts.values()), "lines": counts}).encode()),
            Entry(result_archive.INFO, result_archive.info_json(task, self.recipe(task.options), pages, {})),
        ]
        archive = task.workspace / result_archive.ARCHIVE
        size = result_archive.write_archive(archive, entries)
        report(Progress("writing", plan.units, plan.units))
        return Product(archive=archive, summary={**tally(pages)._asdict(), "images": 0, "output_size": size})


def _slice_lines(options: JsonObject) -> int:
    """Values may be text, as a command line gives them."""
    unknown = set(options) - {"slice_lines"}
    if unknown:
        raise InvalidOptions(f"there is no option {min(unknown)!r}; there is slice_lines")
    text = str(options.get("slice_lines", SLICE_LINES))
    if not text.isdecimal() or not int(text):
        raise InvalidOptions(f"slice_lines={text!r}: use a number of lines from 1 on")
    return int(text)


def _lines(task: Task) -> list[str]:
    return task.source.read_text(encoding="utf-8", errors="replace").splitlines()


def _count_of(task: Task, unit: int) -> Path:
    return task.workspace / f"line-{unit:06d}"


def _account(task: Task, unit: int) -> Page:
    if _count_of(task, unit).exists():
        return Page(unit, PageOutcome.TEXT)
    return Page(unit, PageOutcome.FAILED, EngineFailed.code, "this line was not counted")
