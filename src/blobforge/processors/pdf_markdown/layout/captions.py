"""Captions: lines that name a figure or a table."""

import re

_CAPTION = re.compile(
    r"(?:figure|fig|table|tab|chart|graph|diagram|exhibit|plate|map|photo|image|illustration|scheme|abbildung|abb"
    r"|tabelle|figura|tabla|tableau)s?\b\.?\s*(?:(?:[A-Z]{0,2}[.-]?\d+|[IVXLC]+\b|[A-Z]\b)[\w.-]*[.:)]?|:)",
    re.IGNORECASE,
)


def is_caption(text: str) -> bool:
    """Whether the text begins like "Figure 3.1:" or "Table: "."""
    return _CAPTION.match(text.lstrip("*_ ")) is not None
