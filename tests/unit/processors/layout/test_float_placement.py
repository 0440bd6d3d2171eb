"""Things beside the text, and between which paragraphs they are read."""

from tests.unit.processors.layout.made import SURVEY, TITLE, line
from tests.unit.processors.layout.made_columns import items, names, text

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, TextLine
from blobforge.processors.pdf_markdown.layout.model.items import Figure, Framed, Item, item_of
from blobforge.processors.pdf_markdown.layout.order.float_placement import with_insets_placed

LONG = 100


def read(column: list[Item]) -> str:
    """The letters that lines begin with, each once in a row; a star for all else."""
    (found,) = names([with_insets_placed(column, SURVEY)])
    letters = [name[0] for name in found]
    return "".join(letter for place, letter in enumerate(letters) if place == 0 or letters[place - 1] != letter)


def picture(left: float) -> Item:
    return item_of(Figure(Rectangle(left, 100.0, left + 150.0, 170.0), 1))


def narrow(name: str, left: float) -> list[TextLine]:
    return text(name, 6, left=left, letters=40)


def test_text_begins_left_of_a_picture_that_stands_beside_its_first_line() -> None:
    below = text("b", 4, left=50, top=190, letters=LONG)

    assert read([*items(narrow("a", 50)), picture(300), *items(below)]) == "a*b"


def test_a_picture_left_of_the_first_line_is_read_before_it() -> None:
    below = text("b", 4, left=50, top=190, letters=LONG)

    assert read([picture(50), *items(narrow("a", 220), below)]) == "*ab"


def test_a_box_beside_all_of_the_text_is_read_after_the_title_over_both() -> None:
    side = Framed(Rectangle(50, 90, 200, 260), text("x", 4, left=60, letters=20))
    title = line("h the title of it all over both", base=80, style=TITLE)

    assert read(items(title, side, text("a", 12, left=220, letters=40))) == "h*a"
