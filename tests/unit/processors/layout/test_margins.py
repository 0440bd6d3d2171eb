"""Notes in the margin, and where things beside the text are read."""

from tests.unit.processors.layout.made import BODY, SURVEY, TITLE, line
from tests.unit.processors.layout.made_columns import items, names, text

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle
from blobforge.processors.pdf_markdown.layout.model.items import Figure, Item, item_of
from blobforge.processors.pdf_markdown.layout.order.float_placement import placed, placed_note
from blobforge.processors.pdf_markdown.layout.order.margins import is_aside, margin_notes

SMALL = BODY._replace(size=7.0)
THING = item_of(Figure(Rectangle(300, 150, 350, 180), 1))


def test_small_text_outside_the_measure_is_a_note() -> None:
    body, note = text("a", 12, left=150), text("n", 3, left=50, top=130, letters=20, style=SMALL)

    notes, lines = margin_notes([*body, *note], SURVEY)

    assert [len(each.lines) for each in notes] == [3]
    assert lines == body


def test_notes_are_told_apart_by_the_space_between_them() -> None:
    body = text("a", 14, left=150)
    first = text("n", 2, left=50, top=110, letters=20, style=SMALL)
    second = text("m", 2, left=50, top=180, letters=20, style=SMALL)

    assert len(margin_notes([*body, *first, *second], SURVEY)[0]) == 2


def test_text_of_the_bodys_size_beside_it_is_no_note() -> None:
    lines = [*text("a", 12, left=150), *text("b", 4, left=50, letters=18)]

    assert margin_notes(lines, SURVEY)[0] == []


def test_a_single_line_in_the_margin_is_no_note() -> None:
    lines = [*text("a", 12, left=150), *text("n", 1, left=50, top=130, letters=20, style=SMALL)]

    assert margin_notes(lines, SURVEY) == ([], lines)


def _place(column: list[Item]) -> int:
    columns = [column]
    placed(columns, THING, SURVEY)
    return names(columns)[0].index("*")


def test_a_thing_is_read_after_the_paragraph_that_ends_above_it() -> None:
    column = items(text("a", 3, left=50), text("b", 3, left=50, top=146), text("c", 3, left=50, top=192))

    assert _place(column) == 3


def test_a_thing_is_not_put_between_a_heading_and_its_text() -> None:
    column = items(
        text("a", 2, left=50), line("Heading", left=50, base=148, style=TITLE), text("b", 5, left=50, top=152)
    )

    assert _place(column) == 2


def test_a_thing_without_text_is_read_by_itself() -> None:
    columns: list[list[Item]] = []

    placed(columns, THING, SURVEY)

    assert columns == [[THING]]


def test_a_list_item_that_hangs_is_not_torn_apart() -> None:
    first = line("1. the first line of it ends in full here.", left=50, base=148)
    column = items(text("a", 2, left=50), first, text("b", 3, left=62, top=152))

    assert _place(column) == 2


def test_a_thing_is_read_before_a_paragraph_whose_first_line_stands_in() -> None:
    ended = line("the last line of it ends in full here now.", left=50, base=148)
    column = items(
        text("a", 3, left=50, top=104), ended, text("b", 1, left=65, top=152), text("c", 4, left=50, top=164)
    )

    assert _place(column) == 4


def test_smaller_text_beside_the_text_is_a_sidebar() -> None:
    aside = items(text("s", 6, left=400, letters=30, style=SMALL))

    assert is_aside(aside, items(text("a", 12, left=50)), SURVEY)


def test_a_column_of_the_bodys_size_is_no_sidebar() -> None:
    assert not is_aside(items(text("b", 12, left=300, letters=20)), items(text("a", 12, left=50)), SURVEY)


def test_a_smaller_column_that_is_as_wide_is_no_sidebar() -> None:
    wide = items(text("b", 12, left=300, letters=50, style=SMALL))

    assert not is_aside(wide, items(text("a", 12, left=50)), SURVEY)


def test_a_thing_under_a_heading_is_not_read_before_it() -> None:
    column = items(line("Heading", left=50, base=140, style=TITLE), text("b", 6, left=50, top=148))

    assert _place(column) == 7


def test_a_note_beside_the_middle_of_a_paragraph_is_read_after_it() -> None:
    columns = [items(text("a", 4, left=50), text("b", 4, left=50, top=160))]
    note = item_of(Figure(Rectangle(400, 126, 450, 150), 1))

    placed_note(columns, note, SURVEY)

    assert "".join(name[0] for name in names(columns)[0]) == "aaaa*bbbb"


def test_a_note_level_with_the_first_line_of_a_paragraph_is_read_before_it() -> None:
    columns = [items(text("a", 4, left=50), text("b", 4, left=50, top=160))]
    note = item_of(Figure(Rectangle(400, 160, 450, 190), 1))

    placed_note(columns, note, SURVEY)

    assert "".join(name[0] for name in names(columns)[0]) == "aaaa*bbbb"
