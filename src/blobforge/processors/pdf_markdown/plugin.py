"""The processor `pdf_markdown`: cheap to import and to ask; the libraries that do the work come with `plan`."""

from collections.abc import Sequence

from blobforge.domain.errors import InvalidOptions, OcrUnavailable
from blobforge.domain.json_value import JsonObject
from blobforge.domain.recipe import Recipe
from blobforge.ports.processor import Gap, Plan, ProcessorInfo, Product, Report, Slice, Task
from blobforge.processors.pdf_markdown.conversion import Conversion
from blobforge.processors.pdf_markdown.engines import registry
from blobforge.processors.pdf_markdown.engines.engine import Document, Engine
from blobforge.processors.pdf_markdown.joining import Joining
from blobforge.processors.pdf_markdown.ocr.reader import FindTesseract, OcrReader
from blobforge.processors.pdf_markdown.ocr.tesseract import find_tesseract
from blobforge.processors.pdf_markdown.options import Options, parse_options
from blobforge.processors.pdf_markdown.page_ranges import cut, cut_off, format_ranges
from blobforge.processors.pdf_markdown.source_file import SourceFile, open_source

INFO = ProcessorInfo(
    name="pdf_markdown",
    version="1",
    summary="Turns a PDF into Markdown with its images, and reads scans by OCR",
    types=("pdf",),
)


class PdfMarkdownProcessor:
    """Keeps its engines, with the weights that they loaded, for the documents to come."""

    def __init__(self, find_tesseract: FindTesseract = find_tesseract) -> None:
        self._find_tesseract = find_tesseract
        self._engines: dict[str, Engine] = {}

    @property
    def info(self) -> ProcessorInfo:
        return INFO

    def recipe(self, options: JsonObject) -> Recipe:
        return _recipe(parse_options(options))

    def mended(self) -> frozenset[str]:
        return frozenset() if self._find_tesseract() is None else frozenset({OcrUnavailable.code})

    def plan(self, task: Task) -> Plan:
        options = parse_options(task.options)
        engine = self._engine(options.engine)
        source = open_source(task)
        slices = _slices(task, options, source)
        survey = engine.survey(_document(task, source, survey={}))
        return Plan(slices=slices, notes={"source": source.as_json(), "survey": survey})

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        options = parse_options(task.options)
        source, document = _planned(task, plan)
        ocr = OcrReader(self._find_tesseract, options.ocr_languages) if options.ocr == "auto" else None
        engine = self._engine(options.engine)
        Conversion(task, document, engine=engine, ocr=ocr, repaired=source.repaired).run(part, report)

    def join(self, task: Task, plan: Plan, gaps: Sequence[Gap], report: Report) -> Product:
        options = parse_options(task.options)
        source, document = _planned(task, plan)
        stitch = registry.engine_class(options.engine).stitch
        joining = Joining(task, _recipe(options), source, page_marks=options.page_marks)
        return joining.run(plan, gaps, report, stitch=lambda pages: stitch(document, pages))

    def _engine(self, name: str) -> Engine:
        if name not in self._engines:
            self._engines[name] = registry.engine_class(name)()
        return self._engines[name]


def _recipe(options: Options) -> Recipe:
    return Recipe(
        processor=INFO.name,
        version=INFO.version,
        engine=options.engine,
        engine_version=registry.engine_version(options.engine),
        options=options.as_json(),
    )


def _slices(task: Task, options: Options, source: SourceFile) -> tuple[Slice, ...]:
    wanted = cut_off(options.pages or (Slice(1, source.pages),), last=source.pages)
    if not wanted:
        asked = format_ranges(options.pages)
        raise InvalidOptions(f"{task.source_name}: pages={asked!r}, but the document ends with page {source.pages}")
    return cut(wanted, longest=options.slice_pages)


def _planned(task: Task, plan: Plan) -> tuple[SourceFile, Document]:
    found, survey = plan.notes["source"], plan.notes["survey"]
    assert isinstance(found, dict)
    assert isinstance(survey, dict)
    source = SourceFile(**found)
    return source, _document(task, source, survey=survey)


def _document(task: Task, source: SourceFile, *, survey: JsonObject) -> Document:
    return Document(path=source.path(task), pages=source.pages, survey=survey)
