"""A page cut out of its document, for files whose pages two libraries count differently."""

import io
from pathlib import Path

import pikepdf

from blobforge.domain.errors import EngineFailed


def page_alone(path: Path, number: int, *, of: int) -> bytes:
    """A PDF of that one page. Raises EngineFailed where even the third library counts otherwise."""
    with pikepdf.open(path) as whole, pikepdf.new() as part:
        if len(whole.pages) != of:
            raise EngineFailed(f"its pages cannot be told apart: it seems to have {of}, or {len(whole.pages)}")
        part.pages.append(whole.pages[number - 1])
        content = io.BytesIO()
        part.save(content)
    return content.getvalue()
