"""Pages over which a library dies are read by another, in a child that comes after."""

import json
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import pikepdf
import pytest
from tests.e2e.program import Blobforge
from tests.integration.worker.deadly_pages import DeadlyPages
from tests.integration.worker.site import Site
from tests.unit.processors import pdfs

from blobforge.domain.job import Job
from blobforge.ports.blob_store import BlobKey
from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor
from blobforge.worker.observer import Tally


def _archive(site: Site, job: Job) -> tuple[str, Any]:
    record = site.coordinator.files(job.id)[-1]
    with site.blobs.open(BlobKey(record.key)) as stream:
        return _read(stream)


def _read(file: Path | BinaryIO) -> tuple[str, Any]:
    with zipfile.ZipFile(file) as archive:
        return archive.read("document.md").decode(), json.loads(archive.read("info.json"))


@pytest.mark.parametrize("chapters", [["Earth", "Water"], ["Earth", "Water", "Air", "Fire", "Aether"]])
def test_no_page_is_lost_though_a_child_dies_over_it(
    open_site: Callable[..., Site], tmp_path: Path, chapters: list[str]
) -> None:
    site = open_site(deadly=DeadlyPages)
    book = pdfs.make_pdf(tmp_path / "book.pdf", *map(pdfs.prose, chapters))
    job = site.submit("book", book.read_bytes(), type="deadly")

    assert site.drain() == Tally(completed=1)

    text, info = _archive(site, job)
    assert [chapter for chapter in chapters if chapter in text] == chapters
    assert all(page["outcome"] == "text" for page in info["pages"])
    assert "second_reader" in info["pages"][1]["warnings"]


def _with_a_bomb(path: Path, *, pages: int, deadly: int) -> Path:
    """One page unpacks to more than a child may hold, whoever reads it."""
    pdfs.make_pdf(path, *(pdfs.prose(f"Chapter {number}") for number in range(1, pages + 1)))
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b" " * (1 << 20)) for _ in range(700)) + packer.flush()
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.pages[deadly - 1].obj.Contents = pikepdf.Stream(pdf, packed, Filter=pikepdf.Name.FlateDecode)
        pdf.save(path, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)
    return path


@pytest.mark.parametrize(("pages", "deadly"), [(2, 1), pytest.param(7, 4, marks=pytest.mark.extended)])
def test_a_page_beyond_the_limit_of_memory_costs_that_page_in_a_small_document_too(
    tmp_path: Path, pages: int, deadly: int
) -> None:
    """By a program of its own: what this process has held itself would count as its children's, as Linux tells it, and
    hide how much they took."""
    _with_a_bomb(tmp_path / "book.pdf", pages=pages, deadly=deadly)
    blobforge = Blobforge(tmp_path, tmp_path / "home")

    done = blobforge.run("convert", "book.pdf", "-o", "out", "--json", BLOBFORGE_CHILD_MEMORY_MB="600")

    assert done.returncode == 3, done.stderr
    (archive,) = (tmp_path / "home" / "blobs" / "outputs").rglob("*.zip")
    text, info = _read(archive)
    assert [f"Chapter {number}" in text for number in range(1, pages + 1)] == [
        number != deadly for number in range(1, pages + 1)
    ]
    assert [page["page"] for page in info["pages"] if page["outcome"] == "failed"] == [deadly]
    assert info["pages"][deadly - 1]["code"] == "memory_limit"
    assert "child_memory_mb" in info["pages"][deadly - 1]["message"]


def test_a_limit_too_small_to_load_the_engine_is_the_memory_limit_and_no_missing_engine(
    open_site: Callable[..., Site], tmp_path: Path
) -> None:
    site = open_site(pdf=PdfMarkdownProcessor)
    book = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.prose("Earth"))
    job = site.submit("book", book.read_bytes(), type="pdf", max_attempts=1)

    assert site.drain(limits={"memory_mb": 64}) == Tally(failed=1)

    assert site.job(job).error_code == "memory_limit"
    assert "child_memory_mb (BLOBFORGE_CHILD_MEMORY_MB)" in str(site.job(job).last_error)
