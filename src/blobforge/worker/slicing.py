"""Slices cut smaller, and the pages that they come down to."""

from collections.abc import Sequence

from blobforge.ports.processor import Slice


def only_page(part: Slice | None) -> int | None:
    return part.first if part is not None and part.first == part.last else None


def halves(parts: Sequence[Slice]) -> list[Slice]:
    cut: list[Slice] = []
    for first, last in parts:
        middle = (first + last) // 2
        cut += [Slice(first, middle), Slice(middle + 1, last)] if first < last else [Slice(first, last)]
    return cut
