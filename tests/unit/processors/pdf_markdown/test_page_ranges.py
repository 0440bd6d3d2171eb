"""Page numbers as people write them, and how they are cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blobforge.domain.errors import InvalidOptions
from blobforge.ports.processor import Slice
from blobforge.processors.pdf_markdown.page_ranges import OPEN_END, cut, cut_off, format_ranges, parse_ranges


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("1-20", [(1, 20)]),
        ("3,5-7", [(3, 3), (5, 7)]),
        (" 5-7 , 3 ", [(3, 3), (5, 7)]),
        ("1-5,4-9,10", [(1, 10)]),
        ("2-9,3-4", [(2, 9)]),
        ("-5", [(1, 5)]),
        ("120-", [(120, OPEN_END)]),
        ("7-,1-2,9", [(1, 2), (7, OPEN_END)]),
    ],
)
def test_ranges_come_sorted_and_merged(text: str, ranges: list[tuple[int, int]]) -> None:
    assert [tuple(part) for part in parse_ranges(text)] == ranges


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("one", "no list of pages"),
        ("1,,2", "no list of pages"),
        ("-", "no list of pages"),
        ("1--2", "no list of pages"),
        ("0-", "counted from 1"),
        ("-0", "counted from 1"),
        ("0-3", "counted from 1"),
        ("7-3", "did you mean 3-7"),
    ],
)
def test_a_range_without_sense_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidOptions, match=message):
        parse_ranges(text)


def test_ranges_are_written_as_they_are_read() -> None:
    assert format_ranges(parse_ranges("9,1-3")) == "1-3,9"
    assert format_ranges(parse_ranges("-3,9-")) == "1-3,9-"


def test_what_lies_beyond_the_end_is_cut_off() -> None:
    assert cut_off([Slice(1, 3), Slice(5, 90), Slice(95, 99)], last=7) == (Slice(1, 3), Slice(5, 7))
    assert cut_off(parse_ranges("5-"), last=7) == (Slice(5, 7),)


def test_no_page_is_left_alone_in_the_last_slice() -> None:
    assert cut([Slice(1, 51)], longest=50) == (Slice(1, 25), Slice(26, 51))


@given(first=st.integers(1, 50), length=st.integers(1, 500), longest=st.integers(1, 100))
def test_slices_cover_each_page_once_and_are_never_too_long(first: int, length: int, longest: int) -> None:
    slices = cut([Slice(first, first + length - 1)], longest=longest)

    pages = [page for part in slices for page in range(part.first, part.last + 1)]
    lengths = [part.last - part.first + 1 for part in slices]
    assert pages == list(range(first, first + length))
    assert max(lengths) <= longest
    assert max(lengths) - min(lengths) <= 1
