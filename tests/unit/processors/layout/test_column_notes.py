"""Notes at the foot of columns are read after their text."""

from tests.unit.processors.layout.made import BODY, TITLE, line
from tests.unit.processors.layout.made_columns import items, read, text

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle
from blobforge.processors.pdf_markdown.layout.order.column_notes import with_notes_last
from blobforge.processors.pdf_markdown.layout.order.gutters import NO_RULES, Rules

SMALL = BODY._replace(size=8.0)
RULES = Rules([Rectangle(50, 175, 100, 175), Rectangle(300, 175, 350, 175)])
FIRST = items(text("a", 6, left=50), text("n", 3, left=50, top=180, style=SMALL))
SECOND = items(text("b", 6, left=300), text("m", 3, left=300, top=180, style=SMALL))


def test_the_text_goes_on_in_the_next_column_before_the_notes() -> None:
    assert read(with_notes_last([FIRST, SECOND], RULES)) == "abnm"


def test_without_a_rule_small_lines_stay_where_they_are() -> None:
    assert read(with_notes_last([FIRST, SECOND], NO_RULES)) == "anbm"


def test_notes_of_the_only_column_stay_at_its_end() -> None:
    assert with_notes_last([FIRST], RULES) == [FIRST]


def test_text_under_a_heading_with_a_rule_is_no_note() -> None:
    heading = line("h Heading", left=50, base=172, style=TITLE)
    column = items(text("a", 5, left=50), heading, text("c", 3, left=50, top=180))

    assert read(with_notes_last([column, SECOND[:6]], RULES)) == "ahcb"


def test_a_rule_that_begins_farther_in_is_of_a_drawing() -> None:
    drawing = Rules([Rectangle(60, 175, 90, 175)])

    assert read(with_notes_last([FIRST, SECOND[:6]], drawing)) == "anb"
