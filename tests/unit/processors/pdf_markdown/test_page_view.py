"""Pages as they are seen."""

import io
import math
import re
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from tests.unit.processors import pdfs

from blobforge.domain.errors import EngineFailed
from blobforge.processors.pdf_markdown.engines.engine import Box
from blobforge.processors.pdf_markdown.image_files import jpeg_components, own_file
from blobforge.processors.pdf_markdown.page_view import PageView

BOX = (72.0, 300.0, 180.0, 120.0)
REGION = Box(72, pdfs.HEIGHT - 300 - 120, 180, 120)


def image_of(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content))


# Empty or not


@pytest.mark.parametrize(
    ("draw", "blank"),
    [
        (pdfs.nothing, True),
        (lambda canvas: (canvas.setFillGray(1), canvas.rect(50, 50, 300, 300, fill=1, stroke=0)), True),
        (lambda canvas: canvas.line(100, 100, 101, 500), False),
        (pdfs.words("x"), False),
        (pdfs.scan(["a scan"]), False),
    ],
)
def test_a_page_is_blank_when_nothing_is_to_be_seen(tmp_path: Path, draw: pdfs.Draw, blank: bool) -> None:
    with PageView(pdfs.make_pdf(tmp_path / "book.pdf", draw)) as view:
        assert view.is_blank(1) is blank


def test_the_grain_of_paper_is_no_print(tmp_path: Path) -> None:
    paper = Image.frombytes("L", (600, 800), bytes(246 + place * 7 % 10 for place in range(600 * 800)))

    def draw(canvas: Any) -> None:
        canvas.drawInlineImage(paper, 0, 0, pdfs.WIDTH, pdfs.HEIGHT)

    with PageView(pdfs.make_pdf(tmp_path / "book.pdf", draw)) as view:
        assert view.is_blank(1)


def test_a_filled_form_field_is_to_be_seen(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        canvas.acroForm.textfield(value="Ada Lovelace", x=100, y=600, width=300, borderStyle="solid")

    with PageView(pdfs.make_pdf(tmp_path / "book.pdf", draw)) as view:
        assert not view.is_blank(1)


def test_a_scan_covers_its_page_and_a_figure_does_not(tmp_path: Path) -> None:
    figure = pdfs.with_picture("A figure", pdfs.shades(), box=BOX)

    with PageView(pdfs.make_pdf(tmp_path / "book.pdf", pdfs.scan(["text"]), figure)) as view:
        assert view.is_covered(1)
        assert not view.is_covered(2)


# For OCR


@pytest.mark.parametrize(("scanned", "drawn"), [(72, 200), (250, 249), (600, 300)])
def test_a_scan_is_drawn_near_its_own_resolution(tmp_path: Path, scanned: int, drawn: int) -> None:
    with PageView(pdfs.make_pdf(tmp_path / "book.pdf", pdfs.scan(["text"], dpi=scanned))) as view:
        assert abs(view.grey(1).dpi - drawn) <= 1


def test_a_small_image_does_not_set_the_resolution(tmp_path: Path) -> None:
    with PageView(pdfs.make_pdf(tmp_path / "book.pdf", pdfs.with_picture("One", pdfs.shades(), box=BOX))) as view:
        assert view.grey(1).dpi == 200


def test_a_page_without_a_scan_is_drawn_at_200_dpi(tmp_path: Path) -> None:
    with PageView(pdfs.make_pdf(tmp_path / "book.pdf", pdfs.words("x"))) as view:
        grey = view.grey(1)

    image = image_of(grey.content)
    assert grey.dpi == 200
    assert (image.format, image.mode) == ("PPM", "L")
    assert abs(image.width - pdfs.WIDTH * 200 / 72) < 2


def test_rows_are_not_shifted_by_their_padding(tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", lambda canvas: canvas.line(50, 0, 50, 900), size=(97.3, 200))

    with PageView(path) as view:
        image = image_of(view.grey(1).content)

    column = image.crop((140, 0, 141, image.height)).tobytes()
    assert image.width % 4
    assert max(column) < 128


def test_a_poster_is_drawn_smaller_rather_than_out_of_memory(tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.words("x"), size=(14_400, 14_400))

    with PageView(path) as view:
        image = image_of(view.grey(1).content)

    assert image.width * image.height <= 26_000_000


# Pictures


def test_a_jpeg_comes_out_as_it_went_in(tmp_path: Path) -> None:
    jpeg = pdfs.encoded(pdfs.shades(), "JPEG")
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.with_picture("One", jpeg, box=BOX))

    with PageView(path) as view:
        picture = view.picture(1, REGION)

    assert picture == ("jpg", jpeg)


def test_another_image_keeps_its_own_pixels(tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.with_picture("One", pdfs.shades(), box=BOX))

    with PageView(path) as view:
        picture = view.picture(1, REGION)

    assert picture is not None
    assert picture.extension == "png"
    assert image_of(picture.content).convert("RGB").tobytes() == pdfs.shades().tobytes()


def test_an_image_is_the_same_file_wherever_it_stands(tmp_path: Path) -> None:
    path = pdfs.make_pdf(
        tmp_path / "book.pdf",
        pdfs.with_picture("One", pdfs.shades(), box=BOX),
        pdfs.with_picture("Two", pdfs.shades(), box=(80.3, 200.7, 180, 120)),
    )

    with PageView(path) as view:
        one, other = view.picture(1, REGION), view.picture(2, Box(80.3, pdfs.HEIGHT - 320.7, 180, 120))

    assert one == other


def test_an_image_finer_than_print_is_made_smaller(tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.with_picture("One", pdfs.shades(3000, 2000), box=BOX))

    with PageView(path) as view:
        picture = view.picture(1, REGION)

    assert picture is not None
    assert image_of(picture.content).size == (750, 500)


def test_what_is_to_be_drawn_is_drawn_at_150_dpi(tmp_path: Path) -> None:
    jpeg = pdfs.encoded(pdfs.shades(), "JPEG")
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.with_picture("One", jpeg, box=BOX))

    with PageView(path) as view:
        picture = view.picture(1, REGION, as_seen=True)

    assert picture is not None
    assert picture.extension == "png"
    assert abs(image_of(picture.content).width - 180 * 150 / 72) <= 2


def test_a_drawing_on_a_poster_does_not_fill_the_memory(tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.words("x"), size=(5000, 5000))

    with PageView(path) as view:
        picture = view.picture(1, Box(0, 0, 5000, 5000), as_seen=True)

    assert picture is not None
    assert math.prod(image_of(picture.content).size) < 8_100_000


@pytest.mark.parametrize(
    "change",
    [
        {"Decode": pikepdf.Array([1, 0, 1, 0, 1, 0])},
        {"SMask": bytes(0 if place % 90 < 45 else 255 for place in range(90 * 60))},
    ],
)
def test_a_jpeg_that_is_seen_otherwise_than_it_is_stored_is_drawn(tmp_path: Path, change: dict[str, Any]) -> None:
    jpeg = pdfs.encoded(pdfs.shades(), "JPEG")
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.with_picture("One", jpeg, box=BOX))
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        (image,) = pdf.pages[0].Resources.XObject.values()
        for name, value in change.items():
            image[f"/{name}"] = pdf.make_indirect(mask(pdf, value)) if isinstance(value, bytes) else value
        pdf.save(path)

    with PageView(path) as view:
        picture = view.picture(1, REGION)

    assert picture is not None
    assert picture.extension == "png"


def mask(pdf: pikepdf.Pdf, content: bytes) -> pikepdf.Stream:
    return pikepdf.Stream(
        pdf,
        content,
        Type=pikepdf.Name.XObject,
        Subtype=pikepdf.Name.Image,
        Width=90,
        Height=60,
        ColorSpace=pikepdf.Name.DeviceGray,
        BitsPerComponent=8,
    )


def test_a_jpeg_in_print_inks_is_drawn_so_that_viewers_show_it(tmp_path: Path) -> None:
    jpeg = pdfs.encoded(pdfs.shades().convert("CMYK"), "JPEG")
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.with_picture("One", jpeg, box=BOX))

    with PageView(path) as view:
        picture = view.picture(1, REGION)

    assert picture is not None
    assert picture.extension == "png"


def test_a_turned_page_gives_its_picture_upright(tmp_path: Path) -> None:
    jpeg = pdfs.encoded(pdfs.shades(), "JPEG")
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.with_picture("One", jpeg, box=BOX))
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.pages[0].Rotate = 90
        pdf.save(path)

    with PageView(path) as view:
        picture = view.picture(1, Box(300, 72, 120, 180))

    assert picture is not None
    drawn = image_of(picture.content)
    assert picture.extension == "png"
    assert drawn.height > drawn.width


def test_a_page_can_be_seen_turned_otherwise_than_it_is_shown(tmp_path: Path) -> None:
    jpeg = pdfs.encoded(pdfs.shades(), "JPEG")
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.with_picture("One", jpeg, box=BOX))
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.pages[0].Rotate = 90
        pdf.save(path)

    with PageView(path) as view:
        assert view.picture(1, REGION, angle=0) == ("jpg", jpeg)
        assert view.size(1, angle=0) == (pdfs.WIDTH, pdfs.HEIGHT)
        assert view.size(1) == (pdfs.HEIGHT, pdfs.WIDTH)


def test_a_mirrored_jpeg_is_drawn_as_it_is_seen(tmp_path: Path) -> None:
    jpeg = pdfs.encoded(pdfs.shades(), "JPEG")

    def draw(canvas: Any) -> None:
        canvas.translate(400, 0)
        canvas.scale(-1, 1)
        canvas.drawImage(ImageReader(io.BytesIO(jpeg)), 100, 300, 180, 120)

    with PageView(pdfs.make_pdf(tmp_path / "book.pdf", draw)) as view:
        picture = view.picture(1, Box(120, pdfs.HEIGHT - 420, 180, 120))

    assert picture is not None
    assert picture.extension == "png"


def test_a_jpeg_elsewhere_on_the_page_is_not_taken_for_it(tmp_path: Path) -> None:
    jpeg = pdfs.encoded(pdfs.shades(), "JPEG")
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.with_picture("One", jpeg, box=BOX))

    with PageView(path) as view:
        picture = view.picture(1, Box(300, 300, 100, 100))

    assert picture is not None
    assert picture.extension == "png"


def test_a_region_outside_the_page_has_no_picture(tmp_path: Path) -> None:
    with PageView(pdfs.make_pdf(tmp_path / "book.pdf", pdfs.words("x"))) as view:
        assert view.picture(1, Box(-50, 10, 20, 20)) is None


def test_a_region_that_sticks_out_is_cut_at_the_edge(tmp_path: Path) -> None:
    with PageView(pdfs.make_pdf(tmp_path / "book.pdf", pdfs.words("x"))) as view:
        picture = view.picture(1, Box(-72, -72, 144, 144))

    assert picture is not None
    assert abs(image_of(picture.content).width - 150) <= 2


def test_a_whole_page_is_a_jpeg(tmp_path: Path) -> None:
    with PageView(pdfs.make_pdf(tmp_path / "book.pdf", pdfs.scan(["text"]))) as view:
        picture = view.whole_page(1)

    assert picture.extension == "jpg"
    assert image_of(picture.content).format == "JPEG"


def test_the_size_is_that_of_the_page_as_shown(tmp_path: Path) -> None:
    with PageView(pdfs.make_pdf(tmp_path / "book.pdf", pdfs.words("x"), size=(200, 100))) as view:
        assert view.size(1) == (200, 100)


def test_many_pages_can_be_drawn_one_after_the_other(tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", *[pdfs.words("x")] * 40)

    with PageView(path) as view:
        assert not any(view.is_blank(number) for number in range(1, 41))


# What cannot be drawn


def test_a_page_that_is_not_there_cannot_be_drawn(tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.words("x"))
    path.write_bytes(re.sub(rb"/Kids \[ \d 0 R", b"/Kids [ 9 0 R", path.read_bytes()))

    with PageView(path) as view, pytest.raises(EngineFailed, match="page 1 cannot be drawn"):
        view.is_blank(1)


def test_a_file_that_is_no_pdf_cannot_be_drawn(tmp_path: Path) -> None:
    (tmp_path / "book.pdf").write_text("no PDF")

    with pytest.raises(EngineFailed, match="the document cannot be drawn"):
        PageView(tmp_path / "book.pdf")


def test_memory_that_runs_out_while_drawing_is_a_failure_of_that_page(tmp_path: Path) -> None:
    with (
        PageView(pdfs.make_pdf(tmp_path / "book.pdf", pdfs.words("x"))) as view,
        pytest.raises(EngineFailed, match="memory"),
        view._page(1),
    ):
        raise MemoryError


@pytest.mark.parametrize(("mode", "components"), [("L", 1), ("RGB", 3), ("CMYK", 4)])
def test_the_components_of_a_jpeg_are_counted(mode: str, components: int) -> None:
    assert jpeg_components(pdfs.encoded(pdfs.shades().convert(mode), "JPEG")) == components


@pytest.mark.parametrize("content", [b"", b"\xff\xd8", b"\x89PNG and so on and on", b"\xff\xd8\xff\xe0\x00\x08123456"])
def test_what_is_no_jpeg_has_no_components(content: bytes) -> None:
    assert jpeg_components(content) == 0


class JpegStream:
    """As PDFium shows an image that its document calls a JPEG."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def get_filters(self, *, skip_simple: bool) -> list[str]:
        return ["DCTDecode"]

    def get_data(self, *, decode_simple: bool) -> bytes:
        return self._content


def test_what_is_called_a_jpeg_is_tried_by_no_other_decoder() -> None:
    seen, content = Image.new("RGB", (8, 8), "white"), io.BytesIO()
    seen.save(content, "BMP")
    bitmap = bytearray(content.getvalue()[:54] + bytes(256) + content.getvalue()[54:])
    # Read as a JPEG, these are the segment and the number of components that one has; a bitmap ignores them.
    bitmap[2:4], bitmap[10:12] = b"\xff\xc0", (54 + 256).to_bytes(2, "little")
    assert image_of(bytes(bitmap)).convert("RGB").tobytes() == seen.tobytes()
    assert jpeg_components(bytes(bitmap)) == 1

    assert own_file(JpegStream(bytes(bitmap)), seen) is None
