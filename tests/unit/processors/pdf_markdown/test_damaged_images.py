"""A scan whose image is damaged is doubtful, or a gap where nothing of it is left: OCR reads what it gets."""

import io
import zlib
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name
from PIL import Image, ImageCms
from tests.unit.processors import damaged_pdfs as damaged
from tests.unit.processors import pdfs

from blobforge.domain.errors import DamagedSource
from blobforge.processors.pdf_markdown.content_check import ContentCheck
from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor
from blobforge.testing.processor_contract import account_of, converted

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


@pytest.mark.parametrize(("codec", "size"), [("/DCTDecode", 2_000), ("/FlateDecode", 2_000), ("/CCITTFaxDecode", 64)])
def test_a_hole_in_an_image_is_a_damage(tmp_path: Path, codec: str, size: int) -> None:
    packed = _packed(codec)
    middle = len(packed) // 2

    holed = packed[:middle] + bytes(size) + packed[middle + size :]

    assert not _is_whole(_page(tmp_path / "book.pdf", holed, codec))


def test_pixels_that_are_too_few_are_a_damage(tmp_path: Path) -> None:
    pixels = zlib.compress(SCAN.tobytes()[: -SCAN.width])

    assert not _is_whole(_page(tmp_path / "book.pdf", pixels, "/FlateDecode"))


def test_a_fax_need_not_say_where_it_ends_if_the_document_says_so(tmp_path: Path) -> None:
    without_end = _fax()[:-3]
    fax: dict[str, Any] = {"size": SCAN.size, "bits": 1, "K": -1, "Columns": SCAN.width}

    assert not _is_whole(damaged.with_image(tmp_path / "cut.pdf", without_end, "/CCITTFaxDecode", **fax))
    assert _is_whole(damaged.with_image(tmp_path / "book.pdf", without_end, "/CCITTFaxDecode", **fax, EndOfBlock=False))


@pytest.mark.parametrize("place", [0.1, 0.2, 0.5])
def test_a_fax_whose_lines_make_no_sense_is_a_damage(tmp_path: Path, place: float) -> None:
    """Its decoder goes on behind ten bytes that are wrong, and paints the rest of the page black."""
    packed = bytearray(_fax())
    start = int(place * len(packed))
    packed[start : start + 10] = bytes(byte ^ 0xA5 for byte in packed[start : start + 10])

    assert not _is_whole(_page(tmp_path / "book.pdf", bytes(packed), "/CCITTFaxDecode"))


def test_settings_of_a_filter_that_are_none_are_a_damage(tmp_path: Path) -> None:
    """PDFium may show a blank page then."""
    book = _page(tmp_path / "book.pdf", _fax(), "/CCITTFaxDecode")
    with pikepdf.open(book, allow_overwriting_input=True) as pdf:
        image = pdf.pages[0].obj.Resources.XObject["/Scan"]
        image.DecodeParms = Array([pikepdf.String("K"), image.DecodeParms])
        pdf.save(book)

    assert not _is_whole(book)


def _profile(
    pdf: pikepdf.Pdf, *, components: int = 3, size: int | None = None, kind: pikepdf.Name = Name.ICCBased
) -> Array:
    content = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    stream = pdf.make_stream(damaged.flate(content)[:size])
    stream.Filter, stream.N = Name.FlateDecode, components
    return Array([kind, stream])


def _palette(pdf: pikepdf.Pdf, *, size: int = 768, base: Any = Name.DeviceRGB) -> Array:
    return Array([Name.Indexed, base, 255, pdf.make_stream(bytes(range(256)) * 3).read_bytes()[:size]])


def _tint(pdf: pikepdf.Pdf, function: Any) -> Array:
    return Array([Name.Separation, Name.Spot, Name.DeviceCMYK, function(pdf)])


def _of_values(_: pikepdf.Pdf) -> Dictionary:
    return Dictionary(FunctionType=2, Domain=[0, 1], C0=[0, 0, 0, 0], C1=[1, 0, 0, 0], N=1)


SOUND_COLOURS: dict[str, damaged.Colours] = {
    "profile": _profile,
    "profile of more colours than it is used for": lambda pdf: _profile(pdf, components=1),
    "measured": lambda _: Array([Name.CalRGB, Dictionary(WhitePoint=[1, 1, 1])]),
    "palette": _palette,
    "palette of a profile": lambda pdf: _palette(pdf, base=_profile(pdf)),
    "palette in a stream": lambda pdf: Array([Name.Indexed, Name.DeviceGray, 9, pdf.make_stream(bytes(10))]),
    "a tint": lambda pdf: _tint(pdf, _of_values),
    "two tints": lambda pdf: Array([Name.DeviceN, Array([Name.Spot, Name.Gloss]), Name.DeviceCMYK, _of_values(pdf)]),
}
LOST_COLOURS: dict[str, damaged.Colours] = {
    "a dictionary": lambda _: Dictionary(),
    "a name that nobody knows": lambda _: Name.DevhceGray,
    "gone": damaged.to_be_lost,
    "an empty list": lambda _: Array([]),
    "half a list": lambda _: Array([Name.ICCBased]),
    "a profile that is gone": lambda pdf: Array([Name.ICCBased, damaged.to_be_lost(pdf)]),
    "a profile that was cut": lambda pdf: _profile(pdf, size=300),
    "a profile by another name": lambda pdf: _profile(pdf, kind=Name.ICBBased),
    "a profile of seven colours": lambda pdf: _profile(pdf, components=7),
    "measured by nothing": lambda _: Array([Name.CalRGB, 7]),
    "a palette that is too short": lambda pdf: _palette(pdf, size=100),
    "a palette of nothing": lambda pdf: _palette(pdf, base=Name.Nothing),
    "a tint without its function": lambda pdf: _tint(pdf, damaged.to_be_lost),
}


def _coloured(path: Path, colours: damaged.Colours) -> Path:
    picture = SCAN.convert("RGB")
    packed = damaged.flate(picture.tobytes() + picture.tobytes())
    return damaged.with_colours(path, packed, "/FlateDecode", size=SCAN.size, colours=colours)


@pytest.mark.parametrize("colours", SOUND_COLOURS)
def test_an_image_may_have_its_colours_in_many_ways(tmp_path: Path, colours: str) -> None:
    assert _is_whole(_coloured(tmp_path / "book.pdf", SOUND_COLOURS[colours]))


@pytest.mark.parametrize("colours", LOST_COLOURS)
def test_an_image_whose_colours_are_lost_is_a_damage(tmp_path: Path, colours: str) -> None:
    assert not _is_whole(_coloured(tmp_path / "book.pdf", LOST_COLOURS[colours]))


def test_pixels_of_several_colours_need_more_bytes(tmp_path: Path) -> None:
    grey = damaged.flate(SCAN.tobytes())

    book = damaged.with_colours(
        tmp_path / "book.pdf", grey, "/FlateDecode", size=SCAN.size, colours=lambda _: Name.DeviceRGB
    )

    assert not _is_whole(book)


def _inline(path: Path, packed: bytes, *, more: str = "") -> Path:
    width, height = SCAN.size
    head = f"q 595 0 0 842 0 0 cm BI /W {width} /H {height} /CS /G /BPC 8 /F {more or '/Fl'} ID ".encode()
    return damaged.written(path, (head + packed + b"\nEI Q BT (it is a BIG ID ) Tj ET", []))


@pytest.mark.parametrize("filters", ["/Fl", "/FlateDecode", "[/Fl]"])
def test_a_picture_within_the_content_is_followed_to_its_end(tmp_path: Path, filters: str) -> None:
    packed = damaged.flate(SCAN.tobytes())

    assert _is_whole(_inline(tmp_path / "good.pdf", packed, more=filters))
    assert not _is_whole(_inline(tmp_path / "cut.pdf", damaged.cut_in_half(packed), more=filters))
    assert not _is_whole(_inline(tmp_path / "short.pdf", damaged.flate(SCAN.tobytes()[:-999]), more=filters))


def test_a_picture_whose_end_nothing_tells_casts_no_doubt(tmp_path: Path) -> None:
    assert _is_whole(_inline(tmp_path / "book.pdf", b"\x80 1 2 3", more="/RL"))


@pytest.mark.parametrize("is_drawn", [True, False])
def test_a_blank_page_that_hides_its_image_is_doubtful(
    tmp_path: Path, is_drawn: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = Image.new("L", (100, 140), 255)
    colours: damaged.Colours = (lambda _: Name.DeviceGray) if is_drawn else LOST_COLOURS["a dictionary"]
    packed = damaged.flate(paper.tobytes())
    book = damaged.with_colours(tmp_path / "book.pdf", packed, "/FlateDecode", size=paper.size, colours=colours)
    monkeypatch.setattr(ContentCheck, "is_damaged", lambda *_: False)

    product = converted(PdfMarkdownProcessor(find_ocr=lambda: None), pdfs.a_task(book, tmp_path / "work"))

    page = account_of(product)[1]
    assert page["outcome"] == "empty"
    assert page.get("warnings", []) == ([] if is_drawn else ["damaged_content"])


@pytest.mark.parametrize("name", ["header", "object"])
def test_a_page_whose_only_image_cannot_be_drawn_is_no_empty_page(tmp_path: Path, name: str) -> None:
    packed = _packed("/DCTDecode")
    if name == "header":
        packed = bytes(200) + packed[200:]
    book = _page(tmp_path / "book.pdf", packed, "/DCTDecode")
    if name == "object":
        damaged.without(book, "/Scan")

    with pytest.raises(DamagedSource, match="nothing is left of this page"):
        converted(PdfMarkdownProcessor(find_ocr=lambda: None), pdfs.a_task(book, tmp_path / "work"))
