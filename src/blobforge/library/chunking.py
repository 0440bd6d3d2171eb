"""A document in chunks, as a retrieval pipeline wants them: never across two sections, with headings and pages."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple
from uuid import UUID, uuid5

from markdown_it import MarkdownIt

from blobforge.library.splitting import pieces

_NAMESPACE = UUID("6f1c1c0a-8f0e-5b6e-9a51-2f8d3c6f7b10")
_BETWEEN = "\n\n"
_PAGE_MARK = re.compile(r"<!-- page \d+( failed: [a-z_]+)? -->")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """`text` is Markdown; `headings` are those that it stands under, from the widest to the nearest.

    `id` is a UUID that follows from the content of the source, the headings and the text alone: converting the same
    document again gives the same ids.
    """

    id: str
    text: str
    headings: tuple[str, ...]
    first_page: int
    last_page: int


class PageLines(NamedTuple):
    """Where a page begins in the Markdown: its number, and its first line counted from 0."""

    number: int
    first: int


class _Block(NamedTuple):
    """Lines of the Markdown that belong together; `level` is that of a heading, or 0."""

    first: int
    end: int
    level: int = 0
    title: str = ""


class _Piece(NamedTuple):
    text: str
    first_page: int
    last_page: int


def chunks_of(
    markdown: str,
    pages: Sequence[PageLines],
    *,
    last_pages: Mapping[int, int],
    source_hash: str,
    max_characters: int,
) -> list[Chunk]:
    """`pages` in their order; `last_pages` tells by line where a block ends that goes on over pages."""
    packing = _Packing(source_hash, max_characters)
    lines = markdown.split("\n")
    starts = [page.first for page in pages]
    for block in _blocks(lines, starts):
        text = "\n".join(lines[block.first : block.end])
        if _PAGE_MARK.fullmatch(text):
            continue
        first_page = pages[max(bisect_right(starts, block.first) - 1, 0)].number
        last_page = max((last_pages.get(line, 0) for line in range(block.first, block.end)), default=0)
        packing.add(block, text, first_page, max(first_page, last_page))
    packing.flush()
    return packing.chunks


class _Packing:
    """Fills one chunk after the other."""

    def __init__(self, source_hash: str, longest: int) -> None:
        self.chunks: list[Chunk] = []
        self._source_hash = source_hash
        self._longest = longest
        self._headings: list[tuple[int, str]] = []
        self._pieces: list[_Piece] = []
        self._has_text = False
        self._seen: Counter[tuple[tuple[str, ...], str]] = Counter()

    def add(self, block: _Block, text: str, first_page: int, last_page: int) -> None:
        if block.level:
            # A heading without a text of its own goes with what follows.
            if self._has_text:
                self.flush()
            while self._headings and self._headings[-1][0] >= block.level:
                self._headings.pop()
            self._headings.append((block.level, block.title))
        if self._has_text and len(text) > self._room():
            self.flush()
        for piece in pieces(text, first=self._room(), longest=self._longest) if len(text) > self._room() else [text]:
            if len(piece) > self._room():
                self.flush()
            self._pieces.append(_Piece(piece, first_page, last_page))
            self._has_text = not block.level

    def flush(self) -> None:
        if not self._pieces:
            return
        text = _BETWEEN.join(piece.text for piece in self._pieces)
        headings = tuple(title for _, title in self._headings)
        self.chunks.append(
            Chunk(
                id=self._id(headings, text),
                text=text,
                headings=headings,
                first_page=min(piece.first_page for piece in self._pieces),
                last_page=max(piece.last_page for piece in self._pieces),
            )
        )
        self._pieces, self._has_text = [], False

    def _room(self) -> int:
        taken = sum(len(piece.text) + len(_BETWEEN) for piece in self._pieces)
        return max(self._longest - taken, 0)

    def _id(self, headings: tuple[str, ...], text: str) -> str:
        """The same text may stand under the same headings twice."""
        place = self._seen[headings, text]
        self._seen[headings, text] += 1
        return str(uuid5(_NAMESPACE, "\n".join((self._source_hash, *headings, str(place), text))))


def _blocks(lines: Sequence[str], starts: Sequence[int]) -> Iterator[_Block]:
    """Every line that is not empty is in one of them, and none lies on two pages."""
    end = 0
    for block in _parsed("\n".join(lines)):
        # What the parser passes over, such as a note that it takes for the target of a link, is text all the same.
        yield from _paragraphs(lines, end, block.first)
        inner = starts[bisect_right(starts, block.first) : bisect_left(starts, block.end)]
        edges = [block.first, *inner, block.end]
        for first, last in pairwise(edges):
            yield from _trimmed(lines, block._replace(first=first, end=last))
        end = block.end
    yield from _paragraphs(lines, end, len(lines))


def _parsed(markdown: str) -> Iterator[_Block]:
    # What stands within lines is not our question here, and the better part of the work.
    tokens = MarkdownIt("commonmark").enable("table").disable("inline").parse(markdown)
    for place, token in enumerate(tokens):
        if token.level != 0 or token.map is None or token.nesting < 0:
            continue
        first, end = token.map
        if token.type == "heading_open":
            yield _Block(first, end, level=int(token.tag[1:]), title=_plain_text(tokens[place + 1].content))
        else:
            yield _Block(first, end)


def _paragraphs(lines: Sequence[str], first: int, end: int) -> Iterator[_Block]:
    began = first
    for number in range(first, end + 1):
        if number == end or not lines[number].strip():
            if began < number:
                yield _Block(began, number)
            began = number + 1


def _trimmed(lines: Sequence[str], block: _Block) -> Iterator[_Block]:
    end = block.end
    while end > block.first and not lines[end - 1].strip():
        end -= 1
    if end > block.first:
        yield block._replace(end=end)


def _plain_text(heading: str) -> str:
    (inline,) = MarkdownIt("commonmark").parseInline(heading)
    text = "".join(token.content or " " for token in inline.children or () if _is_text(token.type))
    return " ".join(text.split())


def _is_text(kind: str) -> bool:
    return kind in ("text", "code_inline", "softbreak", "hardbreak", "text_special")
