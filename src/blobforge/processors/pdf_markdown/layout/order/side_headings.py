"""Headings that hang beside their text: in a strip of their own, level with the first line of a paragraph.

They are put right above that line, as if they had been set there, so that all later stages see a plain heading.
"""

from collections.abc import Sequence
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import TextLine
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey
from blobforge.processors.pdf_markdown.layout.text.emphasis import Body, body_of, tone_of
from blobforge.processors.pdf_markdown.layout.text.inline import joined

_LONGEST = 60
_LONG = 25
"""Letters of a line that is probably running text."""
_LEVEL = 0.35
"""Of the size: baselines that differ by less are level."""
_APART = 0.9
"""Of the size: so far right of a heading its text begins at least."""
_ALIGNED = 3.0
_FEWEST_LINES = 3
_FEWEST = 2
"""One by itself is a label."""
_STEP = 1.3
"""Of the leading: lines of one paragraph are no farther apart."""
_RAISED = 0.6
"""Of the size: so far above the first line of its text a heading is put."""


class _Beside(NamedTuple):
    heading: list[TextLine]
    text: TextLine
    """The first line of the paragraph."""


def with_side_headings_above(lines: list[TextLine], survey: DocumentSurvey) -> list[TextLine]:
    body = body_of(survey)
    found = [beside for line in lines if (beside := _beside(line, lines, body, survey)) is not None]
    if len(found) < _FEWEST:
        return lines
    gone = {id(line) for beside in found for line in beside.heading}
    return [*(line for line in lines if id(line) not in gone), *map(_above_text, found)]


def _beside(first: TextLine, lines: Sequence[TextLine], body: Body, survey: DocumentSurvey) -> _Beside | None:
    tone = tone_of(first.words, body) if len(first.text) <= _LONGEST else None
    if tone is None:
        return None
    level = [line for line in lines if line is not first and abs(line.base - first.base) <= _LEVEL * first.size]
    if len(level) != 1 or not _is_text_right_of(first, level[0], survey):
        return None
    text, lead = level[0], _STEP * survey.leading * survey.size
    paragraph = _paragraph(text, lines, lead)
    if paragraph is None:
        return None
    strip = [line for line in lines if line.left < text.left - _ALIGNED and _is_between(line, paragraph)]
    strip.sort(key=lambda line: line.base)
    is_one = all(tone_of(line.words, body) == tone and line.right < text.left for line in strip)
    return _Beside(strip, text) if is_one and strip[0] is first else None


def _is_text_right_of(heading: TextLine, text: TextLine, survey: DocumentSurvey) -> bool:
    is_body = abs(text.size - survey.size) < 0.05 * survey.size and len(text.text) > _LONG and not text.is_bold
    return is_body and text.left > heading.right + _APART * heading.size


def _paragraph(first: TextLine, lines: Sequence[TextLine], lead: float) -> list[TextLine] | None:
    """The lines of the paragraph that this is the first of; None where it is not, or where there are too few."""
    column = sorted((line for line in lines if abs(line.left - first.left) < _ALIGNED), key=lambda line: line.base)
    place = next(place for place, line in enumerate(column) if line is first)
    if place and first.base - column[place - 1].base < lead:
        return None
    end = place + 1
    while end < len(column) and column[end].base - column[end - 1].base < lead:
        end += 1
    return column[place:end] if end - place >= _FEWEST_LINES else None


def _is_between(line: TextLine, paragraph: Sequence[TextLine]) -> bool:
    return paragraph[0].base - _LEVEL * line.size <= line.base <= paragraph[-1].base + _LEVEL * line.size


def _above_text(beside: _Beside) -> TextLine:
    first, right = beside.heading[0], beside.text.left - beside.heading[0].left
    words = [word._replace(left=word.left + right, right=word.right + right) for word in joined(beside.heading)]
    return TextLine(words, beside.text.base - _RAISED * beside.text.size, first.style, first.order)
