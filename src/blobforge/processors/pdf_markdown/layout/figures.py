"""Captions under pictures: taken with them, so that the text that runs around a picture is not woven into them."""

from collections.abc import Sequence

from blobforge.processors.pdf_markdown.layout.captions import is_caption
from blobforge.processors.pdf_markdown.layout.items import Figure
from blobforge.processors.pdf_markdown.layout.model import Line
from blobforge.processors.pdf_markdown.layout.survey import Survey

_SMALLER = 0.97
_NEAREST = 2.4
"""Of the size: a caption begins within so much below the picture."""
_NEXT = 1.6


def captions_taken(figures: Sequence[Figure], lines: list[Line], survey: Survey) -> list[Line]:
    """Gives each figure its caption; the lines that are left."""
    gone: set[int] = set()
    for figure in figures:
        caption = _caption(figure, lines, survey)
        if caption:
            figure.caption = caption
            gone |= {id(line) for line in caption}
    return [line for line in lines if id(line) not in gone]


def _caption(figure: Figure, lines: Sequence[Line], survey: Survey) -> list[Line]:
    under = sorted((line for line in lines if _is_under(figure, line, survey)), key=lambda line: line.base)
    caption: list[Line] = []
    for line in under:
        if not caption:
            if line.base - figure.box.bottom > _NEAREST * line.size or not _may_begin(line, survey):
                return []
        elif line.base - caption[-1].base > _NEXT * line.size or line.size != caption[-1].size:
            break
        caption.append(line)
    return caption


def _is_under(figure: Figure, line: Line, survey: Survey) -> bool:
    box, slack = figure.box, survey.size
    return line.base > box.bottom and box.left - slack <= line.left and line.right <= box.right + slack


def _may_begin(line: Line, survey: Survey) -> bool:
    return line.size < _SMALLER * survey.size or (line.style.italic and not survey.italic) or is_caption(line.text)
