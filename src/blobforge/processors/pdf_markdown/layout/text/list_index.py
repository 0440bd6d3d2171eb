"""Entries of an index: words and the pages that they are on, one under the other."""

import re
from collections.abc import Callable, Sequence

from blobforge.processors.pdf_markdown.layout.model.content import TextLine

_PAGES = r"\d{1,4}(?: ?[-–] ?\d{1,4})?"
_ENTRY = re.compile(rf"[\"“‘'(]?[^\W\d].*, ?{_PAGES}(?:, ?{_PAGES})*")
_FEWEST = 4
_MOST = 0.6
_DEEPER = 0.5
"""Of the size: so far in an entry goes on."""


def is_entry(line: TextLine) -> bool:
    return _ENTRY.fullmatch(line.text) is not None


def is_index(lines: Sequence[TextLine]) -> bool:
    """Whether most lines are entries."""
    found = sum(_ENTRY.fullmatch(line.text) is not None for line in lines) if len(lines) >= _FEWEST else 0
    return found >= max(_FEWEST, _MOST * len(lines))


def entries_begun(lines: Sequence[TextLine], is_title: Callable[[TextLine], bool]) -> set[int]:
    """The ids of the lines that begin an entry, where these are the lines of an index; one may go on further in."""
    if sum(line.text[-1].isdigit() for line in lines) < _FEWEST:
        return set()
    text = [line for line in lines if not is_title(line)]
    if not is_index(text):
        return set()
    begun: set[int] = set()
    is_open = False
    for place, line in enumerate(text):
        is_whole = is_entry(line)
        if is_open and _is_deeper(line, text[place - 1]):
            is_open = not is_whole
            continue
        goes_on = place + 1 < len(text) and _is_deeper(text[place + 1], line)
        is_open = goes_on and not is_whole
        if is_whole or is_open:
            begun.add(id(line))
    return begun


def _is_deeper(line: TextLine, above: TextLine) -> bool:
    return line.left > above.left + _DEEPER * line.size
