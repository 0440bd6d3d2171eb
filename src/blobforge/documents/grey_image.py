"""A page as OCR gets it."""

from typing import NamedTuple


class GreyImage(NamedTuple):
    """`content` is a whole PGM file."""

    content: bytes
    dpi: int
