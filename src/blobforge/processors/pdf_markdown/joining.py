"""The slices of a document put together: one Markdown text, its images, and the account of every page."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from blobforge.domain.errors import EngineFailed
from blobforge.domain.json_value import JsonObject
from blobforge.domain.page import Page, PageOutcome, doubts, tally
from blobforge.domain.recipe import Recipe
from blobforge.domain.result_record import HAS_ATTACHMENTS, XFA_FORM
from blobforge.ports.processor import Gap, Plan, Product, Progress, Report, Task
from blobforge.processors import result_archive
from blobforge.processors.pdf_markdown.document_json import (
    DOCUMENT_JSON,
    PagePieces,
    document_json,
    markdown_of,
)
from blobforge.processors.pdf_markdown.engines.engine import PageText, Stitched
from blobforge.processors.pdf_markdown.explanation import EXPLANATION, write_explanation
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, all_of
from blobforge.processors.pdf_markdown.nothing_left import require_something
from blobforge.processors.pdf_markdown.parts import Asset, ConvertedPage, Part, asset_path
from blobforge.processors.pdf_markdown.source_file import SourceFile
from blobforge.processors.result_archive import Entry

STAGE = "writing"
DOCUMENT = "document.md"

Stitch = Callable[[list[PageText]], Stitched]


class Joining:
    def __init__(
        self, task: Task, recipe: Recipe, source: SourceFile, *, page_marks: bool, explain: bool = False
    ) -> None:
        self._task = task
        self._recipe = recipe
        self._source = source
        self._page_marks = page_marks
        self._explain = explain

    def run(self, plan: Plan, parts: Iterable[Part], gaps: Sequence[Gap], report: Report, *, stitch: Stitch) -> Product:
        """Raises BlobForgeError where every page failed."""
        found, tools = _collected(parts)
        missing = result_archive.gap_pages(gaps)
        pages = [_accounted(number, found, missing) for number in _numbers(plan)]
        require_something(self._task.source_name, [page.account for page in pages])
        pages, assets = _with_each_image_once(pages)
        stitched = stitch([PageText(page.markdown, page.passages) for page in pages])
        accounts = [page.account for page in pages]
        pieces = [
            PagePieces(page.number, self._mark(page), text) for page, text in zip(accounts, stitched.texts, strict=True)
        ]
        entries = [
            Entry(DOCUMENT, _bytes(markdown_of(pieces))),
            Entry(result_archive.INFO, self._info(accounts, tools)),
            Entry(DOCUMENT_JSON, _bytes(document_json(pieces, stitched))),
            *self._explanation(stitched.passages),
            *(Entry(asset.link, asset_path(self._task.workspace, asset)) for asset in assets),
        ]
        archive = self._task.workspace / result_archive.ARCHIVE
        size = result_archive.write_archive(archive, entries)
        report(Progress(STAGE, plan.units, plan.units))
        summary = _summary(accounts, images=len(assets), size=size, source=self._source)
        return Product(archive=archive, summary=summary)

    def _explanation(self, passages: Sequence[Passage] | None) -> Iterator[Entry]:
        if self._explain and passages is not None:
            path = write_explanation(self._task.workspace, self._task.source_name, passages)
            yield Entry(EXPLANATION, path)

    def _mark(self, page: Page) -> str:
        if page.outcome is PageOutcome.FAILED:
            return f"<!-- page {page.number} failed: {page.code} -->"
        return f"<!-- page {page.number} -->" if self._page_marks else ""

    def _info(self, accounts: list[Page], tools: Mapping[str, str]) -> bytes:
        more: dict[str, str | int | bool | list[str] | Mapping[str, str]] = {
            "tools": tools,
            "repaired": self._source.repaired,
        }
        if self._source.title:
            more["title"] = self._source.title
        if self._source.attachments:
            more["attachments"] = list(self._source.attachments)
        if beside := _beside_pages(self._source):
            more["warnings"] = list(beside)
        more["pages_in_source"] = self._source.pages
        return result_archive.info_json(self._task, self._recipe, accounts, more)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _collected(parts: Iterable[Part]) -> tuple[dict[int, ConvertedPage], dict[str, str]]:
    pages: dict[int, ConvertedPage] = {}
    tools: dict[str, str] = {}
    for part in parts:
        tools.update(part.tools)
        for page in part.pages:
            pages.setdefault(page.account.number, page)
    return pages, tools


def _numbers(plan: Plan) -> Iterator[int]:
    for part in plan.slices:
        yield from range(part.first, part.last + 1)


def _accounted(number: int, found: Mapping[int, ConvertedPage], missing: Mapping[int, Page]) -> ConvertedPage:
    if number in missing:
        return ConvertedPage(missing[number])
    if number in found:
        return found[number]
    nothing = Page(number, PageOutcome.FAILED, EngineFailed.code, "no slice of the document delivered this page")
    return ConvertedPage(nothing)


def _with_each_image_once(pages: list[ConvertedPage]) -> tuple[list[ConvertedPage], list[Asset]]:
    """An image with the same bytes as one before gives way to it."""
    first: dict[str, Asset] = {}
    return [_linked_to_first(page, first) for page in pages], list(first.values())


def _linked_to_first(page: ConvertedPage, first: dict[str, Asset]) -> ConvertedPage:
    markdown = page.markdown
    for asset in page.assets:
        stays = first.setdefault(asset.digest, asset)
        if stays == asset:
            continue
        old, new = f"]({asset.link})", f"]({stays.link})"
        markdown = markdown.replace(old, new)
        for passage in all_of(page.passages or ()):
            passage.text = passage.text.replace(old, new)
    return page._replace(markdown=markdown)


def _summary(accounts: list[Page], *, images: int, size: int, source: SourceFile) -> JsonObject:
    total, warnings = tally(accounts), {**doubts(accounts), **_beside_pages(source)}
    return {
        **({"warnings": warnings} if warnings else {}),
        **({"repaired": True} if source.repaired else {}),
        "pages": total.pages,
        "pages_failed": total.pages_failed,
        "codes": total.codes,
        "images": images,
        "output_size": size,
    }


def _beside_pages(source: SourceFile) -> dict[str, int]:
    """What holds for the document as a whole, each with how often it is found."""
    found = {HAS_ATTACHMENTS: len(source.attachments), XFA_FORM: int(source.is_form)}
    return {name: count for name, count in found.items() if count}
