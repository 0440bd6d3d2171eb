"""Images that an engine wrote into its Markdown as data, taken out again."""

import base64
import binascii
import re
from itertools import count

from blobforge.processors.pdf_markdown.engines.engine import EnginePage, Picture

_EMBEDDED = re.compile(r"(!\[[^\]]*\]\()data:image/([a-z]+);base64,([A-Za-z0-9+/=\s]*)\)")


def take_out(number: int, markdown: str) -> EnginePage:
    """The page with a short link in place of each image; one that cannot be decoded is left out."""
    pictures: list[Picture] = []
    numbers = count(1)

    def replace(found: re.Match[str]) -> str:
        try:
            content = base64.b64decode(found[3], validate=False)
        except binascii.Error:
            return ""
        picture = Picture(f"embedded-{next(numbers)}", found[2].replace("jpeg", "jpg"), content)
        pictures.append(picture)
        return f"{found[1]}{picture.link})"

    text = _EMBEDDED.sub(replace, markdown)
    return EnginePage(number, text, tuple(pictures))
