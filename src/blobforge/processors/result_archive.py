"""The result zip that every processor writes: deterministic, with an account of every unit in its info.json."""

import json
import shutil
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from blobforge.domain.json_value import JsonObject, JsonValue
from blobforge.domain.page import Page, PageOutcome, tally
from blobforge.domain.recipe import Recipe
from blobforge.ports.processor import Gap, Task

FORMAT = 1
ARCHIVE = "result.zip"
INFO = "info.json"

_FIXED_TIME = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_PLAIN_FILE = 0o644 << 16

_text = json.JSONEncoder(ensure_ascii=False).encode


class Entry(NamedTuple):
    """A file in the archive; content too big to hold is given as the path where it lies."""

    name: str
    content: bytes | Path


def write_archive(path: Path, entries: Iterable[Entry]) -> int:
    """Same entries, same bytes, on every machine. Gives the size."""
    wanted = sorted(entries, key=lambda entry: entry.name)
    if all(isinstance(entry.content, bytes) for entry in wanted):
        # Put together in memory, where the text is anyway: a zip file is written with many small steps back and forth.
        content = BytesIO()
        _write(content, wanted)
        return path.write_bytes(content.getbuffer())
    with path.open("wb") as file:
        _write(file, wanted)
        return file.tell()


def info_json(task: Task, recipe: Recipe, pages: Iterable[Page], more: JsonObject) -> bytes:
    """The account of a result: what it was made from, how, and what became of each unit; `more` is the processor's."""
    account = list(pages)
    document: JsonObject = {
        "format": FORMAT,
        "source": {"name": task.source_name, "sha256": task.source_hash, "size": task.source.stat().st_size},
        "recipe": recipe.as_json(),
        "recipe_id": recipe.id,
        **more,
        "tally": _tally_json(account),
        "pages": [_page_json(page) for page in account],
    }
    # A file name may hold bytes that are no text; as \udcXX they stay valid JSON.
    return _lines(document).encode("utf-8", "backslashreplace")


def gap_pages(gaps: Iterable[Gap]) -> dict[int, Page]:
    """The units that no child lived through, each accounted for as failed."""
    return {
        number: Page(number, PageOutcome.FAILED, gap.code, gap.message)
        for gap in gaps
        for number in range(gap.slice.first, gap.slice.last + 1)
    }


def _write(target: IO[bytes], entries: Iterable[Entry]) -> None:
    # Stored, not deflated: zlib and zlib-ng give different bytes for the same text and level.
    with ZipFile(target, "w", ZIP_STORED) as archive:
        for entry in entries:
            _add(archive, entry)


def _add(archive: ZipFile, entry: Entry) -> None:
    header = ZipInfo(entry.name, _FIXED_TIME)
    header.create_system = _UNIX
    header.external_attr = _PLAIN_FILE
    if isinstance(entry.content, bytes):
        archive.writestr(header, entry.content)
        return
    header.file_size = entry.content.stat().st_size
    with entry.content.open("rb") as source, archive.open(header, "w") as target:
        shutil.copyfileobj(source, target, 1 << 20)


def _lines(document: JsonObject) -> str:
    """One line a field and a page: for people to read, at the speed of the C encoder."""
    fields = (f'"{name}": {_rows(value) if name == "pages" else _text(value)}' for name, value in document.items())
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _rows(rows: JsonValue) -> str:
    assert isinstance(rows, list)
    return "[\n" + ",\n".join(map(_text, rows)) + "\n]"


def _page_json(page: Page) -> JsonObject:
    row: dict[str, JsonValue] = {"page": page.number, "outcome": page.outcome}
    if page.code is not None:
        row["code"] = page.code
    if page.message is not None:
        row["message"] = page.message
    if page.confidence is not None:
        row["confidence"] = page.confidence
    if page.warnings:
        row["warnings"] = list(page.warnings)
    return row


def _tally_json(pages: list[Page]) -> JsonObject:
    total = tally(pages)
    outcomes = {outcome.value: sum(page.outcome is outcome for page in pages) for outcome in PageOutcome}
    return {"pages": total.pages, "pages_failed": total.pages_failed, "codes": total.codes, "outcomes": outcomes}
