"""What is decided about scans before a document is cut into slices."""

import sys
from pathlib import Path

import pytest
from tests.unit.processors import pdfs
from tests.unit.processors.pdf_markdown.sheets import Sheet

from blobforge.documents.tesseract import Tesseract
from blobforge.processors.pdf_markdown.engines.engine import Scans
from blobforge.processors.pdf_markdown.ocr.preparation import Preparation, preparation_in, prepared
from blobforge.processors.pdf_markdown.page_view import PageView

GERMAN = "der Hund und die Katze sind auf dem Dach und das ist nicht gut für den Hund"
ENGLISH = (
    "nothing matters until somebody wonders whether these particular words agree with another layer, says everyone"
)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return pdfs.make_pdf(tmp_path / "book.pdf", lambda canvas: canvas.drawString(20, 400, ENGLISH))


def tesseract(folder: Path, *languages: str, says: str = "", script: str = "") -> Tesseract:
    """One that reads the same on every page, and sees this script."""
    (folder / "read.tsv").write_text("\n".join(Sheet().line(says).rows))
    (folder / "osd").write_text(f"Rotate: 0\nScript: {script}\n")
    program = folder / "tesseract"
    program.write_text(
        f"#!{sys.executable} -S\nimport sys\nsys.stdin.buffer.read()\n"
        f"print(open({str(folder)!r} + ('/osd' if sys.argv[-1] == '0' else '/read.tsv')).read())\n"
    )
    program.chmod(0o755)
    return Tesseract(program=str(program), version="5", languages=frozenset(languages))


def decide(tool: Tesseract, book: Path, scans: Scans, wanted: tuple[str, ...] = ()) -> Preparation:
    with PageView(book) as view:
        return prepared(tool, view, scans, wanted)


def test_languages_that_were_asked_for_are_taken_as_far_as_they_are_there(book: Path, tmp_path: Path) -> None:
    found = decide(tesseract(tmp_path, "eng"), book, Scans(bare=(1,)), ("eng", "deu"))

    assert (found.languages, found.missing) == (("eng",), "deu")


@pytest.mark.parametrize(("installed", "missing"), [(("eng", "deu"), ""), (("eng",), "deu")])
def test_the_text_of_the_document_tells_the_language(
    book: Path, tmp_path: Path, installed: tuple[str, ...], missing: str
) -> None:
    found = decide(tesseract(tmp_path, *installed), book, Scans(bare=(1,), language="deu"))

    assert (found.languages, found.missing) == (installed[-1:], missing)


def test_without_text_a_first_reading_tells_it(book: Path, tmp_path: Path) -> None:
    found = decide(tesseract(tmp_path, "deu", "eng", says=GERMAN), book, Scans(bare=(1,)))

    assert (found.languages, found.missing) == (("deu",), "")


def test_another_script_tells_what_is_missing(book: Path, tmp_path: Path) -> None:
    found = decide(tesseract(tmp_path, "deu", "eng", "osd", script="Cyrillic"), book, Scans(bare=(1,)))

    assert (found.languages, found.missing) == (("eng",), "rus")


@pytest.mark.parametrize(("script", "missing"), [("Han", "chi_sim"), ("Latin", ""), ("", "")])
def test_the_only_language_that_is_there_may_be_the_wrong_one(
    script: str, missing: str, book: Path, tmp_path: Path
) -> None:
    found = decide(tesseract(tmp_path, "eng", "osd", script=script), book, Scans(bare=(1,)))

    assert (found.languages, found.missing) == (("eng",), missing)


def test_one_language_alone_needs_no_look_where_scripts_cannot_be_told(book: Path) -> None:
    tool = Tesseract(program="/nonexistent", version="5", languages=frozenset({"eng"}))

    assert decide(tool, book, Scans(bare=(1,))).languages == ("eng",)


@pytest.mark.parametrize(("says", "trusted"), [(ENGLISH, True), (f"{GERMAN} " * 3, False)])
def test_hidden_text_is_trusted_when_it_has_the_words_that_ocr_reads(
    book: Path, tmp_path: Path, says: str, *, trusted: bool
) -> None:
    found = decide(tesseract(tmp_path, "eng", says=says), book, Scans(hidden=(1,)))

    assert found.agreement is not None
    assert found.distrusts_layer is not trusted
    assert preparation_in(found.as_json()) == found


def test_too_few_words_tell_nothing_about_hidden_text(book: Path, tmp_path: Path) -> None:
    found = decide(tesseract(tmp_path, "eng", says="Chapter Three"), book, Scans(hidden=(1,)))

    assert (found.agreement, found.distrusts_layer) == (None, False)
