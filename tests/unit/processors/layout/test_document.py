"""Passages of several pages become one document."""

import pytest
from tests.unit.processors.layout.made import BODY, BOLD, SURVEY, passage, table

from blobforge.processors.pdf_markdown.layout.document import joined_document
from blobforge.processors.pdf_markdown.layout.model.content import Rectangle
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole, passage_in
from blobforge.processors.pdf_markdown.layout.model.table import Span
from blobforge.processors.pdf_markdown.layout.output.markdown import markdown_of_document

NOTE = BODY._replace(size=8.0)
MONO = BODY._replace(font="Courier", mono=True)

SMALL_NOTE = BODY._replace(size=7.0)


def markdown(*passages: Passage) -> str:
    return markdown_of_document(joined_document(list(passages), SURVEY))


def figure() -> Passage:
    return Passage(role=PassageRole.FIGURE, page=1, box=Rectangle(50, 300, 250, 400), text="![](image-1.png)")


def test_a_sentence_goes_on_over_a_page() -> None:
    assert markdown(passage("it goes"), passage("on here.", number=2)) == "it goes on here."


def test_a_sentence_that_ended_does_not_go_on() -> None:
    assert markdown(passage("It ended."), passage("Then more.", number=2)) == "It ended.\n\nThen more."


def test_a_full_line_without_an_end_goes_on_with_a_name() -> None:
    text = "a line that fills the column up to"

    found = markdown(passage(text, fills=True), passage("Harrow and beyond.", number=2))

    assert found == f"{text} Harrow and beyond."


def test_a_sentence_goes_on_after_what_stands_between() -> None:
    assert (
        markdown(passage("it re-"), figure(), passage("sumes here.", top=500)) == "it resumes here.\n\n![](image-1.png)"
    )


def test_a_last_line_that_was_parted_from_its_paragraph_goes_back() -> None:
    whole = passage("and came to the conclusion", lines=2, fills=True)

    assert markdown(whole, passage("that they are better.", top=121)).endswith("conclusion that they are better.")


def test_short_lines_one_under_the_other_stay_apart() -> None:
    assert markdown(passage("apples"), passage("and pears", top=121)) == "apples\n\nand pears"


def test_nothing_goes_on_from_a_page_number() -> None:
    assert markdown(passage("71"), passage("chromosome.", number=2)) == "71\n\nchromosome."


def test_the_number_of_a_chapter_goes_before_its_title() -> None:
    title = BOLD._replace(size=20.0)

    assert (
        markdown(passage("4", title), passage("Basis Fields", title), passage("Text.")) == "# 4 Basis Fields\n\nText."
    )


def test_a_table_that_goes_on_is_one() -> None:
    head = ["Item", "Price"]

    found = markdown(table([head, ["Axe", "2"]]), table([head, ["", "gold"], ["Bow", "3"]], number=2))

    assert found == "| Item | Price |\n|---|---|\n| Axe | 2 gold |\n| Bow | 3 |"


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        (["Carried forward", "", "13.40"], ["", "", "13.40"]),
        (["Balance", "697", "864.25 EUR"], ["", "229", "542.08 EUR"]),
        (["Total", "Paid", "12.00"], ["", "Refund", "3.00"]),
    ],
)
def test_a_row_without_a_label_that_does_not_go_on_with_the_words_above_is_a_row(
    upper: list[str], lower: list[str]
) -> None:
    head = ["What", "How", "Amount"]

    (found,) = joined_document([table([head, upper]), table([lower, ["Next", "1", "2"]], number=2)], SURVEY)

    assert found.rows == [head, upper, lower, ["Next", "1", "2"]]


@pytest.mark.parametrize(
    ("upper", "lower", "whole"),
    [
        (["Axe", "for the left,"], ["", "Or the Right"], ["Axe", "for the left, Or the Right"]),
        (["Bow", "Arrows (Range 80;"], ["", "Bolt)"], ["Bow", "Arrows (Range 80; Bolt)"]),
        (["", "2 gold"], ["Axe", ""], ["Axe", "2 gold"]),
    ],
)
def test_a_row_that_a_page_has_cut_in_two_is_one(upper: list[str], lower: list[str], whole: list[str]) -> None:
    head = ["What", "How"]

    (found,) = joined_document([table([head, upper]), table([lower, ["Next", "1"]], number=2)], SURVEY)

    assert found.rows == [head, whole, ["Next", "1"]]


def test_tables_of_two_cards_side_by_side_stay_apart_though_they_have_the_same_header() -> None:
    frost, stone = table([["STR", "DEX"], ["23", "9"]]), table([["STR", "DEX"], ["22", "15"]])
    stone.box = replace_left(stone.box, 320)
    below = passage("The giant is immune to cold.", top=300)

    cards = [one.rows[1:] for one in joined_document([frost, stone, below], SURVEY) if one.rows]
    columns = [one.rows[1:] for one in joined_document([frost, stone], SURVEY) if one.rows]

    assert cards == [[["23", "9"]], [["22", "15"]]]
    assert columns == [[["23", "9"], ["22", "15"]]]


def replace_left(box: Rectangle, left: float) -> Rectangle:
    return Rectangle(left, box.top, left + box.width, box.bottom)


def test_a_note_goes_after_the_paragraph_that_refers_to_it() -> None:
    found = markdown(
        passage("It lapses next spring.[^1]"),
        passage("Another paragraph."),
        passage("1 Clause 14, as amended.", NOTE, top=700),
    )

    assert found == "It lapses next spring.[^1]\n\n[^1]: Clause 14, as amended.\n\nAnother paragraph."


def test_a_reference_that_was_not_seen_to_be_raised_is_found() -> None:
    found = markdown(passage("It lapses next spring.1 Then."), passage("1 Clause 14.", NOTE, top=700))

    assert found == "It lapses next spring.[^1] Then.\n\n[^1]: Clause 14."


def test_notes_that_follow_each_other_without_a_gap_are_each_one() -> None:
    found = markdown(
        passage("It lapses next spring[^1] and not before,[^2] says the board."),
        passage("1 Clause 14, as amended. 2 Clause 15, of 2019. 3 of the members were away.", SMALL_NOTE, top=700),
    )

    assert found == (
        "It lapses next spring[^1] and not before,[^2] says the board.\n\n[^1]: Clause 14, as amended.\n\n"
        "[^2]: Clause 15, of 2019. 3 of the members were away."
    )


def test_a_number_within_a_note_to_which_nothing_refers_is_text() -> None:
    found = markdown(
        passage("It lapses next spring.[^1]"),
        passage("1 Clause 14, as amended. 2 members were away.", SMALL_NOTE, top=700),
    )

    assert found == "It lapses next spring.[^1]\n\n[^1]: Clause 14, as amended. 2 members were away."


def test_a_raised_number_without_a_note_stays_raised() -> None:
    assert markdown(passage("The area is h[^2] here, as was shown.[^14]")) == "The area is h² here, as was shown.¹⁴"


def test_a_small_number_behind_a_capital_is_part_of_a_formula() -> None:
    assert markdown(passage("We filled it with CO[^2] again.")) == "We filled it with CO2 again."


def test_a_raised_number_in_a_table_is_no_reference() -> None:
    assert "| 1² |" in markdown(table([["Cost"], ["1[^2]"]]))


@pytest.mark.parametrize("text", ["It was 10[^2] times less", "It covers 12 km[^2] of", "The isotope [^2]H is rare"])
def test_powers_and_isotopes_refer_to_no_note(text: str) -> None:
    found = markdown(passage(f"{text}; see below.[^2]"), passage("2 Measured in spring.", NOTE, top=700))

    assert found == f"{text.replace('[^2]', '²')}; see below.[^2]\n\n[^2]: Measured in spring."


def test_a_formula_refers_to_no_note() -> None:
    found = markdown(passage("We filled it with CO2 again."), passage("2 Measured in spring.", NOTE, top=700))

    assert found == "We filled it with CO2 again.\n\n2 Measured in spring."


def test_a_year_may_have_a_note() -> None:
    found = markdown(passage("It was bought in 1911[^5] by us."), passage("5 Letters.", NOTE, top=700))

    assert found == "It was bought in 1911[^5] by us.\n\n[^5]: Letters."


def test_a_small_line_with_a_number_that_nothing_refers_to_stays() -> None:
    assert markdown(passage("Some text."), passage("7 Remarks.", NOTE, top=700)) == "Some text.\n\n7 Remarks."


def test_items_are_nested_by_how_far_they_stand_in() -> None:
    items = [
        ("1.", "walk", 0.0),
        ("-", "the roof", 20.0),
        ("-", "the flag", 20.0),
        ("-", "red", 40.0),
        ("2.", "count", 0),
    ]

    found = markdown(
        *(passage(text, role=PassageRole.ITEM, marker=marker, indent=indent) for marker, text, indent in items)
    )

    assert found == "1. walk\n    - the roof\n    - the flag\n        - red\n2. count"


def test_the_next_number_goes_on_with_its_list_in_another_column() -> None:
    items = [("1.", "draw", 0.0), ("2.", "lie", 0.0), ("3.", "age", 12.0)]

    found = markdown(
        *(passage(text, role=PassageRole.ITEM, marker=marker, indent=indent) for marker, text, indent in items)
    )

    assert found == "1. draw\n2. lie\n3. age"


def test_lines_of_code_are_fenced_with_their_indents() -> None:
    lines = [("if x:", 0.0), ("y = f(x)", 24.0)]

    found = markdown(*(passage(text, MONO, role=PassageRole.CODE, indent=indent) for text, indent in lines))

    assert found == "```\nif x:\n    y = f(x)\n```"


def test_typewritten_prose_is_a_paragraph() -> None:
    lines = ("Dear sister, I write", "to you from the hut")

    found = markdown(*(passage(text, MONO, role=PassageRole.CODE) for text in lines))

    assert found == "Dear sister, I write to you from the hut"


def test_a_caption_beside_a_figure_is_in_italics() -> None:
    assert markdown(figure(), passage("Figure 1: The hut", NOTE)).endswith("*Figure 1: The hut*")


def test_a_passage_goes_to_another_process_and_back() -> None:
    one = passage("A heading", BOLD, marker="1.", indent=3.0)
    one.children = [passage("inside")]

    assert passage_in(one.as_json()) == one


def test_the_index_of_a_variable_refers_to_no_note() -> None:
    text, note = passage("The first digit *d*[^1] counts."), passage("[^1] A page of a lexicon.", SMALL_NOTE, top=700)

    assert "[^1]" not in markdown(text, note)


def test_a_sentence_goes_on_after_a_semicolon() -> None:
    upper = passage("The table gives the sizes that we keep;", lines=2, fills=True)

    assert markdown(upper, passage("all others are made.", top=120)).count("\n") <= 1


def test_a_table_that_goes_on_keeps_its_spans() -> None:
    head = [["Site", "Rain", ""], ["", "Mean", "Most"]]
    first, second = table([*head, ["Moor", "1", "2"]]), table([*head, ["Hill", "3", ""]], number=2)
    for part in (first, second):
        part.heads, part.spans = 2, [Span(0, 0, 2, 1), Span(0, 1, 1, 2)]
    second.spans.append(Span(2, 1, 1, 2))

    (joined,) = joined_document([first, second], SURVEY)

    assert joined.rows == [*head, ["Moor", "1", "2"], ["Hill", "3", ""]]
    assert joined.spans == [Span(0, 0, 2, 1), Span(0, 1, 1, 2), Span(3, 1, 1, 2)]


def test_a_table_with_a_cell_over_several_columns_is_html() -> None:
    wide = table([["Tools", ""], ["Bell", "to call"]])
    wide.spans = [Span(0, 0, 1, 2)]

    assert markdown(wide).startswith('<table>\n<tr><td colspan="2">Tools</td></tr>')
