"""Tinted places and dark bars of a scanned page."""

from PIL import Image, ImageDraw

from blobforge.documents.grey_image import GreyImage
from blobforge.processors.pdf_markdown.ocr.tints import tints_of, with_dark_letters

DPI = 100


def grey(image: Image.Image) -> GreyImage:
    return GreyImage(b"P5 %d %d 255\n" % image.size + image.tobytes(), DPI)


def a_sheet() -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("L", (400, 300), 250)
    return image, ImageDraw.Draw(image)


def test_a_tinted_box_is_found_with_the_letters_in_it() -> None:
    image, draw = a_sheet()
    draw.rectangle((60, 61, 299, 202), fill=225)
    for left in range(80, 280, 9):
        draw.rectangle((left, 100, left + 3, 108), fill=0)

    (tint,) = tints_of(grey(image))

    assert (tint.top, tint.bottom, tint.level) == (61, 203, 225)
    assert abs(tint.left - 60) < 6
    assert abs(tint.right - 300) < 6


def test_a_shadow_is_no_tint() -> None:
    image, draw = a_sheet()
    for x in range(100):
        draw.line((x, 0, x, 299), fill=100 + x)

    assert tints_of(grey(image)) == []


def test_white_letters_on_a_dark_bar_become_dark_ones_on_white() -> None:
    image, draw = a_sheet()
    draw.rectangle((48, 60, 347, 83), fill=120)
    for left in range(80, 180, 9):
        draw.rectangle((left, 66, left + 3, 76), fill=255)
    found = grey(image)

    _, _, pixels = with_dark_letters(found, tints_of(found)).content.partition(b"\n")

    assert (pixels[70 * 400 + 81], pixels[70 * 400 + 87], pixels[62 * 400 + 200]) == (0, 255, 255)


def test_dark_letters_on_a_tint_stay_as_they_are() -> None:
    image, draw = a_sheet()
    draw.rectangle((48, 60, 347, 120), fill=180)
    draw.rectangle((80, 66, 90, 76), fill=0)
    found = grey(image)

    assert with_dark_letters(found, tints_of(found)) == found
