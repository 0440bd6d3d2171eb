"""What a slice leaves in the workspace: its pages as JSON, its images as files.

Side by side rather than in folders: on a small document each new folder costs as much as its text.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from blobforge.domain.page import Page, PageOutcome
from blobforge.ports.processor import Slice
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, passage_in

ASSETS = "assets"
_PART = "part-"


class Asset(NamedTuple):
    """An image file; `digest` is of its bytes."""

    name: str
    digest: str

    @property
    def link(self) -> str:
        return f"{ASSETS}/{self.name}"


class ConvertedPage(NamedTuple):
    account: Page
    markdown: str = ""
    assets: tuple[Asset, ...] = ()
    passages: tuple[Passage, ...] | None = None


class Part(NamedTuple):
    """`tools` are the programs that were used, with their versions."""

    pages: tuple[ConvertedPage, ...]
    tools: Mapping[str, str]


def save_asset(workspace: Path, *, page: int, place: int, extension: str, content: bytes) -> Asset:
    """`place` counts the images of a page from 1."""
    asset = Asset(f"p{page:04d}-{place}.{extension}", hashlib.sha256(content).hexdigest())
    asset_path(workspace, asset).write_bytes(content)
    return asset


def assets_in(workspace: Path) -> int:
    """How many images all slices have left so far."""
    return sum(1 for _ in workspace.glob(f"{_PART}p*"))


def asset_path(workspace: Path, asset: Asset) -> Path:
    return workspace / f"{_PART}{asset.name}"


def save_part(workspace: Path, place: Slice, part: Part) -> None:
    content = {"tools": part.tools, "pages": [_to_json(page) for page in part.pages]}
    path = workspace / f"{_PART}{place.first:06d}-{place.last:06d}.json"
    path.write_bytes(json.dumps(content).encode())


def load_parts(workspace: Path) -> Iterator[Part]:
    """In page order. Slices may have been cut anew since the plan, so what is there counts, not what was planned."""
    for path in sorted(workspace.glob(f"{_PART}*.json")):
        try:
            part = json.loads(path.read_bytes())
        except (ValueError, RecursionError):
            continue  # its child died over it; whoever came after wrote these pages again
        yield Part(pages=tuple(map(_from_json, part["pages"])), tools=part["tools"])


def _to_json(page: ConvertedPage) -> list[Any]:
    passages = None if page.passages is None else [passage.as_json() for passage in page.passages]
    return [*page.account, page.markdown, page.assets, passages]


def _from_json(row: list[Any]) -> ConvertedPage:
    number, outcome, code, message, confidence, warnings, markdown, assets, passages = row
    return ConvertedPage(
        account=Page(number, PageOutcome(outcome), code, message, confidence, tuple(warnings)),
        markdown=markdown,
        assets=tuple(Asset(*asset) for asset in assets),
        passages=None if passages is None else tuple(map(passage_in, passages)),
    )
