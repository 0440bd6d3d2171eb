"""What `document.json` says: where each page lies in `document.md`, and the blocks with their places.

Lines are counted from 1 and end with a line feed. They stay right when the links to pictures are changed, and in
whatever units a reader counts characters, as offsets would not.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from blobforge.domain.json_value import JsonObject
from blobforge.processors.pdf_markdown.engines.engine import Stitched
from blobforge.processors.pdf_markdown.layout.model.passages import Passage
from blobforge.processors.pdf_markdown.layout.output.markdown import Lines

DOCUMENT_JSON = "document.json"
BETWEEN = "\n\n"
"""What parts the pieces of the Markdown."""


class PagePieces(NamedTuple):
    """What goes into the Markdown for a page: its mark, if it has one, and its text as the engine gave it."""

    number: int
    mark: str
    text: str

    @property
    def markdown(self) -> str:
        return BETWEEN.join(filter(None, (self.mark, self.text.strip())))


def markdown_of(pages: Sequence[PagePieces]) -> str:
    return BETWEEN.join(filter(None, (page.markdown for page in pages))) + "\n"


def document_json(pages: Sequence[PagePieces], stitched: Stitched) -> str:
    """One page or block a line."""
    places = list(_places(pages))
    fields = {"pages": _rows([_page(page.number, place) for page, place in zip(pages, places, strict=True)])}
    if stitched.passages is not None and stitched.lines is not None:
        texts = {page.number: place.first + _above(page) for page, place in zip(pages, places, strict=True)}
        blocks = zip(stitched.passages, stitched.lines, strict=True)
        fields["blocks"] = _rows([_placed(passage, lines, texts) for passage, lines in blocks])
    return "{" + ",\n".join(f'"{name}": {rows}' for name, rows in fields.items()) + "}\n"


def _places(pages: Sequence[PagePieces]) -> Iterator[Lines]:
    first = 1
    for page in pages:
        count = page.markdown.count("\n") + 1 if page.markdown else 0
        yield Lines(first, count)
        first += count + 1 if count else 0


def _above(page: PagePieces) -> int:
    """How far below the first line of its page the text of the engine begins."""
    cut = len(page.text) - len(page.text.lstrip())
    mark = page.mark.count("\n") + len(BETWEEN) if page.mark else 0
    return mark - page.text.count("\n", 0, cut)


def _page(number: int, place: Lines) -> JsonObject:
    where: JsonObject = {"line": place.first} if place.height else {}
    return {"page": number, **where, "lines": place.height}


def _placed(passage: Passage, lines: Lines, texts: Mapping[int, int]) -> JsonObject:
    return {**_block(passage), "line": texts[passage.page] + lines.first, "lines": lines.height}


def _block(passage: Passage) -> JsonObject:
    """What others may want to know of a passage; what is empty is left out."""
    facts: dict[str, Any] = {
        "role": passage.role.value,
        "page": passage.page,
        "last_page": passage.last_page,
        "box": [round(edge, 1) for edge in passage.box],
        "level": passage.level,
        "text": passage.text,
        "rows": passage.rows,
        "spans": [span._asdict() for span in passage.spans],
        "children": [_block(child) for child in passage.children],
    }
    return {name: value for name, value in facts.items() if value}


def _rows(rows: Sequence[JsonObject]) -> str:
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]"
