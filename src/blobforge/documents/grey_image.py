"""A page as OCR gets it."""

from typing import Any, NamedTuple, Self


class GreyImage(NamedTuple):
    """`content` is a whole PGM file."""

    content: bytes
    dpi: int

    @classmethod
    def of(cls, image: Any, *, dpi: int) -> Self:
        """`image` is Pillow's, in grey."""
        return cls(b"P5 %d %d 255\n" % image.size + image.tobytes(), dpi)

    def drawn(self) -> Any:
        """As Pillow has it."""
        from PIL import Image

        header, _, pixels = self.content.partition(b"\n")
        width, height = map(int, header.split()[1:3])
        return Image.frombytes("L", (width, height), pixels)
