"""Text that nobody can see is not read."""

from pathlib import Path

from tests.unit.processors.layout.made_pdfs import MadePdf, written

from blobforge.processors.pdf_markdown.layout.drawn.extract import Source


def _lines(path: Path) -> list[str]:
    return [line.text for line in Source(path, pages=1).page(1).lines]


def test_white_text_on_white_paper_is_not_read(tmp_path: Path) -> None:
    path = MadePdf().saved(tmp_path / "a.pdf", written("to be seen") + b"1 g\n" + written("not to be seen", y=600))

    assert _lines(path) == ["to be seen"]


def test_white_text_on_a_dark_box_is_read(tmp_path: Path) -> None:
    box = b"0.2 g 40 590 300 30 re f 1 g\n"

    path = MadePdf().saved(tmp_path / "a.pdf", box + written("a heading on a box", y=600))

    assert _lines(path) == ["a heading on a box"]


def test_white_text_on_a_dark_shape_of_any_form_is_read(tmp_path: Path) -> None:
    shape = b"0.2 g 40 590 m 400 570 l 380 640 l 100 660 l h f 1 g\n"

    path = MadePdf().saved(tmp_path / "a.pdf", shape + written("a heading on a banner", y=600))

    assert _lines(path) == ["a heading on a banner"]
