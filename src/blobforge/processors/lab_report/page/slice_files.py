"""What a slice leaves in the workspace: the words of its pages, and how each page went."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from blobforge.domain.page import Page, PageOutcome
from blobforge.ports.processor import Slice
from blobforge.processors.lab_report.page.words import PositionedWord

_PART = "part-"


class ReadPage(NamedTuple):
    account: Page
    words: tuple[PositionedWord, ...] = ()


def save_part(workspace: Path, place: Slice, pages: list[ReadPage]) -> None:
    rows = [[*page.account[:4], page.words] for page in pages]
    path = workspace / f"{_PART}{place.first:06d}-{place.last:06d}.json"
    path.write_text(json.dumps(rows), encoding="utf-8")


def load_parts(workspace: Path) -> Iterator[ReadPage]:
    """In page order; slices may have been cut anew since the plan, so what is there counts."""
    for path in sorted(workspace.glob(f"{_PART}*.json")):
        try:
            rows = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError):
            continue  # its child died over it; whoever came after read these pages again
        for number, outcome, code, message, words in rows:
            yield ReadPage(
                Page(number, PageOutcome(outcome), code, message), tuple(PositionedWord(*word) for word in words)
            )
