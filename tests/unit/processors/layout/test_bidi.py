"""Right-to-left text is put in the order in which it is read."""

from tests.unit.processors.layout.made import line

from blobforge.processors.pdf_markdown.layout.model.content import TextLine, text_of
from blobforge.processors.pdf_markdown.layout.words.bidi import in_logical_order, is_right_to_left, reads_from_right

SHALOM, OLAM = "שלום", "עולם"


def _read(text: str) -> str:
    return text_of(in_logical_order(line(text).words))


def test_words_and_letters_are_turned_around() -> None:
    assert _read(f"{OLAM[::-1]} {SHALOM[::-1]}") == f"{SHALOM} {OLAM}"


def test_numbers_and_foreign_words_keep_their_order() -> None:
    assert _read(f"{OLAM[::-1]} RPG 123 {SHALOM[::-1]}") == f"{SHALOM} RPG 123 {OLAM}"


def test_a_bracket_is_turned() -> None:
    assert _read(f"({SHALOM[::-1]})") == f"({SHALOM})"


def test_forms_of_arabic_letters_become_letters() -> None:
    assert _read("ﻲﺒﻴﺒﺣ") == "حبيبي"


def test_a_quotation_within_a_line_in_latin_letters_is_turned_in_its_place() -> None:
    assert (
        _read(f"he said {OLAM[::-1]} {SHALOM[::-1]} and no more of it") == f"he said {SHALOM} {OLAM} and no more of it"
    )


def test_latin_text_is_not_touched() -> None:
    words = line("nothing here").words

    assert in_logical_order(words) is words


def test_the_edges_of_a_line_are_those_of_its_words_in_either_direction() -> None:
    made = line(f"{OLAM[::-1]} {SHALOM[::-1]}")

    turned = TextLine(in_logical_order(made.words), made.base, made.style, 0)

    assert (turned.left, turned.right) == (made.left, made.right)


def test_most_lines_decide_how_a_page_reads() -> None:
    assert reads_from_right([line(SHALOM), line(OLAM), line("latin")])
    assert not is_right_to_left("latin")


def test_numbers_one_after_another_are_read_from_the_right() -> None:
    assert _read(f"{OLAM[::-1]} 30 – 12 {SHALOM[::-1]}") == f"{SHALOM} 12 – 30 {OLAM}"


def test_many_figures_do_not_make_a_line_read_from_the_left() -> None:
    assert _read(f"{OLAM[::-1]} 1234567890 {SHALOM[::-1]}") == f"{SHALOM} 1234567890 {OLAM}"
