"""The archive that every processor writes."""

import json
import zipfile
from pathlib import Path

from tests.unit.processors import pdfs

from blobforge.domain.page import Page, PageOutcome
from blobforge.domain.recipe import Recipe
from blobforge.ports.processor import Gap, Slice
from blobforge.processors import result_archive
from blobforge.processors.result_archive import Entry

RECIPE = Recipe(processor="p", version="1", engine="e", engine_version="2")


def test_entries_come_sorted_whatever_their_order(tmp_path: Path) -> None:
    one, two = Entry("b.txt", b"b"), Entry("a.txt", b"a")

    result_archive.write_archive(tmp_path / "1.zip", [one, two])
    result_archive.write_archive(tmp_path / "2.zip", [two, one])

    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()


def test_a_file_is_stored_like_bytes(tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(b"pixels")

    result_archive.write_archive(tmp_path / "1.zip", [Entry("picture.png", tmp_path / "picture")])
    result_archive.write_archive(tmp_path / "2.zip", [Entry("picture.png", b"pixels")])

    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()


def test_the_size_is_that_of_the_file(tmp_path: Path) -> None:
    size = result_archive.write_archive(tmp_path / "1.zip", [Entry("a", b"abc")])

    assert size == (tmp_path / "1.zip").stat().st_size
    assert zipfile.ZipFile(tmp_path / "1.zip").read("a") == b"abc"


def test_info_json_is_json_with_one_line_a_page(tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(b"12345")
    task = pdfs.a_task(tmp_path / "source", tmp_path / "work")
    pages = [Page(1, PageOutcome.TEXT), Page(2, PageOutcome.FAILED, "ocr_failed", "it broke")]

    content = result_archive.info_json(task, RECIPE, pages, {"title": "A book"})

    info = json.loads(content)
    assert b'\n{"page": 2, "outcome": "failed", "code": "ocr_failed", "message": "it broke"}\n' in content
    assert info["title"] == "A book"
    assert info["source"]["size"] == 5
    assert info["tally"] == {
        "pages": 2,
        "pages_failed": 1,
        "codes": {"ocr_failed": 1},
        "outcomes": {"text": 1, "ocr": 0, "empty": 0, "failed": 1},
    }


def test_a_gap_names_each_of_its_units() -> None:
    gap = Gap(Slice(3, 5), "child_killed", "signal 9")

    pages = result_archive.gap_pages([gap])

    assert sorted(pages) == [3, 4, 5]
    assert pages[4] == Page(4, PageOutcome.FAILED, "child_killed", "signal 9")
