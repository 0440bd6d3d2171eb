"""Running heads and feet, page numbers and stamps are told from what a page says."""

import re

import pytest
from tests.unit.processors.layout.made import BODY, TITLE, column, line, page

from blobforge.processors.pdf_markdown.layout.model.content import PageContent, Rectangle, TextLine
from blobforge.processors.pdf_markdown.layout.survey.survey import (
    DocumentSurvey,
    running_in,
    survey_in,
    survey_of,
    without_running,
)

SMALL = BODY._replace(size=8.0)
TEXT = column("a long line of running text on it", "and another of about that length")


def book(*edges: list[TextLine]) -> list[PageContent]:
    """Pages with text and these lines at their edges."""
    return [page([*TEXT, *lines], number=number) for number, lines in enumerate(edges, start=1)]


def left_over(pages: list[PageContent]) -> list[list[str]]:
    survey = survey_of(pages, count=len(pages))
    return [[each.text for each in without_running(one, survey) if each not in TEXT] for one in pages]


def test_a_head_that_repeats_is_dropped() -> None:
    assert left_over(book(*([line("The Book", base=30)] for _ in range(3)))) == [[], [], []]


def test_the_number_of_a_page_may_stand_left_or_right_of_the_head() -> None:
    pages = book([line("22 The Quarterly", base=770)], [line("The Quarterly 23", base=770)], [])

    assert left_over(pages) == [[], [], []]


def test_a_small_heading_close_above_the_text_stays() -> None:
    assert left_over(book([], [line("The Hut", base=82)])) == [[], ["The Hut"]]


def test_a_page_of_pages_is_dropped() -> None:
    assert left_over(book([line("1/2", base=770)], [line("Page 2 of 2", base=770)])) == [[], []]


def test_roman_numbers_are_dropped() -> None:
    assert left_over(book([line("– iv –", base=770)], [line("v", base=770)])) == [[], []]


def test_a_stamp_under_the_page_number_is_dropped_as_well() -> None:
    edges = ([line(str(n), base=740), line("Licensed to Mara", base=770)] for n in range(3, 7))

    assert left_over(book(*edges)) == [[], [], [], []]


def test_a_title_that_says_what_the_running_head_says_stays() -> None:
    heads = [line("Wizard", base=30, style=SMALL)]
    pages = book([*heads, line("Wizard", base=60, style=TITLE)], heads, heads)

    assert left_over(pages)[0] == ["Wizard"]


def test_the_cells_of_a_table_at_the_foot_are_no_page_numbers() -> None:
    rows = [[line(cell, left=50 + 60 * place, base=770) for place, cell in enumerate(("CON", "18"))] for _ in range(2)]

    assert left_over(book(rows[0], [], [])) == [["CON", "18"], [], []]


def test_a_row_with_the_number_of_the_page_is_dropped_though_it_changes() -> None:
    chapters = ("Arrival at the lower harbour", "Bells and whistles of the fog", "Causeways and their keepers")
    edges = ([line(name, base=50), line(str(n), left=500, base=50)] for n, name in enumerate(chapters, start=10))

    assert left_over(book(*edges)) == [[], [], []]


def test_a_head_above_all_text_is_dropped_though_it_comes_once() -> None:
    assert left_over(book([], [line("Salt & Sedge", base=30, style=SMALL)])) == [[], []]


def test_a_title_above_all_text_stays() -> None:
    assert left_over(book([], [line("Minor Creatures", base=50, style=TITLE)])) == [[], ["Minor Creatures"]]


def test_titles_that_differ_by_a_number_stay() -> None:
    pages = book(*([line(f"Part {number}", base=60, style=TITLE)] for number in range(1, 5)))

    assert left_over(pages) == [["Part 1"], ["Part 2"], ["Part 3"], ["Part 4"]]


def test_a_title_that_comes_again_stays() -> None:
    title = [line("Actions", base=60, style=TITLE)]

    assert left_over(book(title, title, [], [])) == [["Actions"], ["Actions"], [], []]


def test_a_single_page_keeps_all() -> None:
    assert left_over(book([line("17", base=770)])) == [["17"]]


def test_a_survey_goes_to_another_process_and_back() -> None:
    survey = survey_of(book([line("The well-kept Book", base=30)], [line("The well-kept Book", base=30)]), count=2)

    assert survey.running
    assert survey.hyphenated == {"well-kept"}
    assert survey_in(survey.as_json()) == survey
    assert survey_in(DocumentSurvey().as_json()) == DocumentSurvey()


def test_what_most_pages_have_at_one_place_in_one_small_look_runs_along_whatever_it_says() -> None:
    pages = book([line("Notes on Leisure", base=30, style=SMALL)], [line("Fenn and Oduya", base=30, style=SMALL)])

    assert left_over(pages) == [[], []]


def test_a_small_line_above_the_title_of_the_first_page_alone_stays() -> None:
    pages = book([line("Notes on Leisure", base=40, style=SMALL)], [line("Fenn and Oduya", base=30, style=SMALL)])

    assert left_over(pages)[0] == ["Notes on Leisure"]


def test_the_head_of_a_table_under_such_a_line_stays() -> None:
    heads = [line(text, base=30, style=SMALL) for text in ("Fens", "Moors", "Hills", "Woods")]
    pages = book(
        *([head, *([line("Cost", base=82, style=SMALL)] if place < 2 else [])] for place, head in enumerate(heads))
    )

    assert left_over(pages) == [["Cost"], ["Cost"], [], []]


def test_what_comes_again_at_the_foot_of_cards_stays() -> None:
    foot = line("Hard 7 Hours 2", left=60, base=770)
    pages = [one._replace(frames=[Rectangle(50, 500, 250, 780)]) for one in book([foot], [foot])]

    assert left_over(pages) == [["Hard 7 Hours 2"], ["Hard 7 Hours 2"]]


def test_a_foot_within_the_border_of_the_page_is_dropped() -> None:
    pages = [one._replace(frames=[Rectangle(20, 20, 580, 790)]) for one in book(*([line("The Book", base=770)],) * 2)]

    assert left_over(pages) == [[], []]


def rows(*texts: str, base: float, step: float = 16.0) -> list[TextLine]:
    return [line(text, base=base + step * place) for place, text in enumerate(texts)]


def test_the_first_and_last_rows_of_a_table_over_pages_stay_though_only_their_figures_differ() -> None:
    pages = book(
        *([*rows(f"Sensor {n}", f"Sensor {n + 1}", base=60), line(f"Sensor {n + 44}", base=770)] for n in (1, 46))
    )

    assert left_over(pages)[1] == ["Sensor 46", "Sensor 47", "Sensor 90"]


def test_the_last_row_of_a_page_and_the_first_of_the_next_do_not_number_the_pages() -> None:
    cells = [line(text, left=left, base=base) for base in (60, 770) for left, text in ((50, "Thing"), (200, "44"))]
    pages = book([*cells[2:]], [*cells[:1], line("45", left=200, base=60)])

    assert left_over(pages) == [["Thing", "44"], ["Thing", "45"]]


def test_rows_of_a_table_stay_though_some_of_their_cells_are_the_same() -> None:
    def row(name: str, base: float) -> list[TextLine]:
        return [line(name, base=base), line("passed", left=200, base=base)]

    pages = book(*([*row(f"{name} bridge", 60), *row(f"{name} weir", 76)] for name in ("Upper", "Lower", "Middle")))

    assert left_over(pages)[1] == ["Lower bridge", "passed", "Lower weir", "passed"]


def test_the_header_of_a_table_stays_on_it() -> None:
    header = [line(text, left=left, base=60) for left, text in ((50, "Item"), (200, "Price"))]
    pages = book(*([*header, line(f"{name} rope", base=76)] for name in ("Long", "Short", "Blue")))

    assert left_over(pages)[2] == ["Item", "Price", "Blue rope"]


@pytest.mark.parametrize(
    ("head", "foot"),
    [("Invoice 2024-1041", "Total due: 1482.50 EUR"), ("Invoice 1041", "No. 771"), ("7 May 2024", "Source: n = 301")],
)
def test_what_differs_in_its_figures_is_not_the_same_on_all_pages(head: str, foot: str) -> None:
    def counted(text: str, number: int) -> str:
        return re.sub(r"\d+$|\d+(?=\.)", lambda found: str(int(found[0]) + 7 * number), text)

    edges = [[line(counted(head, n), base=30), line(counted(foot, n), base=770)] for n in range(3)]

    assert left_over(book(*edges)) == [[each.text for each in lines] for lines in edges]


def test_what_counts_documents_in_step_with_the_pages_stays() -> None:
    pages = book(*([line(f"Certificate No. {number}", base=770)] for number in range(771, 777)))

    assert left_over(pages)[1:3] == [["Certificate No. 772"], ["Certificate No. 773"]]


@pytest.mark.parametrize(
    "written",
    [
        "Page Tree Wizard {}",
        "Field Guide | {}",
        "Field Guide - {}",
        "Laboratory of Basel, page {} of 9",
        "Laboratory of Basel, Seite {} von 9",
        "Page {}",
        "{} | P a g e",
        "Seite {} von 9",
        "{}/9",
        "A-{}",
    ],
)
def test_a_number_that_counts_the_pages_belongs_to_the_running_foot(written: str) -> None:
    pages = book(*([line(written.format(number), base=770)] for number in range(4, 8)))

    assert left_over(pages) == [[], [], [], []]


def test_left_and_right_pages_may_have_heads_of_their_own() -> None:
    left = [[line(str(n), base=30), line("The Book of Fens", left=200, base=30)] for n in (10, 12)]
    right = [[line("Of Reeds", left=200, base=30), line(str(n), left=500, base=30)] for n in (11, 13)]

    assert left_over(book(left[0], right[0], left[1], right[1])) == [[], [], [], []]


def test_a_line_in_the_middle_of_a_sentence_stays_though_all_pages_have_it() -> None:
    text = rows("Finding: the bridge", "is no longer", "safe, and must", "be closed.", base=60, step=12)

    assert left_over(book(text, text, text))[1] == [each.text for each in text]


def test_a_head_close_above_the_text_is_known_by_being_the_same() -> None:
    pages = book(
        *(rows("Master of Technology", f"{word} begins this page.", base=60, step=12) for word in ("A", "O", "I"))
    )

    assert left_over(pages)[1] == ["O begins this page."]


def test_a_column_of_numbers_at_the_foot_has_no_page_number() -> None:
    pages = book(rows("12", "15", "18", base=736), [])

    assert left_over(pages)[0] == ["12", "15", "18"]


def test_a_letter_that_heads_a_part_of_an_index_is_no_roman_number() -> None:
    assert left_over(book([line("L", base=60)], [line("C", base=60)])) == [["L"], ["C"]]


def test_text_as_large_as_all_text_stays_though_it_is_above_where_text_begins_elsewhere() -> None:
    assert left_over(book([], [line("Invoice for Mara", base=60)])) == [[], ["Invoice for Mara"]]


def test_a_running_line_says_what_it_says_beside_the_number_of_its_page() -> None:
    pages = book(*([line(f"The Book, page {n} of 3", base=30), line("12/345", base=770)] for n in (1, 2, 3)))
    survey = survey_of(pages, count=3)

    assert [said.strip(" ,") for _, said in running_in(pages[1], survey)] == ["The Book", "12/345"]


def test_a_page_number_says_nothing() -> None:
    pages = book(*([line(f"– {n} –", base=770)] for n in (1, 2, 3)))

    assert [said.strip(" –") for _, said in running_in(pages[1], survey_of(pages, count=3))] == [""]
