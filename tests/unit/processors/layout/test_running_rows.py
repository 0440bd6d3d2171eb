"""Running heads and feet, page numbers and stamps are dropped; what a page says is not."""

from tests.unit.processors.layout.made import BODY, TITLE, column, line, page

from blobforge.processors.pdf_markdown.layout.model.content import PageContent, Rectangle, TextLine
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey, survey_in, survey_of, without_running

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
