"""What a survey tells of scans."""

from blobforge.processors.pdf_markdown.engines.engine import SCANS, Scans, scans_of
from blobforge.processors.pdf_markdown.engines.scans import scans_in
from blobforge.processors.pdf_markdown.layout.model.content import PageContent, Style, TextLine, TextWord

PLAIN = Style("Times", 10.0, bold=False, italic=False, mono=False, colour=(0.0, 0.0, 0.0))
TEXT = "the bridge was built in stone and it is the only way to the mill that stands on the hill"


def a_page(number: int, *texts: str, invisible: float = 0.0) -> PageContent:
    lines = [TextLine([TextWord(text, 50.0, 300.0, PLAIN)], 100.0, PLAIN, 0) for text in texts]
    return PageContent(
        number=number,
        width=600.0,
        height=800.0,
        lines=lines,
        turned=None,
        horizontals=[],
        verticals=[],
        fills=[],
        frames=[],
        images=[],
        invisible=invisible,
    )


def test_pages_without_text_and_with_hidden_text_are_told_apart_and_the_language_with_them() -> None:
    pages = [a_page(1, TEXT), a_page(2), a_page(3, TEXT, invisible=1.0)]

    assert scans_in(pages) == Scans(bare=(2,), hidden=(3,), language="eng")


def test_without_scans_nobody_asks_for_the_language() -> None:
    assert scans_in([a_page(1, TEXT)]) == Scans()


def test_an_engine_that_does_not_look_for_scans_tells_of_none() -> None:
    assert scans_of({}) == Scans()
    assert scans_of({SCANS: [[1], [2], "deu"]}) == Scans((1,), (2,), "deu")
