"""Captions: lines that name a figure or a table."""

import re
from collections.abc import Sequence
from itertools import pairwise

from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole

_CAPTION = re.compile(
    r"(?:figure|fig|table|tab|chart|graph|diagram|exhibit|plate|map|photo|image|illustration|scheme|abbildung|abb"
    r"|tabelle|figura|tabla|tableau)s?\b\.?\s*(?:(?:[A-Z]{0,2}[.-]?\d+|[IVXLC]+\b|[A-Z]\b)[\w.-]*[.:)]?|:)",
    re.IGNORECASE,
)


def is_caption(text: str) -> bool:
    """Whether the text begins like "Figure 3.1:" or "Table: "."""
    return _CAPTION.match(text.lstrip("*_ ")) is not None


def mark_captions(passages: Sequence[Passage]) -> None:
    """What names a figure right beside it is set in italics."""
    for before, after in pairwise(passages):
        figure, other = (before, after) if before.role is PassageRole.FIGURE else (after, before)
        is_beside = figure.role is PassageRole.FIGURE and other.role is PassageRole.PARAGRAPH
        if is_beside and "*" not in other.text and is_caption(other.plain):
            other.text = f"*{other.text}*"
    for passage in passages:
        mark_captions(passage.children)
