"""Initials: a large first letter that hangs beside the first lines of a paragraph goes back into its word."""

from collections.abc import Sequence
from statistics import median_low

from blobforge.processors.pdf_markdown.layout.model import Line

_LARGE = 1.8
"""Of the usual size."""
_LONGEST = 2
"""A letter, and perhaps a quotation mark before it."""
_REACH = 0.6
"""Of its size: the text begins no farther to the right."""


def with_initials(lines: Sequence[Line]) -> list[Line]:
    """The lines of a column, without those that are only an initial."""
    if len(lines) < 2:
        return list(lines)
    usual = median_low(line.size for line in lines)
    gone: set[int] = set()
    for initial in lines:
        if initial.size >= _LARGE * usual and len(initial.words) == 1 and _is_letter(initial.words[0].text):
            beside = [line for line in lines if _hangs_beside(initial, line)]
            if beside:
                _join(initial, min(beside, key=lambda line: line.base))
                gone.add(id(initial))
    return [line for line in lines if id(line) not in gone]


def _is_letter(text: str) -> bool:
    return len(text) <= _LONGEST and text[-1].isalpha() and text[-1].isupper()


def _hangs_beside(initial: Line, line: Line) -> bool:
    return (
        line.size * _LARGE <= initial.size
        and -0.1 * initial.size <= line.left - initial.right <= _REACH * initial.size
        and initial.top - line.size / 2 <= line.base <= initial.base + line.size / 2
    )


def _join(initial: Line, line: Line) -> None:
    word, first = initial.words[0], line.words[0]
    # What follows in capitals is only the way the line begins: "ONCE upon".
    rest = first.text.lower() if len(first.text) > 1 and first.text.isupper() else first.text
    # It keeps its left end, so that the lines beside the initial do not seem to stand in.
    line.words = [first._replace(text=word.text + rest), *line.words[1:]]
