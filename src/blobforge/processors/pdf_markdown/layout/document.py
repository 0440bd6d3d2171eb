"""The passages of all pages become one document: what goes on is joined, headings get their levels."""

import re
from collections.abc import Sequence

from blobforge.processors.pdf_markdown.layout.inline import is_broken
from blobforge.processors.pdf_markdown.layout.passages import Passage, Role, all_of
from blobforge.processors.pdf_markdown.layout.survey import Survey

_ENDS = ".!?:;”\"'"
_LONGEST_HEADING = 120
_NUMBERED = re.compile(r"^\d+(\.\d+)*\.?\s")
_LONG = 25


def joined_document(passages: Sequence[Passage], survey: Survey) -> list[Passage]:
    passages = list(passages)
    promote(passages, survey)
    document = _joined(passages)
    set_levels(document)
    return document


def promote(passages: Sequence[Passage], survey: Survey) -> None:
    """Short paragraphs at body size that stand out and lead into something are headings."""
    for place, passage in enumerate(passages):
        promote(passage.children, survey)
        follows = passages[place + 1] if place + 1 < len(passages) else None
        if follows is not None and follows.role is not Role.TABLE and _is_heading(passage, survey):
            passage.role = Role.HEADING


def _is_heading(passage: Passage, survey: Survey) -> bool:
    text = passage.plain
    if passage.role is not Role.PARAGRAPH or not passage.stands_out or passage.lines > 3:  # noqa: PLR2004
        return False
    if passage.look is None or passage.look.size < 0.92 * survey.size or len(text) > _LONGEST_HEADING:
        return False
    return any(map(str.isalpha, text)) and (text[-1] not in ".,;" or _NUMBERED.match(text) is not None)


def _joined(passages: Sequence[Passage]) -> list[Passage]:
    joined: list[Passage] = []
    for passage in passages:
        if joined and _goes_on(joined[-1], passage):
            _append(joined[-1], passage)
        else:
            joined.append(passage)
    return joined


def _goes_on(before: Passage, after: Passage) -> bool:
    if before.role is Role.TABLE and after.role is Role.TABLE:
        return before.rows[0] == after.rows[0] and len(before.rows) > 1
    if before.role not in (Role.PARAGRAPH, Role.ITEM) or after.role is not Role.PARAGRAPH:
        return False
    if before.look is None or after.look is None or abs(before.look.size - after.look.size) > 0.4:  # noqa: PLR2004
        return False
    is_elsewhere = before.page != after.page or after.box.top < before.box.bottom - 2
    return is_elsewhere and _reads_on(before, after)


def _reads_on(before: Passage, after: Passage) -> bool:
    end, start = before.plain, after.plain
    if not end or not start:
        return False
    if is_broken(end, start):
        return True
    if end[-1] in _ENDS:
        return False
    if start[0].islower() or end[-1] == ",":
        return True
    return before.fills and len(end) > _LONG and not after.stands_out


def _append(before: Passage, after: Passage) -> None:
    if before.role is Role.TABLE:
        rows = after.rows[1:]
        if rows and not rows[0][0] and any(rows[0]):
            before.rows[-1] = [" ".join(filter(None, cells)) for cells in zip(before.rows[-1], rows[0], strict=True)]
            rows = rows[1:]
        before.rows += rows
        return
    if is_broken(before.plain, after.plain):
        before.text, before.plain = before.text[:-1] + after.text, before.plain[:-1] + after.plain
    else:
        before.text, before.plain = f"{before.text} {after.text}", f"{before.plain} {after.plain}"
    before.fills, before.lines = after.fills, before.lines + after.lines


def set_levels(passages: list[Passage]) -> None:
    """By size: the largest is the first level."""
    headings = [passage for passage in all_of(passages) if passage.role is Role.HEADING]
    sizes = sorted({_rounded(heading) for heading in headings}, reverse=True)
    for heading in headings:
        heading.level = min(sizes.index(_rounded(heading)) + 1, 6)


def _rounded(heading: Passage) -> float:
    return round(heading.look.size * 2) / 2 if heading.look is not None else 0.0
