"""The processor `echo`: copies its source, unit by unit, and goes wrong where its options ask for it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from blobforge.domain.errors import EngineFailed
from blobforge.domain.json_value import JsonObject
from blobforge.domain.needs import NOTHING
from blobforge.domain.page import Page, PageOutcome, tally
from blobforge.domain.recipe import Recipe
from blobforge.ports.processor import Gap, Plan, ProcessorInfo, Product, Progress, Report, Slice, Task, VersionChange
from blobforge.processors import result_archive
from blobforge.processors.echo.mischief import crash, misbehave
from blobforge.processors.echo.options import EchoOptions, parse_options
from blobforge.processors.result_archive import Entry

INFO = ProcessorInfo(
    name="echo",
    version="1",
    summary="Gives the source back unchanged; its options simulate failures, to try limits and retries",
    types=("echo",),
    changes=(VersionChange("1", "the first version"),),
)
DOCUMENT = "document.bin"


class EchoProcessor:
    """A unit is an equal share of the source's bytes."""

    @property
    def info(self) -> ProcessorInfo:
        return INFO

    def recipe(self, options: JsonObject) -> Recipe:
        return _recipe(parse_options(options))

    def needs(self, options: JsonObject, *, refused: str | None = None) -> frozenset[str]:  # noqa: ARG002 - the port
        parse_options(options)
        return NOTHING

    def has(self) -> frozenset[str]:
        return NOTHING

    def mended(self, options: JsonObject) -> frozenset[str]:  # noqa: ARG002 - the form of the port
        return frozenset()

    def plan(self, task: Task) -> Plan:
        options = parse_options(task.options)
        if options.stage == "plan":
            misbehave(options, task.workspace, _nobody)
        return Plan(slices=tuple(_slices(options)))

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        options = parse_options(task.options)
        if options.stage == "run":
            misbehave(options, task.workspace, report)
        total = part.last - part.first + 1
        for done, unit in enumerate(range(part.first, part.last + 1), start=1):
            if unit == options.crash_unit:
                crash(options)
            if unit != options.fail_unit:
                _copy(task, unit, of=plan.units)
            report(Progress("copying", done, total))

    def join(self, task: Task, plan: Plan, gaps: Sequence[Gap], report: Report) -> Product:
        options = parse_options(task.options)
        if options.stage == "join":
            misbehave(options, task.workspace, report)
        missing = result_archive.gap_pages(gaps)
        pages = [missing.get(unit) or _account(task, unit) for unit in range(1, plan.units + 1)]
        copied = (_share(task, page.number) for page in pages if page.outcome is PageOutcome.TEXT)
        entries = [
            Entry(DOCUMENT, b"".join(path.read_bytes() for path in copied)),
            Entry(result_archive.INFO, result_archive.info_json(task, _recipe(options), pages, {})),
        ]
        archive = task.workspace / result_archive.ARCHIVE
        size = result_archive.write_archive(archive, entries)
        report(Progress("writing", plan.units, plan.units))
        return Product(archive=archive, summary={**tally(pages)._asdict(), "images": 0, "output_size": size})


def _recipe(options: EchoOptions) -> Recipe:
    return Recipe(
        processor=INFO.name, version=INFO.version, engine="echo", engine_version="1", options=options.as_json()
    )


def _slices(options: EchoOptions) -> Iterator[Slice]:
    units = max(options.units, options.slices)
    for place in range(options.slices):
        yield Slice(units * place // options.slices + 1, units * (place + 1) // options.slices)


def _copy(task: Task, unit: int, *, of: int) -> None:
    size = task.source.stat().st_size
    start, end = size * (unit - 1) // of, size * unit // of
    with task.source.open("rb") as source:
        source.seek(start)
        _share(task, unit).write_bytes(source.read(end - start))


def _account(task: Task, unit: int) -> Page:
    if _share(task, unit).exists():
        return Page(unit, PageOutcome.TEXT)
    return Page(unit, PageOutcome.FAILED, EngineFailed.code, "this unit was not copied")


def _share(task: Task, unit: int) -> Path:
    return task.workspace / f"unit-{unit:06d}"


def _nobody(_progress: Progress) -> None:
    """Planning has no progress to report."""
