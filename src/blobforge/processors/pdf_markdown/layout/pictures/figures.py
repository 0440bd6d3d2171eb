"""Captions of figures: taken off the page with them, so that text around a picture is not mixed with its caption."""

from collections.abc import Sequence

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, TextLine, around
from blobforge.processors.pdf_markdown.layout.model.items import Figure
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey
from blobforge.processors.pdf_markdown.layout.text.captions import is_caption

_SMALLER = 0.97
_NEAREST = 2.4
"""Of the size: a caption begins within so much below the picture."""
_NEXT = 1.6
_CLOSE = 0.3
_FARTHEST = 4.0
"""Of the size: what runs around a drawing is no farther from its caption."""


def captions_taken(figures: Sequence[Figure], lines: list[TextLine], survey: DocumentSurvey) -> list[TextLine]:
    """Gives each figure its caption; the lines that are left."""
    gone: set[int] = set()
    for figure in figures:
        caption = _caption(figure, lines, survey)
        if caption:
            figure.caption = caption
            gone |= {id(line) for line in caption}
    return [line for line in lines if id(line) not in gone]


def drawn_figures(lines: Sequence[TextLine], survey: DocumentSurvey) -> list[Figure]:
    """Small italics that the text runs around are the caption of a drawing, though none was found: a shading, say."""
    groups: list[list[TextLine]] = []
    for line in sorted((line for line in lines if _is_small_italic(line, survey)), key=lambda line: line.base):
        group = next((group for group in groups if _follows(group[-1], line)), None)
        if group is None:
            groups.append([line])
        else:
            group.append(line)
    boxes = [around(line.box for line in group) for group in groups]
    return [
        Figure(box, 0, group)
        for box, group in zip(boxes, groups, strict=True)
        if _is_run_around(box, [line for line in lines if abs(line.size - survey.size) < _CLOSE], survey)
    ]


def _is_small_italic(line: TextLine, survey: DocumentSurvey) -> bool:
    return line.size < _SMALLER * survey.size and not survey.italic and all(word.style.italic for word in line.words)


def _follows(upper: TextLine, lower: TextLine) -> bool:
    is_under = lower.left < upper.right and upper.left < lower.right
    return is_under and upper.style == lower.style and 0 < lower.base - upper.base < _NEXT * lower.size


def _is_run_around(box: Rectangle, text: Sequence[TextLine], survey: DocumentSurvey) -> bool:
    """Whether text stands beside it, and farther down takes its width too."""
    reach = _FARTHEST * survey.size
    for edge, is_left in ((box.left, True), (box.right, False)):
        beside = any(
            line.top < box.bottom
            and box.top < line.bottom
            and 0 < (edge - line.right if is_left else line.left - edge) < reach
            for line in text
        )
        if beside and any(
            box.bottom <= line.top < box.bottom + reach
            and line.left < edge - survey.size < edge + survey.size < line.right
            for line in text
        ):
            return True
    return False


def _caption(figure: Figure, lines: Sequence[TextLine], survey: DocumentSurvey) -> list[TextLine]:
    under = sorted((line for line in lines if _is_under(figure, line, survey)), key=lambda line: line.base)
    caption: list[TextLine] = []
    for line in under:
        if not caption:
            if line.base - figure.box.bottom > _NEAREST * line.size or not _may_begin(line, survey):
                return []
        elif line.base - caption[-1].base > _NEXT * line.size or line.size != caption[-1].size:
            break
        caption.append(line)
    return caption


def _is_under(figure: Figure, line: TextLine, survey: DocumentSurvey) -> bool:
    box, slack = figure.box, survey.size
    return line.base > box.bottom and box.left - slack <= line.left and line.right <= box.right + slack


def _may_begin(line: TextLine, survey: DocumentSurvey) -> bool:
    return line.size < _SMALLER * survey.size or (line.style.italic and not survey.italic) or is_caption(line.text)
