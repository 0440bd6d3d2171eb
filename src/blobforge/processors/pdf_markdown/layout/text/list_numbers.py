"""Numbered paragraphs: bare numbers that hang before the text, one after the other."""

from collections.abc import Sequence
from itertools import pairwise

from blobforge.processors.pdf_markdown.layout.model.content import TextLine
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey
from blobforge.processors.pdf_markdown.layout.text.emphasis import body_of, tone_of

_GAP = 0.4
"""Of the size: farther from the text than a word stands a number that hangs before it."""
_SAME = 0.2
_NOTE = 0.95


def numbered_in(lines: Sequence[TextLine], survey: DocumentSurvey) -> set[int]:
    """The ids of those lines of a page, in the order of reading, that begin a numbered paragraph."""
    begins = [place for place, line in enumerate(lines) if _hangs(line) and _is_plain(line, survey)]
    groups: list[list[int]] = []
    for place in begins:
        group = next((group for group in groups if _is_level(lines[group[0]], lines[place])), None)
        if group is None:
            groups.append([place])
        else:
            group.append(place)
    return {id(lines[place]) for group in groups if _is_counted(lines, group) for place in group}


def _is_level(one: TextLine, other: TextLine) -> bool:
    return abs(one.words[1].left - other.words[1].left) < _SAME * one.size


def _is_counted(lines: Sequence[TextLine], group: Sequence[int]) -> bool:
    """Whether they count on, and their text goes on right under itself, not under the number."""
    counted = [int(lines[place].words[0].text) for place in group]
    if len(group) < 2 or any(after != before + 1 for before, after in pairwise(counted)):
        return False
    after = [lines[place + 1] for place in group if place + 1 < len(lines) and place + 1 not in group]
    edge = lines[group[0]].words[1].left
    return 2 * sum(abs(line.left - edge) < _SAME * line.size for line in after) > len(group)


def _hangs(line: TextLine) -> bool:
    first = line.words[0]
    if len(line.words) < 2 or first.raised or not first.text.isdecimal():
        return False
    return line.words[1].left - first.right > _GAP * line.size


def _is_plain(line: TextLine, survey: DocumentSurvey) -> bool:
    """Whether the text after the number looks like the body: headings and notes have numbers, too."""
    return line.size >= _NOTE * survey.size and tone_of(line.words[1:], body_of(survey)) is None
