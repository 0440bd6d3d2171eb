"""Listings: lines in a typewriter's font one under the other are code, with their indents, or else a paragraph."""

import re
from collections.abc import Sequence
from itertools import groupby

from blobforge.processors.pdf_markdown.layout.model.content import around
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole

_SIGNS = re.compile(r"[{}()<>=;_#$\[\]/\\|]|--")
_FEWEST_LINES = 2
_WITH_SIGNS = 0.3
_ADVANCE = 0.6
"""Of the size: how wide a typewriter's letter is."""


def with_listings(passages: Sequence[Passage]) -> list[Passage]:
    """The lines of code of a page, each a passage until now, as one."""
    listed: list[Passage] = []
    for (role, _), run in groupby(passages, key=lambda passage: (passage.role, passage.page)):
        members = list(run)
        for member in members:
            member.children = with_listings(member.children)
        listed += [_joined(members)] if role is PassageRole.CODE else members
    return listed


def _joined(lines: Sequence[Passage]) -> Passage:
    first = lines[0]
    first.box = around(line.box for line in lines)
    first.lines = len(lines)
    if _is_code([line.plain for line in lines]):
        left = min(line.indent for line in lines)
        first.text = first.plain = "\n".join(_spaces(line, left) + line.plain for line in lines)
    else:
        first.role = PassageRole.PARAGRAPH
        first.text, first.plain = (
            " ".join(texts) for texts in zip(*((line.text, line.plain) for line in lines), strict=True)
        )
    return first


def _is_code(lines: Sequence[str]) -> bool:
    signed = sum(_SIGNS.search(line) is not None for line in lines)
    return len(lines) >= _FEWEST_LINES and signed >= _WITH_SIGNS * len(lines)


def _spaces(line: Passage, left: float) -> str:
    size = line.look.size if line.look is not None else 10.0
    return " " * round((line.indent - left) / (_ADVANCE * size))
