"""Page numbers as people write them ("3,5-7", "120-", "-5"), and how a list of them is cut into slices."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from blobforge.domain.errors import InvalidOptions
from blobforge.ports.processor import Slice

OPEN_END = 10**9
"""The end of a range that goes on to the last page, whichever that is: more than any number that can be written."""

_RANGE = re.compile(r"(?=.*\d)(\d{1,9})?(?:(-)(\d{1,9})?)?")


def parse_ranges(text: str) -> tuple[Slice, ...]:
    """Sorted and merged. Raises InvalidOptions."""
    ranges = sorted(_parse_range(piece.strip(), of=text) for piece in text.split(","))
    merged: list[Slice] = []
    for part in ranges:
        if merged and part.first <= merged[-1].last + 1:
            merged[-1] = Slice(merged[-1].first, max(part.last, merged[-1].last))
        else:
            merged.append(part)
    return tuple(merged)


def format_ranges(ranges: Iterable[Slice]) -> str:
    return ",".join(map(_format_range, ranges))


def cut_off(ranges: Iterable[Slice], *, last: int) -> tuple[Slice, ...]:
    """The ranges as far as the document goes."""
    return tuple(Slice(part.first, min(part.last, last)) for part in ranges if part.first <= last)


def cut(ranges: Iterable[Slice], *, longest: int) -> tuple[Slice, ...]:
    """Slices of at most `longest` pages and of nearly equal length.

    Equal, since engines recognise running heads by comparing pages: a slice of one page left over would keep its own.
    """
    return tuple(piece for part in ranges for piece in _equal_pieces(part, longest=longest))


def set_apart(parts: Sequence[Slice], pages: Iterable[int]) -> tuple[Slice, ...]:
    """The same pages, with each of these in a slice of its own."""
    alone = sorted(set(pages))
    return tuple(smaller for part in parts for smaller in _around(part, alone))


def _parse_range(text: str, *, of: str) -> Slice:
    found = _RANGE.fullmatch(text)
    if found is None:
        raise InvalidOptions(f"pages={of!r} is no list of pages: write it as 1-20, 3,5-7, 120- or -5")
    first = int(found[1] or 1)
    last = int(found[3] or OPEN_END) if found[2] else first
    if first < 1 or last < 1:
        raise InvalidOptions(f"pages={of!r}: pages are counted from 1")
    if last < first:
        raise InvalidOptions(f"pages={of!r}: the range {text} is empty; did you mean {last}-{first}?")
    return Slice(first, last)


def _format_range(part: Slice) -> str:
    if part.last == OPEN_END:
        return f"{part.first}-"
    return str(part.first) if part.first == part.last else f"{part.first}-{part.last}"


def _equal_pieces(part: Slice, *, longest: int) -> Iterable[Slice]:
    length = part.last - part.first + 1
    pieces = -(-length // longest)
    edges = [part.first + length * piece // pieces for piece in range(pieces + 1)]
    return (Slice(start, end - 1) for start, end in pairwise(edges))


def _around(part: Slice, alone: Sequence[int]) -> Iterator[Slice]:
    first = part.first
    for page in alone:
        if part.first <= page <= part.last:
            if first < page:
                yield Slice(first, page - 1)
            yield Slice(page, page)
            first = page + 1
    if first <= part.last:
        yield Slice(first, part.last)
