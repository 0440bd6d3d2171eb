"""Short pieces of print that OCR has passed over, in pictures that each test draws."""

from collections.abc import Callable

import pytest
from PIL import Image, ImageDraw

from blobforge.documents.grey_image import GreyImage
from blobforge.documents.ocr_program import OcrWord
from blobforge.domain.errors import OcrFailed
from blobforge.processors.pdf_markdown.ocr.second_look import with_pieces

ROWS = range(4)
TALL = 20
Mark = Callable[[ImageDraw.ImageDraw, int], None]
"""Draws at a height, left of x = 220 and right of x = 200."""


def word(text: str, left: int, top: int, line: int, *, confidence: float = 95.0, height: int = TALL) -> OcrWord:
    return OcrWord(text, left, top, 12 * len(text), height, confidence, ("1", "1", str(line)))


GOODS = [word("Goods", 20, 40 + 50 * row, row) for row in ROWS]


def page(mark: Mark) -> GreyImage:
    """A mark in each row, beside a word that OCR has read."""
    image = Image.new("L", (400, 300), 255)
    drawn = ImageDraw.Draw(image)
    for row in ROWS:
        drawn.rectangle((20, 40 + 50 * row, 79, 59 + 50 * row), fill=0)
        mark(drawn, 40 + 50 * row)
    return GreyImage.of(image, dpi=200)


def figure(drawn: ImageDraw.ImageDraw, top: int) -> None:
    drawn.rectangle((200, top, 210, top + TALL - 1), outline=0, width=3)


def bullet(drawn: ImageDraw.ImageDraw, top: int) -> None:
    drawn.ellipse((200, top + 2, 216, top + 18), fill=0)


def dash(drawn: ImageDraw.ImageDraw, top: int) -> None:
    drawn.rectangle((200, top + 9, 212, top + 11), fill=0)


def speck(drawn: ImageDraw.ImageDraw, top: int) -> None:
    drawn.rectangle((200, top + 8, 202, top + 10), fill=0)


def shaded(drawn: ImageDraw.ImageDraw, top: int) -> None:
    """What is dark in a photograph."""
    drawn.rectangle((180, top - 15, 240, top + 35), fill=190)
    figure(drawn, top)


class Reader:
    """Says of each line of a sheet what it was told to, or fails."""

    def __init__(self, *texts: str, confidence: float = 95.0) -> None:
        self._texts = texts
        self._confidence = confidence
        self.sheets: list[GreyImage] = []

    def __call__(self, sheet: GreyImage) -> list[OcrWord]:
        self.sheets.append(sheet)
        if not self._texts:
            raise OcrFailed("it broke")
        tops = [(2 * place + 1) * TALL for place in range(len(self._texts))]
        return [
            word(text, TALL, top, place, confidence=self._confidence)
            for place, (text, top) in enumerate(zip(self._texts, tops, strict=True))
        ]


def texts_of(words: list[OcrWord]) -> list[str]:
    return [each.text for each in words]


def test_figures_that_were_passed_over_are_put_into_their_rows() -> None:
    words, is_unread = with_pieces(GOODS, page(figure), Reader("1", "2", "3", "4"))

    assert texts_of(words) == ["Goods", "1", "Goods", "2", "Goods", "3", "Goods", "4"]
    assert [(each.left, each.top, each.line) for each in words[1::2]] == [(200, one.top, one.line) for one in GOODS]
    assert not is_unread


def test_a_column_that_is_not_read_for_sure_is_told_and_doubtful() -> None:
    words, is_unread = with_pieces(GOODS, page(figure), Reader("1", "2", "3", "4", confidence=50.0))

    assert (texts_of(words)[1::2], is_unread) == (["1", "2", "3", "4"], True)


def test_where_ocr_fails_at_them_the_words_stay_and_the_column_is_doubtful() -> None:
    assert with_pieces(GOODS, page(figure), Reader()) == (GOODS, True)


def test_dashes_of_a_column_are_known_by_their_shape() -> None:
    reader = Reader()

    words, is_unread = with_pieces(GOODS, page(dash), reader)

    assert (texts_of(words)[1::2], is_unread, reader.sheets) == (["–"] * 4, False, [])


@pytest.mark.parametrize("mark", [bullet, speck, shaded])
def test_bullets_specks_and_what_is_dark_in_a_photograph_are_no_print(mark: Mark) -> None:
    reader = Reader("1", "2", "3", "4")

    assert with_pieces(GOODS, page(mark), reader) == (GOODS, False)
    assert reader.sheets == []


def test_a_column_that_was_taken_for_a_line_on_its_side_is_read_row_by_row() -> None:
    on_side = [word("WOW", 200, 40 + 50 * row, 9, confidence=35.0) for row in reversed(ROWS)]

    words, is_unread = with_pieces([*GOODS, *on_side], page(figure), Reader("1", "2", "3", "4"))

    assert texts_of(words) == ["Goods", "1", "Goods", "2", "Goods", "3", "Goods", "4"]
    assert not is_unread


def test_a_line_on_its_side_that_was_read_for_sure_stays() -> None:
    on_side = [word("margin", 200, 40 + 50 * row, 9) for row in reversed(ROWS)]

    assert with_pieces([*GOODS, *on_side], page(figure), Reader("i", "o", "i", "o", confidence=40.0)) == (
        [*GOODS, *on_side],
        False,
    )


def test_a_piece_is_read_with_the_word_that_it_is_a_part_of() -> None:
    cut = [word("50", 214, 40 + 50 * row, row) for row in ROWS]
    words = sorted([*GOODS, *cut], key=lambda one: one.line)

    read, _ = with_pieces(words, page(figure), Reader("1.50", "2.50", "3.50", "4.50"))

    assert texts_of(read) == ["Goods", "1.50", "Goods", "2.50", "Goods", "3.50", "Goods", "4.50"]
