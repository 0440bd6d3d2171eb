"""The outcome of each page of a document: no page is lost silently."""

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple


class PageOutcome(StrEnum):
    """Where the text of a page is from, or why it has none."""

    TEXT = "text"
    OCR = "ocr"
    EMPTY = "empty"
    FAILED = "failed"


class Page(NamedTuple):
    """One page's account; `code` and `message` say why it failed. One that did not may have a message too: why it was
    read in that way.

    `confidence`, from 0 to 1, and `warnings` tell how far what was read can be trusted, where the engine knows.
    """

    number: int
    outcome: PageOutcome
    code: str | None = None
    message: str | None = None
    confidence: float | None = None
    warnings: tuple[str, ...] = ()


def page_in(row: Mapping[str, Any]) -> Page:
    """The account of a page as its row in info.json tells it."""
    return Page(
        number=row["page"],
        outcome=PageOutcome(row["outcome"]),
        code=row.get("code"),
        message=row.get("message"),
        confidence=row.get("confidence"),
        warnings=tuple(row.get("warnings", ())),
    )


class PageTally(NamedTuple):
    """The account of a whole document in four numbers."""

    pages: int
    pages_failed: int
    codes: dict[str, int]


REMARKS = frozenset({"second_reader", "overlapping_blocks"})
"""Warnings about how a page was read that are no reason to doubt it."""


def doubts(pages: Iterable[Page]) -> dict[str, int]:
    """Why pages are doubtful, each reason with how many pages it is."""
    return dict(sorted(Counter(name for page in pages for name in page.warnings if name not in REMARKS).items()))


def tally(pages: Iterable[Page]) -> PageTally:
    total = 0
    codes: Counter[str] = Counter()
    for page in pages:
        total += 1
        if page.outcome is PageOutcome.FAILED:
            codes[page.code or "error"] += 1
    return PageTally(pages=total, pages_failed=sum(codes.values()), codes=dict(sorted(codes.items())))
