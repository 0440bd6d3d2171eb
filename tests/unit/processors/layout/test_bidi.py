"""Right-to-left text is put in the order in which it is read."""

import pytest
from tests.unit.processors.layout.made import line

from blobforge.processors.pdf_markdown.layout.model.content import TextLine, text_of
from blobforge.processors.pdf_markdown.layout.words.bidi import in_logical_order, is_right_to_left, reads_from_right

SHALOM, OLAM = "שלום", "עולם"
HATIF = "هاتف"


def _read(text: str) -> str:
    return text_of(in_logical_order(line(text).words))


def test_words_and_letters_are_turned_around() -> None:
    assert _read(f"{OLAM[::-1]} {SHALOM[::-1]}") == f"{SHALOM} {OLAM}"


def test_numbers_and_foreign_words_keep_their_order() -> None:
    assert _read(f"{OLAM[::-1]} RPG 123 {SHALOM[::-1]}") == f"{SHALOM} RPG 123 {OLAM}"


def test_a_bracket_is_turned() -> None:
    assert _read(f"({SHALOM[::-1]})") == f"({SHALOM})"


@pytest.mark.parametrize(
    ("seen", "read"),
    [
        (f"(RPG {SHALOM[::-1]}) {OLAM[::-1]}", f"{OLAM} ({SHALOM} RPG)"),
        (f"({SHALOM[::-1]} RPG) {OLAM[::-1]}", f"{OLAM} (RPG {SHALOM})"),
        (f"(12 {SHALOM[::-1]}) {OLAM[::-1]}", f"{OLAM} ({SHALOM} 12)"),
        (f"{SHALOM[::-1]} {OLAM[::-1]} (1", f"1) {OLAM} {SHALOM}"),
        (f"[12 – 30] {OLAM[::-1]}", f"{OLAM} [30 – 12]"),
        (f"{SHALOM[::-1]} (hi you) {OLAM[::-1]}", f"{OLAM} (hi you) {SHALOM}"),
        (f"{SHALOM[::-1]} f(x) {OLAM[::-1]}", f"{OLAM} f(x) {SHALOM}"),
        (f"he said ({SHALOM[::-1]} and more)", f"he said ({SHALOM} and more)"),
        (f"he said (more and {SHALOM[::-1]})", f"he said (more and {SHALOM})"),
        (f"{SHALOM[::-1]} ) {OLAM[::-1]}", f"{OLAM} ( {SHALOM}"),
    ],
)
def test_a_bracket_stands_before_what_it_opens(seen: str, read: str) -> None:
    assert _read(seen) == read


@pytest.mark.parametrize(
    ("told", "read"),
    [
        (f"){SHALOM[::-1]}(", f"({SHALOM})"),
        (f"){SHALOM[::-1]}(5 {OLAM[::-1]}", f"{OLAM} 5({SHALOM})"),
        (f"){OLAM[::-1]} {SHALOM[::-1]}(", f"({SHALOM} {OLAM})"),
        (f"{OLAM[::-1]} )RPG) {SHALOM[::-1]}", f"{SHALOM} (RPG) {OLAM}"),
        (f"{OLAM[::-1]} )hi you) {SHALOM[::-1]}", f"{SHALOM} (hi you) {OLAM}"),
        (f")RPG {SHALOM[::-1]}) {OLAM[::-1]}", f"{OLAM} ({SHALOM} RPG)"),
        (f")RPG 5 {SHALOM[::-1]}) {OLAM[::-1]}", f"{OLAM} ({SHALOM} RPG 5)"),
    ],
)
def test_a_bracket_that_is_told_as_it_is_read_is_none_the_less_right(told: str, read: str) -> None:
    assert _read(told) == read


@pytest.mark.parametrize(
    ("seen", "read"),
    [(["(", "RPG", f"{SHALOM[::-1]})"], f"({SHALOM} RPG)"), ([f"({SHALOM[::-1]}", "RPG", ")"], f"(RPG {SHALOM})")],
)
def test_a_bracket_in_another_face_goes_with_its_word(seen: list[str], read: str) -> None:
    first, *others = line(" ".join(seen)).words
    touching = [word._replace(spaced=not {seen[place], word.text} & {"(", ")"}) for place, word in enumerate(others)]

    assert text_of(in_logical_order([first, *touching])) == read


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


@pytest.mark.parametrize(
    ("seen", "read"),
    [
        (f"4567 50 966+ {SHALOM[::-1]}", f"{SHALOM} +966 50 4567"),
        (f"{OLAM[::-1]} %15 {SHALOM[::-1]}", f"{SHALOM} 15% {OLAM}"),
        (f"{OLAM[::-1]} 15% {SHALOM[::-1]}", f"{SHALOM} 15% {OLAM}"),
        (f"2.1 {OLAM[::-1]} :3 {SHALOM[::-1]}", f"{SHALOM} 3: {OLAM} 2.1"),
        (f".1998 {SHALOM[::-1]}", f"{SHALOM} 1998."),
        (f"{OLAM[::-1]} {SHALOM[::-1]} .1", f"1. {SHALOM} {OLAM}"),
        (f".(17% {OLAM[::-1]}) {SHALOM[::-1]}", f"{SHALOM} ({OLAM} 17%)."),
        (f"(%5 {OLAM[::-1]}) {SHALOM[::-1]}", f"{SHALOM} ({OLAM} 5%)"),
        (f"{SHALOM[::-1]} and then it was .5 or so", f"{SHALOM} and then it was .5 or so"),
    ],
)
def test_a_sign_beside_a_number_stands_where_it_is_read(seen: str, read: str) -> None:
    assert _read(seen) == read


def test_the_parts_of_a_number_are_set_from_right_to_left_after_arabic_letters() -> None:
    assert _read(f"4567-123-50-971+ {HATIF[::-1]}") == f"{HATIF} +971-50-123-4567"
    assert _read(f"03-1234567 {SHALOM[::-1]}") == f"{SHALOM} 03-1234567"


def test_an_address_does_not_say_how_its_line_is_read() -> None:
    assert _read(f"ruth@example.com :{SHALOM[::-1]} .5") == f"5. {SHALOM}: ruth@example.com"


def test_a_dash_beside_foreign_words_stands_where_it_is_read() -> None:
    assert _read(f"{OLAM[::-1]} Old Mill – {SHALOM[::-1]}") == f"{SHALOM} – Old Mill {OLAM}"
    assert _read(f"{OLAM[::-1]} – Old Mill {SHALOM[::-1]}") == f"{SHALOM} Old Mill – {OLAM}"


def test_numbers_one_after_another_are_read_from_the_right() -> None:
    assert _read(f"{OLAM[::-1]} 30 – 12 {SHALOM[::-1]}") == f"{SHALOM} 12 – 30 {OLAM}"


def test_many_figures_do_not_make_a_line_read_from_the_left() -> None:
    assert _read(f"{OLAM[::-1]} 1234567890 {SHALOM[::-1]}") == f"{SHALOM} 1234567890 {OLAM}"


def _eastern(text: str) -> str:
    """With the digits that Arabic has, and its signs for decimals and thousands."""
    return text.translate({**{ord(f"{digit}"): 0x660 + digit for digit in range(10)}, ord("."): 0x66B, ord(","): 0x66C})


@pytest.mark.parametrize(
    ("seen", "read"),
    [
        (f"{_eastern('3.75')} {HATIF[::-1]}", f"{HATIF} {_eastern('3.75')}"),
        (f"{_eastern('1,250,000')} {HATIF[::-1]}", f"{HATIF} {_eastern('1,250,000')}"),
        (f"{_eastern('7788-555-011')} {HATIF[::-1]}", f"{HATIF} {_eastern('011-555-7788')}"),
        (f"17:30-9:00 {HATIF[::-1]}", f"{HATIF} 9:00-17:30"),
        (f"2024–2019 {HATIF[::-1]}", f"{HATIF} 2019–2024"),
        (f".2024–2019 {SHALOM[::-1]}", f"{SHALOM} 2019–2024."),
        (f"12-47 {SHALOM[::-1]}", f"{SHALOM} 12-47"),
    ],
)
def test_numbers_and_ranges_are_read_as_they_are_meant(seen: str, read: str) -> None:
    assert _read(seen) == read
