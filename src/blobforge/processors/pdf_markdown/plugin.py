"""The processor `pdf_markdown`: cheap to import and to ask; the libraries that do the work come with `plan`."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from blobforge.domain.errors import EngineUnavailable, InvalidOptions, OcrUnavailable
from blobforge.domain.json_value import JsonObject
from blobforge.domain.needs import NOTHING, TESSERACT, engine, language
from blobforge.domain.recipe import Recipe
from blobforge.ports.processor import Gap, Plan, ProcessorInfo, Product, Report, Slice, Task
from blobforge.processors.pdf_markdown import footprints, versions
from blobforge.processors.pdf_markdown.engines import registry
from blobforge.processors.pdf_markdown.options import PdfOptions, parse_options
from blobforge.processors.pdf_markdown.page_ranges import cut, cut_off, format_ranges, set_apart

if TYPE_CHECKING:
    from blobforge.documents.ocr_program import FindOcr, OcrProgram
    from blobforge.processors.pdf_markdown.engines.engine import Document, Engine
    from blobforge.processors.pdf_markdown.ocr.reader import OcrReader
    from blobforge.processors.pdf_markdown.parts import Part
    from blobforge.processors.pdf_markdown.source_file import SourceFile

MOST_SURVEY_DEATHS = 3
"""After so many there is no further look at the document as a whole."""

INFO = ProcessorInfo(
    name="pdf_markdown",
    version=versions.VERSION,
    summary="Turns a PDF into Markdown with its images, and reads scans by OCR",
    types=("pdf",),
    changes=(*versions.CHANGES, *versions.CHANGES_OF_OURS),
)


class Latest(NamedTuple):
    """A document done in one slice, kept for a join in the same process: small ones come by the thousand."""

    task: Task
    plan: Plan
    part: "Part"


def _look_for_tesseract() -> "OcrProgram | None":
    from blobforge.documents.tesseract import find_tesseract

    return find_tesseract()


class PdfMarkdownProcessor:
    """Keeps its engines, with the weights that they loaded, for the documents to come."""

    def __init__(self, find_ocr: "FindOcr" = _look_for_tesseract) -> None:
        self._find_ocr = find_ocr
        self._engines: dict[str, Engine] = {}
        self._latest: Latest | None = None

    @property
    def info(self) -> ProcessorInfo:
        return INFO

    def recipe(self, options: JsonObject) -> Recipe:
        return _recipe(parse_options(options))

    def needs(self, options: JsonObject, *, refused: str | None = None) -> frozenset[str]:
        wanted = parse_options(options)
        if refused == OcrUnavailable.code:
            return frozenset(map(language, wanted.ocr_languages)) or frozenset({TESSERACT})
        if refused is not None:
            return frozenset({engine(wanted.engine)}) if refused == EngineUnavailable.code else NOTHING
        engines = {engine(wanted.engine)} if wanted.engine != registry.OURS else NOTHING
        return frozenset({*engines, *({TESSERACT} if wanted.read_pictures else NOTHING)})

    def has(self) -> frozenset[str]:
        from blobforge.documents.ocr_languages import readable

        program = self._find_ocr()
        ocr = [TESSERACT, *map(language, readable(program.languages))] if program is not None else []
        return frozenset([*map(engine, registry.installed()), *ocr])

    def mended(self, options: JsonObject) -> frozenset[str]:
        from blobforge.documents.ocr_languages import LANGUAGE_MISSING
        from blobforge.documents.ocr_program import can_read

        wanted, program = parse_options(options), self._find_ocr()
        if wanted.ocr != "auto" or program is None or not can_read(program, wanted.ocr_languages):
            return frozenset()
        # Which language an older result lacked is only known where it was asked for.
        has_all = bool(wanted.ocr_languages) and program.languages.issuperset(wanted.ocr_languages)
        return frozenset({OcrUnavailable.code, *((LANGUAGE_MISSING,) if has_all else ())})

    def plan(self, task: Task) -> Plan:
        from blobforge.processors.pdf_markdown.source_file import open_source

        options = parse_options(task.options)
        if options.read_pictures and self._find_ocr() is None:
            raise OcrUnavailable(f"{task.source_name}: its pictures are to be read, and tesseract is not installed")
        engine = self._engine(options.engine)
        source = open_source(task)
        deaths = footprints.survey_deaths(task.workspace)
        # Who has killed stands alone, and takes nobody along.
        slices = set_apart(_slices(task, options, source), deaths)
        # Before the look at the whole document, which takes minutes for a million pages.
        task.limits.require_pages(task.source_name, Plan(slices=slices).units)
        document = _document(task, source, survey={}, has_killed=footprints.OPENING in deaths)
        survey = _surveyed(engine, replace(document, deadly=frozenset(deaths)), task)
        if task.may_decline:
            self._require_languages(task, options, survey)
        ocr = self._prepared(document, options, survey) if options.ocr == "auto" else {}
        return Plan(slices=slices, notes={"source": source.as_json(), "survey": survey, "ocr": ocr})

    def _require_languages(self, task: Task, options: PdfOptions, survey: JsonObject) -> None:
        """Who names a language wants that one: another worker may have it. Raises OcrUnavailable."""
        from blobforge.documents.ocr_languages import readable
        from blobforge.processors.pdf_markdown.engines.engine import scans_of

        if options.ocr == "off" or not options.ocr_languages or not scans_of(survey).bare:
            return
        program = self._find_ocr()
        there = readable(program.languages if program is not None else ())
        missing = sorted(set(options.ocr_languages) - set(there))
        if missing:
            raise OcrUnavailable(
                f"{task.source_name} has pages without text, and tesseract has no data for {', '.join(missing)} here; "
                f"it has {', '.join(there) or 'none'}"
            )

    def _prepared(self, document: "Document", options: PdfOptions, survey: JsonObject) -> JsonObject:
        """What all slices have to agree on before scans are read; nothing where there is nothing to decide."""
        from blobforge.processors.pdf_markdown.engines.engine import scans_of
        from blobforge.processors.pdf_markdown.ocr.preparation import prepared
        from blobforge.processors.pdf_markdown.page_view import PageView

        scans = scans_of(survey)
        has_no_language = not options.ocr_languages and not scans.language
        if not scans.hidden and not (scans.bare and has_no_language):
            return {}
        program = self._find_ocr()
        if program is None:
            return {}
        with PageView(document.path) as view:
            return prepared(program, view, scans, options.ocr_languages).as_json()

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        from blobforge.processors.pdf_markdown.content_check import ContentCheck
        from blobforge.processors.pdf_markdown.conversion import Conversion
        from blobforge.processors.pdf_markdown.parts import save_part

        options = parse_options(task.options)
        source, document = _planned(task, plan)
        document = replace(document, has_killed=footprints.died_at(task.workspace, part))
        ocr = self._reader(options, plan, document) if options.ocr == "auto" else None
        engine = self._engine(options.engine)
        check = ContentCheck(document.path, pages=document.pages)
        conversion = Conversion(
            task,
            document,
            engine=engine,
            ocr=ocr,
            repaired=source.repaired,
            explain=options.explain,
            read_pictures=options.read_pictures,
            is_damaged=check.is_damaged,
            hides_letters=check.hides_letters,
        )
        with footprints.at(task.workspace, part):
            done = conversion.run(part, report)
        if not task.at_once:
            save_part(task.workspace, part, done)
        self._latest = Latest(task, plan, done) if plan.slices == (part,) else None

    def join(self, task: Task, plan: Plan, gaps: Sequence[Gap], report: Report) -> Product:
        from blobforge.processors.pdf_markdown.joining import Joining

        options = parse_options(task.options)
        source, document = _planned(task, plan)
        stitch = registry.engine_class(options.engine).stitch
        joining = Joining(task, _recipe(options), source, page_marks=options.page_marks, explain=options.explain)
        return joining.run(plan, self._parts(task, plan), gaps, report, stitch=lambda pages: stitch(document, pages))

    def _parts(self, task: Task, plan: Plan) -> "Iterable[Part]":
        from blobforge.processors.pdf_markdown.parts import load_parts

        latest, self._latest = self._latest, None
        if latest is not None and (latest.task, latest.plan) == (task, plan):
            return [latest.part]
        return load_parts(task.workspace)

    def _reader(self, options: PdfOptions, plan: Plan, document: "Document") -> "OcrReader":
        from blobforge.processors.pdf_markdown.engines.engine import scans_of
        from blobforge.processors.pdf_markdown.ocr.preparation import preparation_in
        from blobforge.processors.pdf_markdown.ocr.reader import OcrReader

        said = plan.notes.get("ocr")
        preparation = preparation_in(said) if isinstance(said, dict) and said else None
        language = scans_of(document.survey).language
        return OcrReader(self._find_ocr, options.ocr_languages, preparation, text_language=language)

    def _engine(self, name: str) -> "Engine":
        if name not in self._engines:
            self._engines[name] = registry.engine_class(name)()
        return self._engines[name]


def _recipe(options: PdfOptions) -> Recipe:
    return Recipe(
        processor=INFO.name,
        version=INFO.version,
        engine=options.engine,
        engine_version=registry.engine_version(options.engine),
        options=options.as_json(),
        partial=("pages",) if options.pages else (),
    )


def _slices(task: Task, options: PdfOptions, source: "SourceFile") -> tuple[Slice, ...]:
    wanted = cut_off(options.pages or (Slice(1, source.pages),), last=source.pages)
    if not wanted:
        asked = format_ranges(options.pages)
        raise InvalidOptions(f"{task.source_name}: pages={asked!r}, but the document ends with page {source.pages}")
    return cut(wanted, longest=options.slice_pages)


def _surveyed(engine: "Engine", document: "Document", task: Task) -> JsonObject:
    """Nothing where too many died of it: pages are read without a survey, too."""
    if len(footprints.survey_deaths(task.workspace)) >= MOST_SURVEY_DEATHS:
        return {}
    with footprints.in_survey(task.workspace) as visit:
        return engine.survey(replace(document, visit=visit))


def _planned(task: Task, plan: Plan) -> "tuple[SourceFile, Document]":
    from blobforge.processors.pdf_markdown.source_file import source_in

    found, survey = plan.notes["source"], plan.notes["survey"]
    assert isinstance(found, dict)
    assert isinstance(survey, dict)
    source = source_in(found)
    return source, _document(task, source, survey=survey)


def _document(task: Task, source: "SourceFile", *, survey: JsonObject, has_killed: bool = False) -> "Document":
    from blobforge.processors.pdf_markdown.engines.engine import Document

    return Document(path=source.path(task), pages=source.pages, survey=survey, has_killed=has_killed)
