"""Notes in the margin and sidebars without a frame: smaller text beside the columns, kept together."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from blobforge.processors.pdf_markdown.layout.model.content import TextLine, around
from blobforge.processors.pdf_markdown.layout.model.items import Framed, Item
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey

_LONG = 25
_FEWEST_BODY_LINES = 8
_NARROW = 0.4
"""Of the width of the text."""
_APART = 0.5
_FEWEST_ASIDE = 4
_SMALLER = 0.93
_ASIDE = 0.7
"""Of the width of the text: a sidebar is narrower."""


def margin_notes(lines: Sequence[TextLine], survey: DocumentSurvey) -> tuple[list[Framed], list[TextLine]]:
    """The notes, and the lines that are none."""
    body = [line for line in lines if abs(line.size - survey.size) < 0.05 * survey.size and len(line.text) > _LONG]
    if len(body) < _FEWEST_BODY_LINES:
        return [], list(lines)
    left, right = min(line.left for line in body), max(line.right for line in body)
    apart = _APART * survey.size
    top, bottom = min(line.top for line in body), max(line.bottom for line in body)
    outside = [
        line
        for line in lines
        if (line.right < left - apart or line.left > right + apart) and top <= line.base <= bottom
    ]
    notes = [note for note in _groups(outside, survey) if _is_note(note, right - left, survey)]
    gone = {id(line) for note in notes for line in note}
    return [Framed(around(line.box for line in note), note) for note in notes], [
        line for line in lines if id(line) not in gone
    ]


def _groups(lines: Sequence[TextLine], survey: DocumentSurvey) -> list[list[TextLine]]:
    """By margin, and by the space between them."""
    groups: list[list[TextLine]] = []
    lines = sorted(lines, key=lambda line: (line.left > lines[0].right or line.right < lines[0].left, line.base))
    for before, line in pairwise([None, *lines]):
        if line is None:
            continue
        follows = before is not None and 0 <= line.base - before.base < 1.9 * survey.leading * max(
            line.size, before.size
        )
        if follows:
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _is_note(lines: Sequence[TextLine], width: float, survey: DocumentSurvey) -> bool:
    if len(lines) < 2:
        return False
    is_narrow = _width(lines) < _NARROW * width
    is_small = median(line.size for line in lines) < 0.97 * survey.size
    reads = sum(len(line.words) > 1 for line in lines) >= len(lines) / 2
    return is_narrow and is_small and reads


def is_aside(items: Sequence[Item], main: Sequence[Item], survey: DocumentSurvey) -> bool:
    """Whether what stands on one side of a gutter is a sidebar: narrower than the text, and all of it smaller."""
    lines, body = lines_in(items), lines_in(main)
    if len(lines) < len(items) or len(lines) < _FEWEST_ASIDE or not body:
        return False
    if max(line.size for line in lines) > survey.size or median(line.size for line in body) < 0.97 * survey.size:
        return False
    is_small = median(line.size for line in lines) < _SMALLER * survey.size
    return is_small and _width(lines) < _ASIDE * _width(body)


def framed_item(items: Sequence[Item]) -> Item:
    lines = lines_in(items)
    box = around(line.box for line in lines)
    return Item(box, Framed(box, lines))


def lines_in(items: Sequence[Item]) -> list[TextLine]:
    return [item.thing for item in items if isinstance(item.thing, TextLine)]


def _width(lines: Sequence[TextLine]) -> float:
    return max(line.right for line in lines) - min(line.left for line in lines)
