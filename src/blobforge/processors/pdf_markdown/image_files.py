"""Images of a page as files: as they lie in the document where they are seen so, else as they are seen."""

import io
from typing import Any, NamedTuple

_SHOWN_EVERYWHERE = (1, 3)
"""Components of a JPEG: grey and colour, but not print inks."""
_MOST_PIXELS = 25_000_000
_FINEST_DPI = 300
_GLANCE = (8, 8)
_ALIKE = 40
"""Grey levels, of 255: two small views of one image differ by no more in any place."""


class ImageFile(NamedTuple):
    extension: str
    content: bytes


def own_file(image: Any, seen: Any) -> ImageFile | None:
    """PDFium's `image` as it lies in the document; None where it looks unlike what is `seen` of it on the page.

    PDFium does not tell of masks and decoding tables, nor what is drawn over an image, but one can see them.
    """
    if image.get_filters(skip_simple=True) == ["DCTDecode"]:
        content = bytes(image.get_data(decode_simple=True))
        is_shown = jpeg_components(content) in _SHOWN_EVERYWHERE and _jpeg_is_like(content, seen)
        return ImageFile("jpg", content) if is_shown else None
    width, height = image.get_px_size()
    if width * height > _MOST_PIXELS:
        return None
    pixels = image.get_bitmap(render=False).to_pil()
    if not _are_alike(pixels, seen):
        return None
    left, low, right, high = image.get_bounds()
    pixels.thumbnail((_at_finest(right - left), _at_finest(high - low)))
    return ImageFile("png", encoded(pixels, "PNG"))


def encoded(image: Any, kind: str, **settings: int) -> bytes:
    content = io.BytesIO()
    image.save(content, kind, **settings)
    return content.getvalue()


def jpeg_components(content: bytes) -> int:
    """1 for grey, 3 for colour, 4 for print inks; 0 when it is no JPEG."""
    place = 2
    while content[place : place + 1] == b"\xff" and place + 10 <= len(content):
        kind = content[place + 1]
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            return content[place + 9]
        place += 2 + int.from_bytes(content[place + 2 : place + 4], "big")
    return 0


def _jpeg_is_like(content: bytes, seen: Any) -> bool:
    """Decoded no finer than needed, which takes a fraction of the time; and as a JPEG alone, whatever it begins like:
    a document shall not choose which of Pillow's many decoders is tried on it."""
    from PIL import Image

    try:
        image = Image.open(io.BytesIO(content), formats=["JPEG"])
        image.draft(image.mode, (8 * _GLANCE[0], 8 * _GLANCE[1]))
        return _are_alike(image, seen)
    except OSError:
        return False  # what Pillow cannot decode, others may not show either


def _are_alike(one: Any, other: Any) -> bool:
    from PIL import Image, ImageChops

    views = [image.convert("RGB").resize(_GLANCE, Image.Resampling.BOX) for image in (one, other)]
    return max(ImageChops.difference(*views).tobytes()) <= _ALIKE


def _at_finest(points: float) -> int:
    return max(1, round(points * _FINEST_DPI / 72))
