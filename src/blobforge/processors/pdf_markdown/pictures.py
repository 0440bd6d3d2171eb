"""Puts the pictures of a page into the workspace and their final links into its Markdown."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from blobforge.domain.errors import EngineFailed
from blobforge.processors.pdf_markdown import parts
from blobforge.processors.pdf_markdown.engines.engine import LINK, EnginePage, Picture
from blobforge.processors.pdf_markdown.image_files import ImageFile
from blobforge.processors.pdf_markdown.layout.model.passages import PassageRole, all_of
from blobforge.processors.pdf_markdown.parts import Asset

Draw = Callable[[EnginePage, Picture], ImageFile | None]
"""The picture of a region of the page; None where there is none. Raises EngineFailed."""

LOST = "<!-- an image could not be read -->"


class Illustrated(NamedTuple):
    """A page's Markdown with links to files that are there."""

    markdown: str
    assets: tuple[Asset, ...]


def place(workspace: Path, page: EnginePage, draw: Draw) -> Illustrated:
    """Each picture is saved at its first link; one that cannot be had leaves a remark."""
    by_link = {picture.link: picture for picture in page.pictures}
    saved: dict[str, Asset | None] = {}

    def replace(found: re.Match[str]) -> str:
        alternative, link = found.groups()
        if link not in by_link:
            return found[0]
        if link not in saved:
            saved[link] = _save(workspace, page.number, len(saved) + 1, _image(page, by_link[link], draw))
        asset = saved[link]
        return f"![{alternative}]({asset.link})" if asset else LOST

    markdown = LINK.sub(replace, page.markdown)
    for passage in all_of(page.passages or ()):
        if passage.role is PassageRole.FIGURE:
            passage.text = LINK.sub(replace, passage.text)
    return Illustrated(markdown, tuple(asset for asset in saved.values() if asset))


def place_whole_page(workspace: Path, number: int, image: ImageFile) -> Illustrated:
    asset = parts.save_asset(workspace, page=number, place=1, extension=image.extension, content=image.content)
    return Illustrated(f"![]({asset.link})", (asset,))


def _image(page: EnginePage, picture: Picture, draw: Draw) -> ImageFile | None:
    if picture.region is None:
        return ImageFile(picture.extension, picture.content)
    try:
        return draw(page, picture)
    except EngineFailed:
        return None


def _save(workspace: Path, number: int, place: int, image: ImageFile | None) -> Asset | None:
    if image is None:
        return None
    return parts.save_asset(workspace, page=number, place=place, extension=image.extension, content=image.content)
