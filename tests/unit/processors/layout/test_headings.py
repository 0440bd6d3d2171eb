"""Which passages are headings, and of which level."""

import pytest
from tests.unit.processors.layout.made import BODY, BOLD, RED, SURVEY, TITLE, box, passage, table

from blobforge.processors.pdf_markdown.layout.document import joined_document
from blobforge.processors.pdf_markdown.layout.headings.levels import set_levels
from blobforge.processors.pdf_markdown.layout.headings.words import reads_as_title
from blobforge.processors.pdf_markdown.layout.model.content import Style
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole, all_of
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey

TEXT = "Running text that says something and ends."
SUBTITLE = BOLD._replace(size=13.0)


def headings(*passages: Passage, survey: DocumentSurvey = SURVEY) -> list[tuple[int, str]]:
    document = joined_document(list(passages), survey)
    return [(each.level, each.plain) for each in all_of(document) if each.role is PassageRole.HEADING]


def said() -> Passage:
    return passage(TEXT)


def test_a_document_without_text_has_no_headings() -> None:
    assert headings() == []


def test_larger_lines_are_headings_by_size() -> None:
    assert headings(passage("Book", TITLE), passage("Chapter", SUBTITLE), said()) == [(1, "Book"), (2, "Chapter")]


@pytest.mark.parametrize("style", [BOLD, RED])
def test_a_line_at_body_size_that_stands_out_is_a_heading(style: Style) -> None:
    assert headings(passage("The Bridge", style), said()) == [(1, "The Bridge")]


def test_a_line_in_capitals_is_a_heading() -> None:
    assert headings(passage("KEY TO THE LOWER FLOOR"), said()) == [(1, "KEY TO THE LOWER FLOOR")]


def test_abbreviations_are_not_capitals() -> None:
    assert headings(passage("CR 0 (XP 0; PB +2)"), said()) == []


def test_a_look_that_is_mostly_running_text_makes_no_headings() -> None:
    lead = BODY._replace(size=12.0)

    assert headings(passage("A short one", lead), passage(TEXT, lead), passage(TEXT, lead), said()) == []


def test_a_bold_line_above_a_table_is_its_caption() -> None:
    assert headings(passage("Mood on Meeting", BOLD), table([["2d6", "Mood"], ["2", "Harm"]])) == []


def test_a_bold_line_above_a_table_is_its_caption_though_others_like_it_are_headings() -> None:
    rules = [["2d6", "Mood"], ["2", "Harm"]]
    headed = [passage("The Bridge", BOLD), said(), passage("The Mill", BOLD), said()]

    found = headings(*headed, passage("Mood on Meeting", BOLD), table(rules), said())

    assert found == [(1, "The Bridge"), (1, "The Mill")]


def test_a_coloured_line_above_a_table_is_a_heading_if_others_like_it_are() -> None:
    headed = [passage("The Bridge", RED), said(), passage("The Mill", RED), said()]

    found = headings(*headed, passage("On the Shelf", RED), table([["Title"], ["Doors"]]), said())

    assert found == [(1, "The Bridge"), (1, "The Mill"), (1, "On the Shelf")]


def test_a_row_of_pieces_is_no_heading() -> None:
    row = passage("Service Stage Benefit", TITLE)
    row.is_parted = True

    assert headings(row, said()) == []


def test_lines_under_a_title_whose_look_is_nowhere_else_are_bylines() -> None:
    larger = BODY._replace(size=12.0)

    found = headings(passage("Traces", TITLE), passage("Andreas Gal", larger), passage("Mike Shaver", larger), said())

    assert found == [(1, "Traces")]


def test_a_number_of_several_parts_makes_a_heading_of_a_plain_line() -> None:
    assert headings(said(), passage("3.1 Status of Operations"), said()) == [(1, "3.1 Status of Operations")]


def test_clauses_with_numbers_are_no_headings() -> None:
    clauses = [passage(f"2.{number} The keeper shall light the lamp.") for number in range(1, 4)]

    assert headings(*clauses, passage("2.4 The keeper shall also"), said()) == []


def test_an_italic_line_with_a_letter_is_a_heading() -> None:
    heading = passage("A. Dataset", BODY._replace(italic=True))
    heading.text = "*A. Dataset*"

    assert headings(said(), heading, said()) == [(1, "A. Dataset")]


def test_a_larger_line_above_a_table_is_a_heading() -> None:
    assert headings(passage("Prices", TITLE), table([["Item", "Price"], ["Axe", "2"]])) == [(1, "Prices")]


def test_labels_one_under_the_other_lead_into_nothing() -> None:
    labels = [passage(name, BOLD) for name in ("Knowledge", "Skills", "Attitudes", "Values")]

    assert headings(*labels, said()) == []


def test_a_line_under_the_title_that_leads_into_a_heading_is_none() -> None:
    found = headings(
        passage("The House", TITLE),
        passage("An adventure for four", BOLD),
        passage("The Cellar", SUBTITLE),
        said(),
    )

    assert found == [(1, "The House"), (2, "The Cellar")]


def test_a_small_line_above_a_larger_title_announces_it() -> None:
    assert headings(passage("Chapter 2", BOLD), passage("Narratives", TITLE), said()) == [(1, "Narratives")]


def test_a_numbered_line_in_bold_is_a_heading_and_no_item() -> None:
    assert headings(passage("Dispersal", BOLD, role=PassageRole.ITEM, marker="5."), said()) == [(1, "5. Dispersal")]


def test_the_head_of_a_single_page_is_no_heading() -> None:
    single = DocumentSurvey(size=10.0, font="Serif", pages=1, height=800.0)

    assert headings(passage("Mohave College", BOLD, top=30), said(), survey=single) == []


def test_a_bold_face_is_told_by_its_name_where_all_is_bold() -> None:
    body = BOLD._replace(font="CMR10")
    survey = DocumentSurvey(size=10.0, font="CMR10", bold=True, pages=3)

    found = headings(passage("A Title", BOLD._replace(font="CMBX10")), passage(TEXT, body), survey=survey)

    assert found == [(1, "A Title")]


@pytest.mark.parametrize(
    "text",
    [
        "Figure 3.1: Operations",
        "Table: Observers",
        "it goes on like this.",
        "36%",
        "See www.example.org",
        "x = y + 2",
        "1 The question . . . . . 3",
        "He came. Then he went away",
        "Total due: 880.00",
        "Z\u03c0 p",
    ],
)
def test_what_does_not_read_as_a_title(text: str) -> None:
    assert not reads_as_title(text)


@pytest.mark.parametrize("text", ["Armor, +1, +2, or +3", "Why Faults First?", "4.2 Main Results", "Steps:"])
def test_what_reads_as_a_title(text: str) -> None:
    assert reads_as_title(text)


def test_two_close_lines_of_one_look_are_one_heading() -> None:
    found = headings(passage("Interested in Free", TITLE, top=100), passage("Advice", TITLE, top=119), said())

    assert found == [(1, "Interested in Free Advice")]


def test_a_numbers_depth_is_a_level_where_the_look_is_the_same() -> None:
    found = headings(passage("4 Results", BOLD), said(), passage("4.1 Main Results", BOLD), said())

    assert found == [(1, "4 Results"), (2, "4.1 Main Results")]


def test_at_one_size_the_look_that_leads_into_the_other_is_higher() -> None:
    inner = BOLD._replace(font="Sans-Bold")
    first = [passage("Part One", BOLD), passage("Hut", inner), said(), passage("Road", inner), said()]
    second = [passage("Part Two", BOLD), passage("Lamp", inner), said()]

    found = headings(*first, *second)

    assert found == [(1, "Part One"), (2, "Hut"), (2, "Road"), (1, "Part Two"), (2, "Lamp")]


def test_a_heading_in_a_box_is_one_level_under_the_text_around_it() -> None:
    boxed = passage("The Rule", BOLD._replace(font="Sans-Bold"))

    found = headings(passage("Orchard", TITLE), said(), box(boxed, said()), passage("Bells", BOLD), said())

    assert found == [(1, "Orchard"), (2, "The Rule"), (2, "Bells")]


def test_a_heading_in_a_box_is_not_under_smaller_ones() -> None:
    document = [
        passage("Maps", TITLE, role=PassageRole.HEADING),
        passage("Five", BOLD, role=PassageRole.HEADING),
        box(passage("The Kit", SUBTITLE, role=PassageRole.HEADING)),
    ]

    set_levels(document)

    assert [each.level for each in all_of(document) if each.role is PassageRole.HEADING] == [1, 2, 2]


def test_a_large_title_may_ask_before_it_tells() -> None:
    title = "Do Players Read the Rules? A Field Study of Evenings"

    assert headings(passage(title, TITLE), said()) == [(1, title)]


def test_a_label_of_tables_may_head_boxes() -> None:
    labels = [each for text in ("Prices", "Weights") for each in (passage(text, BOLD), table([["a"], [text]]), said())]

    assert headings(*labels, box(passage("Why Cards?", BOLD), said())) == [(1, "Why Cards?")]


def test_a_label_above_a_table_may_be_a_little_larger_than_the_text() -> None:
    label = passage("Creatures by shore", BOLD._replace(size=11.0))

    assert headings(said(), label, table([["a"], ["b"]]), said()) == []


def test_a_title_in_a_box_is_above_the_headings_of_the_text() -> None:
    found = headings(box(passage("Meters for Every Well", TITLE)), said(), passage("Summary", SUBTITLE), said())

    assert found == [(1, "Meters for Every Well"), (2, "Summary")]


def test_a_line_of_capitals_is_above_one_that_is_hardly_larger() -> None:
    slanted = BODY._replace(size=11.5, italic=True)
    capitals = BODY._replace(size=11.0)

    found = headings(passage("COMING UP", capitals), said(), passage("A note on prices", slanted), said())

    assert found == [(1, "COMING UP"), (2, "A note on prices")]


def test_a_smaller_heading_under_another_of_its_box_is_below_it() -> None:
    stag, actions = passage("Bell Stag", SUBTITLE), passage("Actions", BOLD._replace(size=11.5))

    found = headings(passage("Beasts", TITLE), said(), box(stag, said(), actions, said()))

    assert found == [(1, "Beasts"), (2, "Bell Stag"), (3, "Actions")]


def test_what_is_smaller_than_the_text_of_its_box_is_a_label() -> None:
    text = passage(TEXT, top=114, lines=3)

    assert headings(box(passage("RULE OF THUMB", BOLD._replace(size=8.5)), text)) == []


def test_a_heading_after_the_subtitle_is_no_byline() -> None:
    light = BODY._replace(size=15.0)
    text = passage(TEXT, top=160, lines=3)

    found = headings(
        passage("Pocket Hazards", BODY._replace(size=28.0)),
        passage("Cards to cut out", BODY._replace(size=11.0), top=130),
        passage("How to Play", light, top=145),
        text,
    )

    assert [name for _, name in found if name.startswith("How")] == ["How to Play"]


def test_a_bold_line_over_boxes_to_tick_is_a_label() -> None:
    boxes = [passage(f"☐ {name}", role=PassageRole.ITEM, marker="-") for name in ("Lake", "River")]

    assert headings(said(), passage("Where do you row?", BOLD), *boxes) == []


def test_capitals_over_tables_and_over_text_are_headings() -> None:
    rows = [["Fuse", "10 A"], ["Plug", "2 A"]]

    found = headings(
        *(passage("POWER", BOLD), table(rows), passage("WEIGHT", BOLD), table(rows)),
        *(passage("NOTES", BOLD), said()),
    )

    assert [name for _, name in found] == ["POWER", "WEIGHT", "NOTES"]


def test_bold_lines_over_short_lines_are_labels() -> None:
    address = passage("Ellen Thorne 7 Orchard Row Larkfield", lines=3)

    assert headings(passage("Billed to", BOLD), address, passage("Sent to", BOLD), address, said()) == []


def test_of_two_headings_that_stand_one_over_the_other_the_upper_is_higher() -> None:
    slanted = BOLD._replace(italic=True)
    pairs = [each for name in ("Permits", "Fees") for each in (passage(name, slanted), passage("What", BOLD), said())]

    assert headings(*pairs) == [(1, "Permits"), (2, "What"), (1, "Fees"), (2, "What")]


def _entry(text: str) -> Passage:
    found = passage(text, role=PassageRole.ITEM, marker="-")
    found.is_parted = True
    return found


def test_a_part_that_the_contents_name_is_no_heading() -> None:
    parts = [passage("Part One: Rain", SUBTITLE), _entry("The river 3"), _entry("The lock 9")]
    parts += [passage("Part Two: Snow", SUBTITLE), _entry("The mill 14"), _entry("The weir 20")]
    parts += [passage("Part Three: Sun", SUBTITLE), _entry("The sea 31")]

    assert headings(passage("Contents", TITLE), *parts) == [(1, "Contents")]


def test_lists_whose_pages_begin_anew_have_headings() -> None:
    lists = [passage("Contents", TITLE), _entry("The river 3"), _entry("The lock 90")]
    lists += [passage("Figures", TITLE), _entry("A boat 5"), _entry("A weir 60")]

    assert headings(*lists) == [(1, "Contents"), (1, "Figures")]
