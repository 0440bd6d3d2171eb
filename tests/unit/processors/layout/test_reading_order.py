"""Columns and the order in which they are read."""

import pytest
from tests.unit.processors.layout.made import BODY, BOLD, SURVEY, TITLE, column, line
from tests.unit.processors.layout.made_columns import items, names, read, text

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, Style
from blobforge.processors.pdf_markdown.layout.model.items import Figure, Framed
from blobforge.processors.pdf_markdown.layout.order.gutters import Rules, best_gutter
from blobforge.processors.pdf_markdown.layout.order.reading_order import columns_in_order

QUOTE = BODY._replace(size=14.0, italic=True)


def test_one_column_is_read_top_down() -> None:
    assert read(columns_in_order(items(text("a", 8, left=50)), SURVEY)) == "a"


@pytest.mark.parametrize("count", [2, 3, 4])
def test_columns_are_read_one_after_the_other(count: int) -> None:
    columns = [text("abcd"[place], 8, left=50 + 200.0 * place, letters=30) for place in range(count)]

    assert read(columns_in_order(items(*columns), SURVEY)) == "abcd"[:count]


def test_a_heading_across_the_columns_comes_first_and_they_begin_anew_below_the_next() -> None:
    page = items(
        line("h " + "heading over all " * 3, base=90, style=TITLE),
        text("a", 6, left=50, top=100),
        text("b", 6, left=300, top=100),
        line("i " + "heading over all " * 3, base=205, style=TITLE),
        text("c", 6, left=50, top=215),
        text("d", 6, left=300, top=215),
    )

    assert read(columns_in_order(page, SURVEY)) == "habicd"


def test_a_page_may_change_its_number_of_columns() -> None:
    page = items(
        text("a", 8, left=50, letters=40),
        text("b", 8, left=300, letters=40),
        line("h then three", base=225, style=TITLE),
        text("c", 8, left=50, top=240, letters=24),
        text("d", 8, left=210, top=240, letters=24),
        text("e", 8, left=370, top=240, letters=24),
    )

    assert read(columns_in_order(page, SURVEY)) == "abhcde"


def test_a_short_heading_under_columns_heads_the_text_over_the_full_width_below() -> None:
    page = items(
        text("a", 8, left=50, letters=40),
        text("b", 8, left=300, letters=40),
        line("h short", base=225, style=BOLD),
        text("w", 3, left=50, top=235, letters=90),
        text("c", 8, left=50, top=280, letters=24),
        text("d", 8, left=210, top=280, letters=24),
        text("e", 8, left=370, top=280, letters=24),
    )

    assert read(columns_in_order(page, SURVEY)) == "abhwcde"


def test_a_list_beside_running_text_on_other_lines_is_a_column() -> None:
    amounts = [line(f"l {place} eggs and some flour", base=125 + 15.0 * place) for place in range(6)]
    page = items(
        text("w", 3, left=50, top=60, letters=90),
        amounts,
        text("m", 9, left=250, top=118, letters=50),
        text("v", 4, left=50, top=240, letters=90),
    )

    assert read(columns_in_order(page, SURVEY)) == "wlmv"


def test_lists_side_by_side_are_columns_though_an_item_is_wrapped() -> None:
    page = items(
        *(line("a title", base=90, style=BOLD), line("b title", left=300, base=90, style=BOLD)),
        *(line("•", "a one", base=108), line("•", "a two", base=120), line("•", "a three and more", base=132)),
        *(line("•", "b one that is", left=300, base=108), line("b wrapped", left=310, base=120)),
        line("•", "b two", left=300, base=132),
    )

    order = ["".join(word for word in made) for made in names(columns_in_order(page, SURVEY))]

    assert order == ["a•••", "b•b•"]


def test_a_wide_table_or_box_stops_the_columns() -> None:
    box = Framed(Rectangle(50, 205, 500, 295), text("x", 6, left=60, top=210))
    page = items(
        text("a", 8, left=50),
        text("b", 8, left=300),
        box,
        text("c", 8, left=50, top=300),
        text("d", 8, left=300, top=300),
    )

    assert read(columns_in_order(page, SURVEY)) == "ab*cd"


def test_a_pull_quote_over_the_gutter_is_kept_together_between_paragraphs() -> None:
    left = text("a", 5, left=50) + text("b", 5, left=50, top=170, letters=24) + text("c", 4, left=50, top=232)
    right = text("d", 5, left=300) + text("e", 5, left=360, top=170, letters=24) + text("f", 4, left=300, top=232)
    quote = [line(f"q{place} written large over", left=190, base=185 + 18.0 * place, style=QUOTE) for place in range(2)]

    columns = columns_in_order(items(left, right, quote), SURVEY)

    assert read(columns) in {"a*bcdef", "abcd*ef"}


def test_rows_of_short_texts_are_a_table_and_no_columns() -> None:
    page = items(text("A", 8, left=50, letters=12), text("B", 8, left=250, letters=12))

    assert best_gutter(page, SURVEY) is None


def test_rules_that_end_at_the_gutter_tell_tables_side_by_side() -> None:
    page = items(text("A", 8, left=50, letters=12), text("B", 8, left=250, letters=12))
    apart = Rules([Rectangle(48, 99, 200, 99), Rectangle(245, 99, 400, 99)])

    assert best_gutter(page, SURVEY, apart) is not None


def test_a_rule_down_the_gutter_tells_columns() -> None:
    page = items(text("A", 8, left=50, letters=12), text("B", 8, left=250, letters=12))

    assert best_gutter(page, SURVEY, Rules((), [Rectangle(180, 95, 180, 200)])) is not None


def test_a_rule_across_the_gap_tells_a_table() -> None:
    page = items(text("A", 8, left=50, letters=12), text("B", 8, left=250, letters=12))

    assert best_gutter(page, SURVEY, Rules([Rectangle(48, 112, 400, 112)], [Rectangle(180, 95, 180, 200)])) is None


def test_a_picture_makes_no_column() -> None:
    page = items(text("a", 8, left=50), Figure(Rectangle(300, 100, 450, 200), 1))

    assert len(columns_in_order(page, SURVEY)) == 1


def test_text_around_a_picture_is_not_torn_apart() -> None:
    figure = Figure(Rectangle(180, 142, 300, 190), 1)
    page = items(text("a", 3, left=50), text("b", 6, left=50, top=142, letters=20), figure)

    (column,) = names(columns_in_order(page, SURVEY))

    assert column.index("*") in {0, 3}


def test_columns_of_right_to_left_text_are_read_from_the_right() -> None:
    hebrew = "שלום עולם זה טקסט ארוך"
    page = items(
        [line(f"a {hebrew}", left=50, base=100 + 12.0 * place) for place in range(8)],
        [line(f"b {hebrew}", left=300, base=106 + 12.0 * place) for place in range(8)],
    )

    assert read(columns_in_order(page, SURVEY)) == "ba"


def test_a_short_heading_that_stops_unfinished_text_goes_below_what_the_next_column_says() -> None:
    page = items(
        text("a", 6, left=50),
        text("b", 4, left=300),
        line("h Heading", left=50, base=200, style=TITLE),
        text("c", 6, left=50, top=215),
        text("d", 6, left=300, top=225),
    )

    assert read(columns_in_order(page, SURVEY)) == "abhcd"


def test_a_heading_beside_text_stops_nothing() -> None:
    page = items(
        text("a", 5, left=50),
        line("h Heading", left=50, base=185, style=BOLD._replace(size=14.0)),
        text("c", 5, left=50, top=195),
        text("b", 14, left=300),
    )

    assert read(columns_in_order(page, SURVEY)) == "ahcb"


def test_boxes_in_one_row_stop_the_columns() -> None:
    boxes = [
        Framed(Rectangle(left, 205, left + 190, 295), text("x", 6, left=left + 5, top=210)) for left in (50.0, 300.0)
    ]
    page = items(
        text("a", 8, left=50),
        text("b", 8, left=300),
        boxes[0],
        boxes[1],
        text("c", 8, left=50, top=300),
        text("d", 8, left=300, top=300),
    )

    assert read(columns_in_order(page, SURVEY)) == "ab*cd"


def test_text_around_a_box_is_not_torn_apart() -> None:
    box = Framed(Rectangle(180, 142, 300, 190), text("x", 3, left=185, top=145, letters=20))
    page = items(text("a", 3, left=50), text("b", 6, left=50, top=142, letters=20), box)

    (column,) = names(columns_in_order(page, SURVEY))

    assert column.index("*") in {0, 3}


def test_a_sidebar_as_high_as_the_text_is_read_after_it_and_kept_together() -> None:
    small = BODY._replace(size=7.0)
    page = items(text("s", 12, left=50, letters=24, style=small), text("a", 14, left=200))

    assert read(columns_in_order(page, SURVEY)) == "a*"


def test_a_box_that_is_a_column_by_itself_is_read_after_the_text_beside_it() -> None:
    box = Framed(Rectangle(300, 100, 460, 180), text("x", 5, left=305, letters=30))

    assert read(columns_in_order(items(text("a", 9, left=50), box), SURVEY)) == "a*"


def test_a_picture_at_the_top_of_a_column_is_part_of_it() -> None:
    figure = Figure(Rectangle(50, 100, 230, 180), 1)
    page = items(
        figure, text("a", 6, left=50, top=184), text("b", 7, left=300), Figure(Rectangle(300, 190, 480, 256), 2)
    )

    assert read(columns_in_order(page, SURVEY)) == "*ab*"


def test_a_few_lines_below_a_heading_have_the_columns_of_the_page() -> None:
    page = items(
        text("a", 8, left=50),
        text("b", 8, left=300),
        line("h " + "heading over all " * 3, base=215, style=TITLE),
        text("c", 2, left=50, top=225),
        text("d", 2, left=300, top=225),
    )

    assert read(columns_in_order(page, SURVEY)) == "abhcd"


@pytest.mark.parametrize("style", [TITLE, BOLD])
def test_a_title_with_a_rule_under_it_across_the_gutter_stops_the_columns(style: Style) -> None:
    page = items(
        text("a", 6, left=50, top=100),
        text("b", 8, left=300, top=100),
        line("h eading", base=205, style=style),
        text("c", 6, left=50, top=217),
        text("d", 6, left=300, top=217),
    )
    rules = Rules([Rectangle(50, 209, 500, 209)], [])

    assert read(columns_in_order(page, SURVEY, rules)) == "abhcd"


def test_lists_side_by_side_are_read_one_after_the_other() -> None:
    left = column("• a tile", "• a cube", "• a card")
    right = column("• a board", "• a rule", left=220)
    (above, *lists, below) = columns_in_order(
        items(line("Pieces", base=80), left, right, line("All", base=160)), SURVEY
    )

    assert [[item.thing for item in part] for part in lists] == [left[:2], right]
    assert (len(above), len(below)) == (1, 2)


def test_a_page_of_pictures_only_is_read() -> None:
    rows = [Rectangle(left, top, left + 100, top + 90) for top in (50.0, 150.0, 250.0) for left in (50.0, 200.0, 350.0)]
    page = items(*(Figure(box, number) for number, box in enumerate(rows, start=1)))

    assert sum(map(len, columns_in_order(page, SURVEY))) == len(rows)


def test_rows_of_cards_are_read_row_by_row() -> None:
    upper = text("a", 4, left=50), text("b", 4, left=300)
    lower = text("c", 4, left=50, top=190), text("d", 4, left=300, top=190)

    assert read(columns_in_order(items(*upper, *lower), SURVEY)) == "abcd"


def test_what_stands_far_below_all_columns_is_read_after_them() -> None:
    page = items(text("a", 6, left=50), text("b", 5, left=300), line("f the foot of it", left=50, base=320))

    assert read(columns_in_order(page, SURVEY)) == "abf"


def test_a_blank_in_one_column_does_not_stop_the_other() -> None:
    page = items(text("a", 3, left=50), text("b", 3, left=50, top=190), text("c", 12, left=300))

    assert read(columns_in_order(page, SURVEY)) == "abc"
