"""A scan whose image is damaged is doubtful, or a gap where nothing of it is left: OCR reads what it gets."""

import io
import zlib
from pathlib import Path

import pytest
from PIL import Image
from tests.unit.processors import damaged_pdfs as damaged
from tests.unit.processors import pdfs

from blobforge.domain.errors import DamagedSource
from blobforge.processors.pdf_markdown.content_check import ContentCheck
from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor
from blobforge.testing.processor_contract import converted

SCAN = pdfs.picture_of_text([f"line {line} of the scan" for line in range(20)], dpi=100).convert("L")


def _fax() -> bytes:
    """The only strip of a TIFF of Group 4."""
    stream = io.BytesIO()
    SCAN.convert("1").save(stream, "TIFF", compression="group4", strip_size=1 << 30)
    tags = Image.open(stream).tag_v2  # type: ignore[attr-defined]
    (start,), (size,) = tags[273], tags[279]
    return stream.getvalue()[start : start + size]


def _segments() -> bytes:
    """JBIG2: the page and a region of it, of which nothing but the lengths is looked at."""
    page = b"\0\0\0\0\x30\0\1" + (19).to_bytes(4) + b"p" * 19
    region = b"\0\0\0\1\x26\x20\0\1" + (500).to_bytes(4) + b"r" * 500
    return page + region


def _packed(codec: str) -> bytes:
    return {
        "/DCTDecode": lambda: pdfs.encoded(SCAN, "JPEG"),
        "/JPXDecode": lambda: pdfs.encoded(SCAN, "JPEG2000"),
        "/FlateDecode": lambda: zlib.compress(SCAN.tobytes()),
        "/CCITTFaxDecode": _fax,
        "/JBIG2Decode": _segments,
    }[codec]()


def _page(path: Path, packed: bytes, codec: str) -> Path:
    if codec == "/CCITTFaxDecode":
        return damaged.with_image(path, packed, codec, size=SCAN.size, bits=1, K=-1, Columns=SCAN.width)
    return damaged.with_image(path, packed, codec, size=SCAN.size, bits=1 if codec == "/JBIG2Decode" else 8)


def _is_whole(path: Path) -> bool:
    return not ContentCheck(path, pages=1).is_damaged(1)


@pytest.mark.parametrize("codec", ["/DCTDecode", "/JPXDecode", "/FlateDecode", "/CCITTFaxDecode", "/JBIG2Decode"])
def test_an_image_that_was_cut_off_is_a_damage(tmp_path: Path, codec: str) -> None:
    packed = _packed(codec)

    assert _is_whole(_page(tmp_path / "good.pdf", packed, codec))
    assert not _is_whole(_page(tmp_path / "bad.pdf", damaged.cut_in_half(packed), codec))
    assert not _is_whole(_page(tmp_path / "nothing.pdf", b"", codec))


@pytest.mark.parametrize("codec", ["/DCTDecode", "/FlateDecode"])
def test_a_hole_in_an_image_is_a_damage(tmp_path: Path, codec: str) -> None:
    packed = _packed(codec)
    middle = len(packed) // 2

    holed = packed[:middle] + bytes(2_000) + packed[middle + 2_000 :]

    assert not _is_whole(_page(tmp_path / "book.pdf", holed, codec))


def test_pixels_that_are_too_few_are_a_damage(tmp_path: Path) -> None:
    pixels = zlib.compress(SCAN.tobytes()[: -SCAN.width])

    assert not _is_whole(_page(tmp_path / "book.pdf", pixels, "/FlateDecode"))


def test_a_fax_need_not_say_where_it_ends_if_the_document_says_so(tmp_path: Path) -> None:
    packed = damaged.cut_in_half(_fax())

    book = damaged.with_image(
        tmp_path / "book.pdf", packed, "/CCITTFaxDecode", size=SCAN.size, bits=1, K=-1, EndOfBlock=False
    )

    assert _is_whole(book)


@pytest.mark.parametrize("name", ["header", "object"])
def test_a_page_whose_only_image_cannot_be_drawn_is_no_empty_page(tmp_path: Path, name: str) -> None:
    packed = _packed("/DCTDecode")
    if name == "header":
        packed = bytes(200) + packed[200:]
    book = _page(tmp_path / "book.pdf", packed, "/DCTDecode")
    if name == "object":
        damaged.without(book, "/Scan")

    with pytest.raises(DamagedSource, match="nothing is left of this page"):
        converted(PdfMarkdownProcessor(find_tesseract=lambda: None), pdfs.a_task(book, tmp_path / "work"))
