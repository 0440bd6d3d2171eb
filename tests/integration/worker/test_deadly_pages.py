"""Pages over which a library dies are read by another, in a child that comes after."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.integration.worker import strange_processors as strange
from tests.integration.worker.site import Site
from tests.unit.processors import pdfs

from blobforge.domain.job import Job
from blobforge.ports.blob_store import BlobKey
from blobforge.worker.observer import Tally


def _archive(site: Site, job: Job) -> tuple[str, Any]:
    record = site.coordinator.files(job.id)[-1]
    with site.blobs.open(BlobKey(record.key)) as stream, zipfile.ZipFile(stream) as archive:
        return archive.read("document.md").decode(), json.loads(archive.read("info.json"))


@pytest.mark.parametrize("chapters", [["Earth", "Water"], ["Earth", "Water", "Air", "Fire", "Aether"]])
def test_no_page_is_lost_though_a_child_dies_over_it(
    open_site: Callable[..., Site], tmp_path: Path, chapters: list[str]
) -> None:
    site = open_site(deadly=strange.DeadlyPages)
    book = pdfs.make_pdf(tmp_path / "book.pdf", *map(pdfs.prose, chapters))
    job = site.submit("book", book.read_bytes(), type="deadly")

    assert site.drain() == Tally(completed=1)

    text, info = _archive(site, job)
    assert [chapter for chapter in chapters if chapter in text] == chapters
    assert all(page["outcome"] == "text" for page in info["pages"])
    assert "second_reader" in info["pages"][1]["warnings"]
