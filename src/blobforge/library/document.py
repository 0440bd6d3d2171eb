"""A converted document in the hands of a program: its Markdown as a whole, by page, by block and in chunks."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import NamedTuple

from blobforge.conversion.links import relink
from blobforge.conversion.tree import MARKDOWN, assets_folder, markdown_name
from blobforge.conversion.writing import NewFile, write_files, write_new_files
from blobforge.domain.errors import AlreadyExists, InvalidOptions, OutputEdited
from blobforge.domain.json_value import JsonObject
from blobforge.domain.page import PageOutcome
from blobforge.library.chunking import Chunk, PageLines, chunks_of
from blobforge.worker.results import ASSETS

MAX_CHARACTERS = 2_000
"""About 500 tokens of English."""


class BlockBox(NamedTuple):
    """In points, from the upper left corner of the page."""

    left: float
    top: float
    right: float
    bottom: float


class CellSpan(NamedTuple):
    """A cell of a table that is wider or higher than one; row and column are counted from 0."""

    row: int
    column: int
    rows: int
    columns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentBlock:
    """A heading, paragraph, item, table, quote, figure, note or piece of code, with its place on the page.

    `text` is Markdown within the line; `markdown` is how the block stands in the document. What is within another
    block, as the paragraphs of a quote are, is one of its `children` and has no `markdown` of its own.
    """

    role: str
    page: int
    last_page: int
    box: BlockBox
    text: str = ""
    markdown: str = ""
    level: int = 0
    """Of a heading, from 1; of an item, how deep it is nested, from 0."""
    rows: tuple[tuple[str, ...], ...] = ()
    spans: tuple[CellSpan, ...] = ()
    children: tuple["DocumentBlock", ...] = ()
    line: int = 0
    """Its first line in the Markdown of the document, counted from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPage:
    """A page of the source that was converted, or was to be: `code` and `message` say why one failed.

    What goes on over pages is in the Markdown of the page where it begins.
    """

    number: int
    outcome: PageOutcome
    markdown: str = field(repr=False)
    blocks: tuple[DocumentBlock, ...] = field(default=(), repr=False)
    code: str | None = None
    message: str | None = None
    confidence: float | None = None
    warnings: tuple[str, ...] = ()
    line: int = 0
    """Its first line in the Markdown of the document, counted from 1; 0 when there is nothing of it."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ConvertedDocument:
    """`assets` are the pictures by the names that the Markdown's links have below `assets/`.

    `blocks` are there with our own engine; `info` is the account that a result carries with it.
    """

    markdown: str
    pages: tuple[DocumentPage, ...]
    assets: Mapping[str, bytes]
    info: JsonObject
    blocks: tuple[DocumentBlock, ...] = ()

    def __repr__(self) -> str:
        failed = f", {len(self.pages_failed)} failed" if self.pages_failed else ""
        return f"<ConvertedDocument {self.source_name!r}: {len(self.pages)} pages{failed}>"

    @property
    def pages_failed(self) -> tuple[DocumentPage, ...]:
        return tuple(page for page in self.pages if page.outcome is PageOutcome.FAILED)

    @property
    def title(self) -> str:
        """As the source's own properties have it; empty when they have none."""
        return str(self.info.get("title", ""))

    @property
    def source_name(self) -> str:
        return str(self._source["name"])

    @property
    def source_hash(self) -> str:
        """SHA-256 of the source's bytes."""
        return str(self._source["sha256"])

    def chunks(self, *, max_characters: int = MAX_CHARACTERS) -> list[Chunk]:
        """The document in pieces of at most so many characters, for search and retrieval. Raises InvalidOptions.

        A chunk is never of two sections. A long section is cut between its blocks, a long block after a sentence, and
        each piece of a long table has the table's header.
        """
        if max_characters < 1:
            raise InvalidOptions(f"max_characters={max_characters}: a chunk has at least one character")
        return chunks_of(
            self.markdown,
            [PageLines(page.number, page.line - 1) for page in self.pages if page.line],
            last_pages={block.line - 1: block.last_page for block in self.blocks},
            source_hash=self.source_hash,
            max_characters=max_characters,
        )

    def save(self, folder: str | os.PathLike[str], *, name: str | None = None, overwrite: bool = False) -> Path:
        """Writes `name`.md and, beside it, its pictures in `name`.assets, and gives the path of the Markdown file.

        `name` is that of the source unless you say another. A file that is there already and differs stays, unless
        you say `overwrite`. Raises AlreadyExists, OutputError.
        """
        path = Path(folder).absolute() / _markdown_file(PurePath(self.source_name).name if name is None else name)
        files = list(self._files(path))
        if overwrite:
            write_files(str(path), files, None, force=True)
            return path
        try:
            write_new_files(str(path), files)
        except OutputEdited as error:
            raise AlreadyExists(
                f"{path}, or a picture of it, is there already and differs; say overwrite=True"
            ) from error
        return path

    def _files(self, path: Path) -> Iterator[NewFile]:
        folder = Path(assets_folder(str(path))).name
        text = relink(self.markdown, targets={f"{ASSETS}{name}": name for name in self.assets}, folder=folder).encode(
            "utf-8"
        )
        yield _new_file(path.name, text)
        for name, content in self.assets.items():
            yield _new_file(f"{folder}/{name}", content)

    @property
    def _source(self) -> Mapping[str, object]:
        source = self.info["source"]
        assert isinstance(source, dict), "the account of a result names its source"
        return source


def _markdown_file(name: str) -> str:
    if name in ("", ".", "..") or "/" in name or "\0" in name:
        raise InvalidOptions(f"name={name!r} is no name of a file; the folder is the first argument")
    return name if name.endswith(MARKDOWN) and name != MARKDOWN else markdown_name(name)


def in_lines(lines: Sequence[str], first: int, count: int) -> str:
    """So many lines of a text; `first` is counted from 1."""
    return "\n".join(lines[first - 1 : first - 1 + count])


def _new_file(name: str, content: bytes) -> NewFile:
    return NewFile(name, len(content), lambda: iter([content]))
