"""The passages of all pages become one document: what goes on is joined, headings get their levels."""

from collections.abc import Sequence

from blobforge.processors.pdf_markdown.layout.heading_judge import mark_headings
from blobforge.processors.pdf_markdown.layout.heading_levels import set_levels
from blobforge.processors.pdf_markdown.layout.inline import is_broken
from blobforge.processors.pdf_markdown.layout.passages import Passage, Role
from blobforge.processors.pdf_markdown.layout.survey import Survey

_ENDS = ".!?:;”\"'"
_LONG = 25


def joined_document(passages: Sequence[Passage], survey: Survey) -> list[Passage]:
    mark_headings(passages, survey)
    document = _joined(passages)
    set_levels(document)
    return document


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
