"""Results as a processor makes them, and documents that wait for them."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from blobforge.conversion.document import InputDocument
from blobforge.domain.ids import RecipeId
from blobforge.ports.hash_cache import FileStat
from blobforge.ports.output_ledger import Output, WrittenFile
from blobforge.testing.builders import hash_of

RECIPE = RecipeId("0123456789abcdef")


def archive(
    markdown: str = "text\n", assets: Mapping[str, bytes] | None = None, *, more: Mapping[str, bytes] | None = None
) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(archive_bytes(markdown, assets, more=more)))


def archive_bytes(
    markdown: str = "text\n",
    assets: Mapping[str, bytes] | None = None,
    *,
    more: Mapping[str, bytes] | None = None,
    pages: int = 1,
) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as writing:
        writing.writestr("document.md", markdown)
        writing.writestr("info.json", json.dumps({"tally": {"pages": pages, "pages_failed": 0, "codes": {}}}))
        for name, data in (assets or {}).items():
            writing.writestr(f"assets/{name}", data)
        for name, data in (more or {}).items():
            writing.writestr(name, data)
    return content.getvalue()


def document(output: Path, *, path: str = "/docs/one.pdf", size: int = 7) -> InputDocument:
    return InputDocument(stat=FileStat(path, size, 1), output=str(output))


def output(path: Path, files: Sequence[WrittenFile], **facts: Any) -> Output:
    """What the ledger would have kept."""
    kept = {"source_hash": hash_of("one"), "recipe_id": RECIPE, "pages": 1, "pages_failed": 0, "codes": ()}
    return Output(path=str(path), files=tuple(files), **{**kept, **facts})
