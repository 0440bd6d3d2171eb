"""Lines of a column become passages."""

from tests.unit.processors.layout.made import BODY, BOLD, RED, SURVEY, TITLE, column, line

from blobforge.processors.pdf_markdown.layout.model.content import TextLine, TextWord
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole
from blobforge.processors.pdf_markdown.layout.text.blocks import Blocks, merged_rows

LONG = "a line that is about as long as the column is wide and so"


def blocks(lines: list[TextLine]) -> list[Passage]:
    return Blocks(lines, SURVEY, page=1).passages()


def texts(lines: list[TextLine]) -> list[str]:
    return [passage.text for passage in blocks(lines)]


def test_lines_without_more_space_are_one_paragraph() -> None:
    assert texts(column("a line", "and another")) == ["a line and another"]


def test_space_parts_paragraphs() -> None:
    assert texts([*column("the first"), *column("the second", base=120)]) == ["the first", "the second"]


def test_a_first_line_that_stands_in_begins_a_paragraph() -> None:
    lines = [*column(LONG, f"{LONG}."), line("In here it goes", left=62, base=124), line("on and on", base=136)]

    assert texts(lines) == [f"{LONG} {LONG}.", "In here it goes on and on"]


def test_a_sentence_that_ends_well_before_the_column_ends_a_paragraph() -> None:
    assert texts(column(LONG, "it ends.", "Another begins")) == [f"{LONG} it ends.", "Another begins"]


def test_a_bold_line_above_running_text_stands_alone() -> None:
    assert texts(column(("The Bridge", BOLD), LONG, "goes on")) == ["**The Bridge**", f"{LONG} goes on"]


def test_a_bold_beginning_stays_in_its_paragraph() -> None:
    lines = [line(("Toll.", BOLD), "The boar knows the price of", base=100), line("any thing", base=112)]

    assert texts(lines) == ["**Toll.** The boar knows the price of any thing"]


def test_a_title_in_colour_is_parted_from_a_bold_beginning_under_it() -> None:
    red = RED._replace(bold=True)
    lines = [line("Five That Worked", style=red), line(("The map.", BOLD), LONG, base=112)]

    assert texts(lines) == ["**Five That Worked**", f"**The map.** {LONG}"]


def test_the_lines_of_a_title_are_one_passage() -> None:
    found = blocks(column(("The Lights That", TITLE), ("Walk Ahead", TITLE), step=20))

    assert [passage.plain for passage in found] == ["The Lights That Walk Ahead"]
    assert found[0].stands_out


def test_items_hang_on_their_markers() -> None:
    lines = [line("• one thing", base=100), line("more of it", left=58, base=112), line("• another", base=124)]

    found = blocks(lines)

    assert [(passage.role, passage.marker, passage.text) for passage in found] == [
        (PassageRole.ITEM, "-", "one thing more of it"),
        (PassageRole.ITEM, "-", "another"),
    ]


def test_the_second_line_of_an_item_may_begin_a_little_left_of_its_text() -> None:
    lines = [line("1. one thing", base=100), line("more of it", left=58, base=112)]

    assert texts(lines) == ["one thing more of it"]


def test_an_item_may_go_on_under_its_marker_while_its_lines_are_full() -> None:
    lines = [line("1.", f"{LONG}.", base=100), *column(LONG, base=112)]

    assert texts(lines) == [f"{LONG}. {LONG}"]


def test_a_paragraph_under_a_list_is_no_part_of_it() -> None:
    lines = [line("• one thing", base=100), *column(LONG, base=112)]

    assert texts(lines) == ["one thing", LONG]


def test_a_full_line_goes_on_beside_an_initial() -> None:
    lines = [line("The", LONG, left=27, base=100), line("words", LONG, left=50, base=112), line("under", base=124)]

    assert len(texts(lines)) == 1


def test_each_entry_of_a_table_of_contents_is_an_item_without_dots() -> None:
    found = blocks(column("1 The question . . . . . . . 1", "2 The answer ........ 12"))

    assert [(passage.marker, passage.text) for passage in found] == [
        ("-", "1 The question 1"),
        ("-", "2 The answer 12"),
    ]


def test_notes_begin_with_a_small_number() -> None:
    small, number = BODY._replace(size=8.0), BODY._replace(size=6.0)
    lines = [line(("1", number), (LONG, small), base=700), line(("2", number), ("Another", small), base=710)]

    assert texts(lines) == [f"1 {LONG}", "2 Another"]


def test_the_second_line_of_a_note_may_stand_in() -> None:
    small = BODY._replace(size=8.0)
    words = [TextWord("4", 50, 54, small), *line("There are reasons for", left=66, style=small).words]
    lines = [TextLine(words, 700, small, 0), line("all of it", left=66, base=710, style=small)]

    assert texts(lines) == ["4 There are reasons for all of it"]


def test_a_row_of_pieces_with_wide_gaps_is_parted() -> None:
    row = [*line("Stage").words, *line("Benefit", left=150).words]
    numbered = [*line("6.").words, *line("The Framework", left=90).words]

    found = blocks([TextLine(row, 100, BODY, 0), TextLine(numbered, 150, BODY, 1)])

    assert [passage.is_parted for passage in found] == [True, False]


def test_typewriting_in_another_document_is_code() -> None:
    mono = BODY._replace(mono=True, font="Courier")

    assert [passage.role for passage in blocks(column(("x = 1", mono), ("y = 2", mono)))] == [
        PassageRole.CODE,
        PassageRole.CODE,
    ]


def test_a_large_letter_without_text_beside_it_stays() -> None:
    lines = [line("N", left=27, base=103, style=TITLE._replace(size=37)), line("far below it", base=300)]

    assert [each.text for each in merged_rows(lines)] == ["N", "far below it"]


def _centred(*texts: str) -> list[TextLine]:
    """Above a text that is wider."""
    full = line(LONG, base=200)
    widths = [line(text, left=0).right for text in texts]
    lines = [
        line(text, left=full.box.middle - width / 2, base=100 + 12 * place)
        for place, (text, width) in enumerate(zip(texts, widths, strict=True))
    ]
    return [*lines, full]


def test_centred_lines_of_one_sentence_are_one_paragraph() -> None:
    assert texts(_centred("not one of them", "has ever thanked me"))[:-1] == ["not one of them has ever thanked me"]
    assert texts(_centred("not one of them has", "thanked me"))[:-1] == ["not one of them has thanked me"]


def test_centred_lines_of_an_address_stay_apart() -> None:
    assert texts(_centred("The Old Mill", "Wetmarket", "Upper Pound"))[:-1] == [
        "The Old Mill",
        "Wetmarket",
        "Upper Pound",
    ]


def test_who_said_it_is_parted_from_a_centred_saying() -> None:
    assert texts(_centred("it thanked me.”", "Ansa, keeper of the lock"))[:-1] == [
        "it thanked me.”",
        "Ansa, keeper of the lock",
    ]


def test_an_angle_marks_an_item() -> None:
    assert [each.marker for each in blocks(column("\u203a Roll once", "\u203a Roll again"))] == ["-", "-"]


def test_a_short_line_in_italics_over_running_text_stands_alone() -> None:
    italic = BODY._replace(italic=True)

    assert texts(column(("Shallow wells", italic), LONG, "goes on")) == ["*Shallow wells*", f"{LONG} goes on"]


def test_italics_that_go_on_to_the_end_of_the_line_are_part_of_the_text() -> None:
    italic = BODY._replace(italic=True)

    assert len(texts(column((LONG, italic), LONG, "goes on"))) == 1


def test_a_centred_line_over_running_text_stands_alone() -> None:
    below = column(LONG, "goes on", base=112)
    middle = below[0].box.middle
    title = line("OF THE MILLER", left=middle - 30.5, base=100)

    assert texts([title, *below]) == ["OF THE MILLER", f"{LONG} goes on"]


def test_a_line_that_stands_out_again_after_lines_that_stood_in_begins_a_paragraph() -> None:
    lines = [line(f"Bell. {LONG}", base=100), line(LONG, left=60, base=112), line(f"Ford. {LONG}", base=124)]

    assert texts(lines) == [f"Bell. {LONG} {LONG}", f"Ford. {LONG}"]


def test_at_the_head_of_a_column_it_does_so_after_the_end_of_a_sentence() -> None:
    rest = [line(LONG, left=60, base=100), line("it ends there, for now.", left=60, base=112)]
    following = [line(f"Ford. {LONG}", base=124), line(LONG, left=60, base=136)]

    assert texts([*rest, *following])[1] == f"Ford. {LONG} {LONG}"


def test_text_beside_an_initial_goes_on_below_it() -> None:
    lines = [line(LONG, left=80, base=100), line(LONG, left=80, base=112), line(f"Ford {LONG}", base=124)]

    assert len(texts(lines)) == 1


def test_a_box_to_tick_begins_an_item_and_is_kept() -> None:
    made = blocks(column("☐ Broad hands", "☑ Quick hands"))

    assert [(each.role, each.marker, each.plain) for each in made] == [
        (PassageRole.ITEM, "-", "☐ Broad hands"),
        (PassageRole.ITEM, "-", "☑ Quick hands"),
    ]


def test_a_tick_is_a_part_of_what_its_item_says() -> None:
    made = blocks(column("✔ Broad hands", "✘ Quick hands"))

    assert [passage.text for passage in made] == ["✔ Broad hands", "✘ Quick hands"]
    assert {passage.marker for passage in made} == {"-"}


def test_a_title_with_a_box_to_tick_is_no_item() -> None:
    assert blocks(column(("☐ Old Toll", TITLE), LONG))[0].role is PassageRole.PARAGRAPH
