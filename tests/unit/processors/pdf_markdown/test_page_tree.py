"""Trees that have lost a page, and trees that only look so."""

import re
from dataclasses import replace
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name
from tests.unit.processors import pdfs

from blobforge.processors.pdf_markdown.source_file import SourceFile, open_source


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Three pages, two of them on a branch."""
    path = pdfs.make_pdf(tmp_path / "book.pdf", *map(pdfs.prose, ("One", "Two", "Three")))
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        root = pdf.Root.Pages
        first, *others = root.Kids
        branch = pdf.make_indirect(Dictionary(Type=Name.Pages, Parent=root, Count=2, Kids=Array(others)))
        for page in others:
            page.Parent = branch
        root.Kids = Array([first, branch])
        pdf.save(path, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    return path


def changed(path: Path, before: bytes, after: bytes) -> Path:
    """At its first place, so that nothing moves."""
    content = path.read_bytes()
    assert content.count(before) >= 1
    path.write_bytes(content.replace(before, after.ljust(len(before)), 1))
    return path


def kids(path: Path) -> list[bytes]:
    """Those of the branch."""
    (found,) = re.findall(rb"/Kids \[ ([^]]*) \] /Parent", path.read_bytes())
    return re.findall(rb"\d+ 0 R", found)


def opened(path: Path, tmp_path: Path) -> SourceFile:
    return open_source(pdfs.a_task(path, tmp_path / "work", name="book.pdf"))


def test_a_whole_tree_is_no_reason_for_doubt(book: Path, tmp_path: Path) -> None:
    assert opened(book, tmp_path) == SourceFile(copy="", pages=3)


def test_a_page_that_was_lost_from_its_branch_makes_the_document_doubtful(book: Path, tmp_path: Path) -> None:
    last, before = kids(book)[-1], kids(book)[0]
    changed(book, before + b" " + last, before)

    assert opened(book, tmp_path).repaired


@pytest.mark.parametrize("count", [b"/Count 1", b"/Count 9", b"/Cxunt 3"])
def test_a_count_that_is_wrong_makes_the_document_doubtful(book: Path, tmp_path: Path, count: bytes) -> None:
    changed(book, b"/Count 3", count)

    assert opened(book, tmp_path).repaired


def test_a_branch_that_has_lost_its_pages_makes_the_document_doubtful(book: Path, tmp_path: Path) -> None:
    changed(book, b"/Count 2 /Kids", b"/Count 2 /Kxds")

    assert opened(book, tmp_path).repaired


def test_something_else_in_the_place_of_a_page_makes_the_document_doubtful(book: Path, tmp_path: Path) -> None:
    font = re.search(rb"(\d+) 0 obj\n<< /BaseFont", book.read_bytes())
    assert font is not None
    changed(book, kids(book)[0], b"%s 0 R" % font[1])

    assert opened(book, tmp_path).repaired


def test_one_page_in_the_place_of_another_makes_the_document_doubtful(book: Path, tmp_path: Path) -> None:
    first, second = kids(book)
    changed(book, first + b" " + second, first + b" " + first)

    assert opened(book, tmp_path).repaired


def test_a_page_that_is_shown_twice_is_no_damage_where_none_is_lost(book: Path, tmp_path: Path) -> None:
    lone = re.search(rb"/Kids \[ (\d+ 0 R) ", book.read_bytes())
    assert lone is not None
    changed(book, lone[0], b"/Kids [ %s " % kids(book)[0])
    changed(book, b"/Type /Page >>", b"/Type /Note >>")

    assert opened(book, tmp_path) == SourceFile(copy="", pages=3)


def test_a_page_that_was_taken_out_and_left_in_the_file_is_no_damage(book: Path, tmp_path: Path) -> None:
    first, second = kids(book)
    changed(book, b"/Count 3", b"/Count 2")
    changed(book, b"/Count 2 /Kids [ %s %s ] /P" % (first, second), b"/Count 1 /Kids [ %s ]" % first + b" " * 7 + b"/P")

    assert opened(book, tmp_path) == SourceFile(copy="", pages=2)


def test_a_torn_tree_is_noticed_with_a_password_too(book: Path, tmp_path: Path) -> None:
    secret = changed(pdfs.encrypted(book, tmp_path / "secret.pdf", user="hunter2"), b"/Count 2", b"/Count 7")
    task = pdfs.a_task(secret, tmp_path / "work", name="book.pdf")

    assert open_source(replace(task, secrets={"password": "hunter2"})).repaired
