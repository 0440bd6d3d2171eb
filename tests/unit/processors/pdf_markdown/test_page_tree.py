"""Trees that have lost a page, and trees that only look so."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

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


def with_a_field(path: Path) -> None:
    """On the first page."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        form = Dictionary(
            Type=Name.Annot, Subtype=Name.Widget, FT=Name.Tx, T="name", V="Vance", Rect=[72, 300, 172, 320]
        )
        field = pdf.make_indirect(form)
        pdf.pages[0].obj.Annots = Array([field])
        pdf.Root.AcroForm = Dictionary(Fields=Array([field]))
        pdf.save(path, object_stream_mode=pikepdf.ObjectStreamMode.disable)


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


def test_a_page_that_is_nowhere_makes_the_document_doubtful(book: Path, tmp_path: Path) -> None:
    with_a_field(book)
    changed(book, kids(book)[-1], b"%d 0 R" % 99)

    assert opened(book, tmp_path).repaired


def test_a_branch_in_the_place_of_the_root_makes_the_document_doubtful(book: Path, tmp_path: Path) -> None:
    branch = re.search(rb"(\d+) 0 obj\n<< /Count 2", book.read_bytes())
    assert branch is not None
    root = re.search(rb"/Pages \d+ 0 R", book.read_bytes())
    assert root is not None
    changed(book, root[0], b"/Pages %s 0 R" % branch[1])

    assert opened(book, tmp_path).repaired


NO_PAGES: dict[str, dict[str, Any]] = {
    "a bookmark": {"Title": "One", "Parent": Dictionary(First=1, Last=1, Count=1)},
    "a field": {"T": "first", "Parent": Dictionary(T="name", Kids=Array())},
    "a note": {"Subtype": Name.Text, "Contents": "what somebody says of it"},
}


@pytest.mark.parametrize("found", NO_PAGES)
def test_what_is_a_little_like_a_page_in_the_place_of_one_makes_the_document_doubtful(
    book: Path, tmp_path: Path, found: str
) -> None:
    with pikepdf.open(book, allow_overwriting_input=True, inherit_page_attributes=False) as pdf:
        pdf.Root.Pages.Kids[1].Kids[1] = pdf.make_indirect(Dictionary(**NO_PAGES[found]))
        pdf.save(book)

    assert opened(book, tmp_path).repaired


def test_a_page_of_a_form_whose_content_is_nowhere_makes_the_document_doubtful(book: Path, tmp_path: Path) -> None:
    """With a field the page is drawn anew, and the copy has no content that could be missed."""
    with_a_field(book)
    content = re.search(rb"/Contents (\d+ 0 R)", book.read_bytes())
    assert content is not None
    changed(book, content[1], b"%d 0 R" % 99)

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


def test_a_table_that_is_wrong_about_a_content_makes_the_document_doubtful(book: Path, tmp_path: Path) -> None:
    """It is found all the same, by looking for it."""
    stream = re.search(rb"\n(\d+) 0 obj\n<< [^>]*/Length", book.read_bytes())
    assert stream is not None
    changed(book, b"%010d 00000 n" % stream.start(1), b"%010d 00000 n" % (stream.start(1) + 7))

    found = opened(book, tmp_path)

    assert (found.pages, found.repaired) == (3, True)


def test_a_torn_tree_is_noticed_with_a_password_too(book: Path, tmp_path: Path) -> None:
    secret = changed(pdfs.encrypted(book, tmp_path / "secret.pdf", user="hunter2"), b"/Count 2", b"/Count 7")
    task = pdfs.a_task(secret, tmp_path / "work", name="book.pdf")

    assert open_source(replace(task, secrets={"password": "hunter2"})).repaired
