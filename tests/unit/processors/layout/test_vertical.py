"""Text from top to bottom is read from right to left."""

from types import SimpleNamespace

from tests.unit.processors.layout.made_glyphs import PAGE, chars

from blobforge.processors.pdf_markdown.layout.drawn.glyphs import Glyphs, read_glyphs
from blobforge.processors.pdf_markdown.layout.words.lines import lines_of

FIRST, SECOND = "古池や蛙飛びこむ水の音", "閑さや岩にしみ入る蝉の声"


def _column(text: str, *, x: float) -> list[SimpleNamespace]:
    return [each for place, char in enumerate(text) for each in chars(char, x=x, y=700 - 10 * place)]


def _lines(read: Glyphs) -> list[str]:
    return [line.text for line in lines_of(read.pieces)]


def test_columns_are_lines_from_right_to_left() -> None:
    read = read_glyphs([*_column(FIRST, x=300), *_column(SECOND, x=282)], PAGE)

    assert _lines(read) == [FIRST, SECOND]
    assert read.angle == 270


def test_figures_that_stand_upright_in_a_column_are_read_with_it() -> None:
    read = read_glyphs([*_column("平成9年の夏の古池の蛙", x=300), *_column(SECOND, x=282)], PAGE)

    assert _lines(read)[0].replace(" ", "") == "平成9年の夏の古池の蛙"


def test_lines_across_stay_as_they_are() -> None:
    across = [
        each
        for row, text in enumerate((FIRST, SECOND))
        for place, char in enumerate(text)
        for each in chars(char, x=50 + 10 * place, y=700 - 15 * row)
    ]

    assert read_glyphs(across, PAGE).angle == 0


def test_punctuation_shaped_for_columns_is_plain_again() -> None:
    read = read_glyphs([*_column("古池や︑蛙飛びこむ水の音︒", x=300)], PAGE)

    assert _lines(read) == ["古池や、蛙飛びこむ水の音。"]


def test_a_radical_that_stands_for_its_character_is_that_character() -> None:
    assert read_glyphs(chars("⼀⽇"), PAGE).pieces[0].text == "一日"
