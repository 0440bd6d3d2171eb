"""The archive of a result becomes a document."""

import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from typing import IO, Any

from blobforge.conversion.archive_members import assets_in, text_in
from blobforge.domain.errors import ResultDamaged, SourceMissing, SourceUnreadable
from blobforge.domain.page import page_in
from blobforge.library.document import BlockBox, CellSpan, ConvertedDocument, DocumentBlock, DocumentPage, in_lines
from blobforge.worker.bounded_archive import open_archive
from blobforge.worker.results import DAMAGE, INFO_NAME

DOCUMENT = "document.md"
DOCUMENT_JSON = "document.json"


def read_result(archive: str | os.PathLike[str] | IO[bytes]) -> ConvertedDocument:
    """A result that `blobforge download` fetched. Raises SourceMissing, SourceUnreadable, ResultDamaged."""
    name = _name(archive)
    try:
        with open_archive(archive) as opened:
            return _document(opened, name)
    except FileNotFoundError as error:
        raise SourceMissing(f"{name} is not there") from error
    except (PermissionError, IsADirectoryError) as error:
        raise SourceUnreadable(f"{name} cannot be read: {error.strerror}") from error
    except (*DAMAGE, TypeError, AttributeError) as error:
        raise ResultDamaged(f"{name} is no result of a conversion, or damaged: {error}") from error


def _name(archive: str | os.PathLike[str] | IO[bytes]) -> str:
    if isinstance(archive, str | os.PathLike):
        return os.fsdecode(archive)
    return str(getattr(archive, "name", "the result"))


def _document(archive: zipfile.ZipFile, name: str) -> ConvertedDocument:
    markdown = text_in(archive, DOCUMENT).decode("utf-8")
    info = json.loads(text_in(archive, INFO_NAME))
    said = json.loads(text_in(archive, DOCUMENT_JSON)) if DOCUMENT_JSON in archive.namelist() else {}
    if "pages" not in said:
        raise ResultDamaged(
            f"{name} does not say where its pages begin: an older BlobForge made it; convert the document again"
        )
    lines = markdown.split("\n")
    blocks = tuple(_block(block, lines) for block in said.get("blocks", ()))
    return ConvertedDocument(
        markdown=markdown,
        pages=_pages(info["pages"], said["pages"], blocks, lines),
        assets={picture: archive.read(entry) for picture, entry in assets_in(archive).items()},
        info=info,
        blocks=blocks,
    )


def _pages(
    accounts: Sequence[Mapping[str, Any]],
    places: Sequence[Mapping[str, int]],
    blocks: Sequence[DocumentBlock],
    lines: Sequence[str],
) -> tuple[DocumentPage, ...]:
    own: dict[int, list[DocumentBlock]] = {}
    for block in blocks:
        own.setdefault(block.page, []).append(block)
    pages: list[DocumentPage] = []
    for row, place in zip(accounts, places, strict=True):
        account, height = page_in(row), place["lines"]
        line = place["line"] if height else 0
        pages.append(
            DocumentPage(
                **account._asdict(),
                markdown=in_lines(lines, line, height) if height else "",
                blocks=tuple(own.get(account.number, ())),
                line=line,
            )
        )
    return tuple(pages)


def _block(said: Mapping[str, Any], lines: Sequence[str]) -> DocumentBlock:
    line = said.get("line", 0)
    return DocumentBlock(
        role=said["role"],
        page=said["page"],
        last_page=said.get("last_page", said["page"]),
        box=BlockBox(*said["box"]),
        text=said.get("text", ""),
        markdown=in_lines(lines, line, said["lines"]) if line else "",
        level=said.get("level", 0),
        rows=tuple(map(tuple, said.get("rows", ()))),
        spans=tuple(CellSpan(**span) for span in said.get("spans", ())),
        children=tuple(_block(child, lines) for child in said.get("children", ())),
        line=line,
    )
