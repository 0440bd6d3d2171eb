"""Pictures that are written within the content of a page, followed to their ends."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pikepdf

from blobforge.processors.pdf_markdown.stream_decoding import Stage, decoded_by

_FLATE = frozenset(("/Fl", "/FlateDecode"))
_WHITE = b" \t\r\n\f\0"
_MOST_COMPONENTS = 4
_PACKING = 1_024
"""Bytes: so much longer than its pixels packed noise may be."""
_FAULTS = (pikepdf.PdfError, ValueError, TypeError, AttributeError, KeyError, RuntimeError)
_LONGEST_HEAD = 1 << 16


class _Picture(NamedTuple):
    head: pikepdf.Object
    start: int


def are_inline_images_whole(text: bytes) -> bool:
    """Of those that Flate has packed: of others nothing tells where they should end."""
    return b"BI" not in text or all(_is_whole(text, picture) for picture in _pictures(text))


def _pictures(text: bytes) -> Iterator[_Picture]:
    place = text.find(b"BI")
    while place >= 0:
        end = text.find(b"ID", place)
        if end < 0:
            return
        # Words of a text have these letters, too.
        begin = text.rfind(b"BI", place, end) + 2
        if text[begin] in b"/" + _WHITE and text[end + 2 : end + 3].isspace() and end - begin < _LONGEST_HEAD:
            try:
                head = pikepdf.Object.parse(b"<<" + text[begin:end] + b">>")
            except _FAULTS:
                head = None
            if isinstance(head, pikepdf.Dictionary):
                yield _Picture(head, end + 3)
        place = text.find(b"BI", end + 2)


def _is_whole(text: bytes, picture: _Picture) -> bool:
    head, start = picture
    try:
        filters = _either(head, "/F", "/Filter")
        names = [str(each) for each in filters] if isinstance(filters, pikepdf.Array) else [str(filters)]
        width, height = int(_either(head, "/W", "/Width")), int(_either(head, "/H", "/Height"))
        if names[0] not in _FLATE:
            return True
        bits = 1 if _either(head, "/IM", "/ImageMask") else int(_either(head, "/BPC", "/BitsPerComponent") or 1)
        row = (width * bits + 7) // 8
        longest = row * height * _MOST_COMPONENTS
        pixels, whole = decoded_by(text[start : start + longest + longest // 8 + _PACKING], [Stage("/FlateDecode")])
    except _FAULTS:
        return True
    return whole and (len(names) > 1 or len(pixels) >= row * height)


def _either(head: pikepdf.Object, short: str, long: str) -> Any:
    return head.get(short) if short in head else head.get(long)
