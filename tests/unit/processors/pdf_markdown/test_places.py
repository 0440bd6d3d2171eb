"""Where each page and each block lies in the Markdown: said by the processor that wrote it, so that nobody guesses."""

import json
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.unit.processors import pdfs

from blobforge.ports.processor import Processor
from blobforge.processors.pdf_markdown.engines import registry
from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor
from blobforge.testing.processor_contract import converted

LISTING = ("- the first of three things", "- the second of three things", "- the third of three things")


class Read(NamedTuple):
    markdown: str
    pages: list[dict[str, Any]]
    blocks: list[dict[str, Any]]

    def lines(self, entry: dict[str, Any]) -> str:
        """What the Markdown says in the place of a page or block."""
        first = entry.get("line", 1) - 1
        return "\n".join(self.markdown.split("\n")[first : first + entry["lines"]])


@pytest.fixture
def processor() -> Processor:
    return PdfMarkdownProcessor(find_ocr=lambda: None)


def read(processor: Processor, book: Path, tmp_path: Path, **options: Any) -> Read:
    product = converted(processor, pdfs.a_task(book, tmp_path / "work", **options))
    with zipfile.ZipFile(product.archive) as archive:
        said = json.loads(archive.read("document.json"))
        return Read(archive.read("document.md").decode(), said["pages"], said.get("blocks", []))


def listing(canvas: Any) -> None:
    for place, line in enumerate(("Three things are listed here, one a line:", *LISTING)):
        canvas.drawString(72, 700 - 15 * place, line)


def table(canvas: Any) -> None:
    pdfs.prose("A table")(canvas)
    for row in range(4):
        for column in range(3):
            canvas.rect(72 + 100 * column, 500 - 20 * row, 100, 20)
            canvas.drawString(76 + 100 * column, 506 - 20 * row, f"cell {row} {column}")


@pytest.mark.parametrize("engine", [registry.OURS, "liteparse"])
def test_each_page_has_its_lines_of_the_markdown(processor: Processor, tmp_path: Path, engine: str) -> None:
    drawn = (pdfs.prose("Earth"), listing, pdfs.nothing, table, pdfs.prose("Fire"))
    book = pdfs.make_pdf(tmp_path / "book.pdf", *drawn)

    said = read(processor, book, tmp_path, engine=engine)

    texts = [said.lines(page) for page in said.pages]
    assert [page["page"] for page in said.pages] == [1, 2, 3, 4, 5]
    assert "\n\n".join(filter(None, texts)) + "\n" == said.markdown
    assert [
        "Earth" in texts[0],
        "third of three" in texts[1],
        texts[2],
        "cell 3 2" in texts[3],
        "Fire" in texts[4],
    ] == [*(True, True, "", True, True)]


def test_pages_that_were_not_asked_for_are_not_there(processor: Processor, tmp_path: Path) -> None:
    book = pdfs.make_pdf(tmp_path / "book.pdf", *map(pdfs.prose, ("One", "Two", "Three")))

    said = read(processor, book, tmp_path, pages="2-3", slice_pages=1)

    assert [(page["page"], said.lines(page).split("\n")[0]) for page in said.pages] == [(2, "# Two"), (3, "# Three")]


def test_marks_of_pages_belong_to_their_pages(processor: Processor, tmp_path: Path) -> None:
    book = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.prose("One"), pdfs.scan(["a scan"]))

    said = read(processor, book, tmp_path, page_marks=True)

    assert said.lines(said.pages[0]).startswith("<!-- page 1 -->\n\n# One")
    assert said.lines(said.pages[1]).startswith("<!-- page 2 failed: ocr_unavailable -->")


def test_each_block_has_its_lines_of_the_markdown(processor: Processor, tmp_path: Path) -> None:
    book = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.prose("Earth"), listing, table)

    said = read(processor, book, tmp_path)

    found = [(block["role"], said.lines(block)) for block in said.blocks]
    assert found[0] == ("heading", "# Earth")
    assert [lines for role, lines in found if role == "item"] == list(LISTING)
    (cells,) = [lines for role, lines in found if role == "table"]
    assert cells.startswith("| cell 0 0 |")
    assert cells.endswith("| cell 3 2 |")
    assert all(
        block["line"] >= page["line"] for page in said.pages for block in said.blocks if block["page"] == page["page"]
    )


def test_a_paragraph_that_goes_on_over_pages_says_where_it_ends(processor: Processor, tmp_path: Path) -> None:
    def half(*lines: str) -> pdfs.Draw:
        def draw(canvas: Any) -> None:
            canvas.setFont("Helvetica", 11)
            for place, line in enumerate(lines):
                canvas.drawString(72, 120 - 15 * place if lines is first else 760 - 15 * place, line)

        return draw

    first = ("The quick brown fox jumps over the lazy dog while seven wizards quietly", "brew a potion near the old")
    second = ("stone bridge, and nobody in the whole village takes notice of them at all.",)
    book = pdfs.make_pdf(tmp_path / "book.pdf", half(*first), half(*second), pdfs.prose("After"))

    said = read(processor, book, tmp_path)

    begun = said.blocks[0]
    assert "near the old stone bridge" in begun["text"]
    assert (begun["page"], begun["last_page"]) == (1, 2)
    assert "last_page" not in said.blocks[-1]
    assert [page["lines"] for page in said.pages[:2]] == [1, 0]
