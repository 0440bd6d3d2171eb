"""The page of HTML that shows what the engine saw."""

import re
import zipfile
from pathlib import Path

import pytest
from tests.unit.processors import pdfs

from blobforge.domain.errors import InvalidOptions
from blobforge.processors.pdf_markdown.explanation import keep_picture, write_explanation
from blobforge.processors.pdf_markdown.layout.model.content import Rectangle
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole
from blobforge.processors.pdf_markdown.page_view import PageView
from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor
from blobforge.testing.processor_contract import converted


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return pdfs.make_pdf(tmp_path / "book.pdf", pdfs.prose("Earth"), pdfs.prose("Water"))


def explained(workspace: Path, book: Path, *passages: Passage) -> str:
    with PageView(book) as view:
        keep_picture(workspace, view, 1)
        keep_picture(workspace, view, 2)
    return write_explanation(workspace, "<my> book.pdf", passages).read_text(encoding="utf-8")


@pytest.mark.parametrize("role", PassageRole)
def test_every_role_has_a_colour_of_its_own(tmp_path: Path, book: Path, role: PassageRole) -> None:
    shown = explained(tmp_path, book, Passage(role=role, page=1, box=Rectangle(70, 100, 300, 200), plain="words"))

    (colour,) = re.findall(rf"background:(#\w+);color:#fff;padding:0 .4rem'>{role}<", shown)
    assert f"border-color:{colour}' title='{role}'" in shown
    assert shown.count(f"background:{colour};") == 1


def test_each_page_is_shown_with_its_boxes_in_their_order(tmp_path: Path, book: Path) -> None:
    inner = Passage(role=PassageRole.PARAGRAPH, page=1, box=Rectangle(80, 410, 200, 430), plain="within")
    shown = explained(
        tmp_path,
        book,
        Passage(role=PassageRole.HEADING, page=1, box=Rectangle(59.5, 84.2, 297.5, 168.4), plain="Earth & co", level=2),
        Passage(role=PassageRole.QUOTE, page=1, box=Rectangle(70, 400, 300, 500), children=[inner]),
        Passage(role=PassageRole.TABLE, page=2, box=Rectangle(70, 100, 300, 200), rows=[["a", "b"]]),
    )

    assert shown.count("data:image/jpeg;base64,") == 2
    assert "left:10.00%;top:10.00%;width:40.00%;height:10.00%" in shown
    assert ">2.1</b><span class='role'>paragraph</span>within" in shown
    assert "<span class='role'>heading 2</span>Earth &amp; co" in shown
    assert "a · b" in shown


def test_what_a_document_says_cannot_become_part_of_the_page(tmp_path: Path, book: Path) -> None:
    passage = Passage(role=PassageRole.PARAGRAPH, page=1, box=Rectangle(0, 0, 9, 9), plain="<script>alert(1)</script>")

    shown = explained(tmp_path, book, passage)

    assert "<script>" not in shown
    assert "How &lt;my&gt; book.pdf was read" in shown


def test_a_long_text_is_told_by_its_beginning(tmp_path: Path, book: Path) -> None:
    shown = explained(
        tmp_path, book, Passage(role=PassageRole.PARAGRAPH, page=1, box=Rectangle(0, 0, 9, 9), plain="word " * 99)
    )

    assert "word…" in shown.replace("word …", "word…")


@pytest.mark.parametrize("slice_pages", [1, 50])
def test_an_explanation_that_was_asked_for_is_in_the_archive(tmp_path: Path, book: Path, slice_pages: int) -> None:
    processor = PdfMarkdownProcessor(find_ocr=lambda: None)
    task = pdfs.a_task(book, tmp_path / "work", explain=True, slice_pages=slice_pages)

    with zipfile.ZipFile(converted(processor, task).archive) as archive:
        shown = archive.read("explain.html").decode()

    assert shown.count("data:image/jpeg") == 2
    assert "Earth" in shown
    assert "Water" in shown


def test_an_engine_that_does_not_tell_what_it_saw_is_named() -> None:
    with pytest.raises(InvalidOptions, match="the engine liteparse does not tell what it saw; use blobforge"):
        PdfMarkdownProcessor().recipe({"explain": "true", "engine": "liteparse"})
