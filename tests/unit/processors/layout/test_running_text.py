"""What runs along the pages is told once, unless the document says it."""

from tests.unit.processors.layout.made import SURVEY, passage, table

from blobforge.processors.pdf_markdown.layout.model.passages import Look, Passage, PassageRole
from blobforge.processors.pdf_markdown.layout.running_text import (
    mark_scanned_heads,
    with_running_text_once,
    without_running_text,
)


def running(text: str, *, number: int, top: float = 20.0, says: str | None = None) -> Passage:
    found = passage(text, role=PassageRole.RUNNING, number=number, top=top)
    found.plain = text if says is None else says
    return found


def told(*passages: Passage) -> list[str]:
    document = without_running_text(passages)
    return [one.text or one.rows[0][0] for one in with_running_text_once(document, passages, SURVEY)]


def test_a_head_that_stands_nowhere_else_is_told_where_it_stands_first() -> None:
    pages = [one for n in (1, 2, 3) for one in (passage(f"Text {n}.", number=n), running("File 12/345", number=n))]

    assert told(*pages) == ["File 12/345", "Text 1.", "Text 2.", "Text 3."]


def test_a_foot_is_told_below_what_its_page_says() -> None:
    pages = [one for n in (1, 2) for one in (passage(f"Text {n}.", number=n), running("IBAN", number=n, top=780))]

    assert told(*pages) == ["Text 1.", "IBAN", "Text 2."]


def test_a_head_with_the_number_of_each_page_is_told_once() -> None:
    heads = [running(f"The Quarterly {n}", number=n, says="The Quarterly") for n in (4, 5)]

    assert told(*heads) == ["The Quarterly 4"]


def test_each_head_of_several_is_told() -> None:
    pages = [
        one for n, name in ((1, "Anna"), (2, "Bruno")) for one in (passage("Text.", number=n), running(name, number=n))
    ]

    assert told(*pages) == ["Anna", "Text.", "Bruno", "Text."]


def test_the_number_of_a_page_is_not_told() -> None:
    assert told(passage("Text."), running("– 3 –", number=1, top=780, says="")) == ["Text."]


def test_a_head_that_names_the_chapter_as_its_title_does_is_not_told() -> None:
    title = [passage("Chapter 2"), passage("Reeds, and their *keepers*", role=PassageRole.HEADING)]

    assert told(*title, running("CHAPTER 2. REEDS AND THEIR", number=2)) == ["Chapter 2", "Reeds, and their *keepers*"]


def test_a_head_of_which_only_parts_of_words_are_told_elsewhere_is_told() -> None:
    assert told(passage("Invoice 20411 of Annalena Bergerhof"), running("Anna Berger", number=1)) == [
        "Anna Berger",
        "Invoice 20411 of Annalena Bergerhof",
    ]


def test_what_stands_in_a_table_is_told_there() -> None:
    assert told(table([["Rope", "Price list 7"]]), running("Price list 7", number=2)) == ["Rope"]


def test_heads_of_pages_that_say_nothing_else_stand_between_those_that_do() -> None:
    pages = [passage("Text 1.", number=1), running("Alone", number=2), passage("Text 3.", number=3)]

    assert told(*pages) == ["Text 1.", "Alone", "Text 3."]


def scanned(text: str, *, page: int, top: float) -> Passage:
    found = passage(text, number=page, top=top)
    found.look = Look(size=10.0)
    return found


def test_what_runs_along_scanned_pages_shows_when_all_are_there() -> None:
    pages = [
        one
        for page in (1, 2, 3)
        for one in (
            scanned("Equipment" if page > 1 else "Equipment.", page=page, top=20),
            scanned(f"What page {page} says.", page=page, top=100),
            scanned("Other words here.", page=page, top=120),
            scanned(f"– {page} –", page=page, top=780),
        )
    ]

    mark_scanned_heads(pages)

    assert [one.text for one in without_running_text(pages) if one.page == 2] == [
        "What page 2 says.",
        "Other words here.",
    ]
    assert [one.text for one in with_running_text_once(without_running_text(pages), pages, SURVEY)][:2] == [
        "Equipment.",
        "What page 1 says.",
    ]


def test_first_lines_of_scanned_pages_that_differ_by_a_number_stay() -> None:
    pages = [scanned(f"Invoice 2024-{1041 + 7 * page}", page=page, top=20) for page in (1, 2, 3)]

    mark_scanned_heads(pages)

    assert without_running_text(pages) == pages


def test_a_running_head_of_scanned_pages_may_have_their_number() -> None:
    pages = [scanned(f"The Marsh Quarterly {page + 4}", page=page, top=20) for page in (1, 2, 3)]

    mark_scanned_heads(pages)

    assert without_running_text(pages) == []
    assert [one.text for one in with_running_text_once([], pages, SURVEY)] == ["The Marsh Quarterly 5"]


def test_a_first_line_that_no_other_page_has_stays() -> None:
    pages = [scanned("Alpha", page=1, top=20), scanned("Beta", page=2, top=20)]

    mark_scanned_heads(pages)

    assert without_running_text(pages) == pages


def test_a_number_of_scanned_pages_that_counts_from_afar_is_told_for_it_may_count_invoices() -> None:
    pages = [scanned(str(page + 1040), page=page, top=20) for page in (1, 2, 3)]

    mark_scanned_heads(pages)

    assert [one.text for one in with_running_text_once([], pages, SURVEY)] == ["1041", "1042", "1043"]
