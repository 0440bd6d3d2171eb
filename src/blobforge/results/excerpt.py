"""The text of a result, prepared for a terminal: its first pages, with HTML turned into Markdown."""

import json
import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from typing import NamedTuple

from blobforge.conversion.archive_members import document_name, text_in
from blobforge.domain.errors import ResultDamaged
from blobforge.ports.blob_store import BlobKey
from blobforge.worker.results import DAMAGE, ResultStore

BLOCKS = "document.json"

# All but the ends of lines and the tabulator: what steers a terminal has no business in a text.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_NOTE = re.compile(r"^\[\^([^\]]+)\]:", re.MULTILINE)
_PAGE_MARK = re.compile(r"<!-- page (\d+)( failed: [a-z_]+)? -->")
_MARKS = re.compile(r"^[#>\s]+|[*\\]")
_PLAIN_ROLES = ("heading", "paragraph")


class StoredText(NamedTuple):
    """`pages` are the numbers and first lines, from 0, of its pages; older results have `blocks` instead: the pages
    and texts of its passages in their order, where the engine knows them."""

    markdown: str
    blocks: Sequence[tuple[int, str]] = ()
    pages: Sequence[tuple[int, int]] = ()
    others: tuple[str, ...] = ()
    """What a result holds that has no Markdown at all."""


def read_text(results: ResultStore, key: BlobKey) -> StoredText:
    """Raises NotFound, ResultDamaged."""
    with results.open(key) as archive:
        document = document_name(archive)
        if document is None:
            return StoredText("", others=tuple(archive.namelist()))
        try:
            markdown = text_in(archive, document).decode("utf-8", "replace")
            if BLOCKS not in archive.namelist():
                return StoredText(markdown)
            said = json.loads(text_in(archive, BLOCKS))
            if "pages" in said:
                return StoredText(markdown, pages=list(_pages(said["pages"])))
            return StoredText(markdown, list(_passages(said["blocks"])))
        except (*DAMAGE, TypeError, AttributeError) as error:
            raise ResultDamaged(
                f"the result {results.address(key)} cannot be read: {error}; run its job again"
            ) from error


def without_controls(text: str) -> str:
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def first_pages(text: StoredText, pages: int) -> str | None:
    """The Markdown up to the end of that page; None when nothing tells where pages begin.

    A result that does not say where its pages begin has passages, which are looked for line by line in the order that
    they have; one that is not found, since it was put together with another, is passed over.
    """
    lines = text.markdown.split("\n")
    known = text.pages or _marked(lines) or list(_found(text.blocks, dict(enumerate(map(_plain, lines)))))
    if not known:
        return None
    end = next((number for page, number in known if page > pages), len(lines))
    return "\n".join(lines[:end]).rstrip() + "\n"


def showable(markdown: str) -> str:
    """The same text without HTML, which a terminal would pass over in silence: tables and gaps as Markdown."""
    from markdown_it import MarkdownIt

    markdown = _NOTE.sub(r"\\[^\1]:", without_controls(markdown))
    lines = markdown.split("\n")
    # From the end, so that the places before stay right.
    for token in reversed(MarkdownIt("commonmark").disable("inline").parse(markdown)):
        if token.type == "html_block" and token.map is not None:
            first, last = token.map
            lines[first:last] = _html_as_markdown("\n".join(lines[first:last]))
    return "\n".join(lines)


def _pages(rows: Sequence[dict[str, int]]) -> Iterator[tuple[int, int]]:
    for row in rows:
        if row["lines"]:
            yield int(row["page"]), int(row["line"]) - 1


def _marked(lines: Sequence[str]) -> list[tuple[int, int]]:
    return [(int(mark[1]), number) for number, line in enumerate(lines) if (mark := _PAGE_MARK.fullmatch(line))]


def _passages(blocks: Sequence[dict[str, str]]) -> Iterator[tuple[int, str]]:
    for block in blocks:
        if block["role"] in _PLAIN_ROLES and (text := _plain(block.get("text", ""))):
            yield int(block["page"]), text


def _found(blocks: Sequence[tuple[int, str]], places: dict[int, str]) -> Iterator[tuple[int, int]]:
    by_text: dict[str, list[int]] = {}
    for number, line in places.items():
        by_text.setdefault(line, []).append(number)
    behind = -1
    for page, text in blocks:
        place = next((number for number in by_text.get(text, ()) if number > behind), None)
        if place is not None:
            behind = place
            yield page, place


def _plain(line: str) -> str:
    return _MARKS.sub("", line).strip()


def _html_as_markdown(html: str) -> list[str]:
    gap = _PAGE_MARK.fullmatch(html.strip())
    if gap is not None:
        return [f"*[page {gap[1]}{gap[2].replace('_', ' ')}]*" if gap[2] else "", ""]
    reader = _TableReader()
    reader.feed(html)
    reader.close()
    return ["", *_pipe_table(reader.rows), "", *reader.beside, ""]


def _pipe_table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    width = max(map(len, rows), default=0)
    for number, row in enumerate(rows):
        yield "| " + " | ".join([*row, *[""] * (width - len(row))]) + " |"
        if number == 0:
            yield "|" + "---|" * width


class _TableReader(HTMLParser):
    """Cells by row; one that spans others leaves them empty. Text outside of a table is kept too."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.beside: list[str] = []
        self._open: dict[int, tuple[int, int]] = {}
        self._cell: list[str] | None = None
        self._columns = self._spanned = 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
            self._skip_spanned()
        elif tag in ("td", "th") and self.rows:
            facts = dict(attrs)
            self._columns, self._spanned = _count(facts.get("colspan")), _count(facts.get("rowspan"))
            self._cell = []
        elif tag == "br" and self._cell is not None:
            self._cell.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("td", "th") or self._cell is None:
            return
        row, text = self.rows[-1], " ".join("".join(self._cell).split()).replace("|", "\\|")
        if self._spanned > 1:
            self._open[len(row)] = (self._columns, self._spanned - 1)
        row += [text, *[""] * (self._columns - 1)]
        self._cell = None
        self._skip_spanned()

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)
        elif data.strip():
            self.beside.append(data.strip())

    def _skip_spanned(self) -> None:
        """Goes over the places that a cell of a row above takes."""
        row = self.rows[-1]
        while len(row) in self._open:
            place = len(row)
            columns, left = self._open.pop(place)
            if left > 1:
                self._open[place] = (columns, left - 1)
            row += [""] * columns


def _count(text: str | None) -> int:
    """No table has more: a number of a document is not to be trusted with our memory."""
    return min(max(int(text), 1), 200) if text and len(text) < 4 and text.isascii() and text.isdigit() else 1
