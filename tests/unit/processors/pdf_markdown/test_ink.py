"""The ink on a scanned page."""

import io

import pytest
from PIL import Image, ImageDraw

from blobforge.documents.grey_image import GreyImage
from blobforge.processors.pdf_markdown.ocr.ink import Ink

DPI = 100


def a_sheet(*, width: int = 400, height: int = 200) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("L", (width, height), 255)
    return image, ImageDraw.Draw(image)


def ink_of(image: Image.Image) -> Ink:
    content = io.BytesIO()
    image.save(content, "PPM")
    magic, size, depth, pixels = content.getvalue().split(b"\n", 3)
    return Ink(GreyImage(b" ".join((magic, size, depth)) + b"\n" + pixels, DPI))


def ink_image(image: GreyImage) -> Image.Image:
    return Image.open(io.BytesIO(image.content))


def test_the_stem_of_a_word_is_the_width_of_its_upright_strokes() -> None:
    image, draw = a_sheet()
    for left in range(10, 60, 10):
        draw.rectangle((left, 10, left + 2, 29), fill=0)
    draw.rectangle((10, 20, 52, 21), fill=0)

    ink = ink_of(image)

    assert ink.stem(10, 10, 60, 30) == 3.0
    assert ink.stem(-50, -50, 5, 5) == 0.0
    assert ink.stem(500, 0, 600, 10) == 0.0


def test_a_word_reaches_as_far_as_its_ink_and_not_into_the_line_above() -> None:
    image, draw = a_sheet()
    draw.rectangle((10, 10, 59, 13), fill=0)
    draw.rectangle((10, 25, 59, 44), fill=0)

    assert ink_of(image).extent(10, 12, 60, 60) == (25, 45)


def test_rules_are_painted_over_and_letters_are_not() -> None:
    image, draw = a_sheet()
    draw.rectangle((20, 50, 300, 51), fill=0)
    draw.rectangle((320, 10, 321, 180), fill=0)
    draw.rectangle((40, 80, 48, 99), fill=0)

    clean = ink_of(ink_image(ink_of(image).without_rules()))

    assert clean.rules_across() == clean.rules_down() == []
    assert clean.extent(30, 70, 60, 120) == (80, 100)


def test_strokes_of_letters_that_run_into_each_other_are_no_rule() -> None:
    image, draw = a_sheet()
    draw.rectangle((20, 50, 120, 52), fill=0)
    for left in range(20, 120, 4):
        draw.rectangle((left, 44, left + 2, 58), fill=0)

    assert ink_of(image).rules_across() == []


@pytest.mark.parametrize("shade", [0, 190])
def test_a_rule_is_found_once_also_in_grey_and_two_pixels_thick(shade: int) -> None:
    image, draw = a_sheet()
    draw.rectangle((20, 50, 300, 51), fill=shade)

    (rule,) = ink_of(image).rules_across()

    assert (rule.left, rule.right, rule.y) == (20, 301, 50)


def test_a_rule_on_a_sheet_that_lay_askew_is_one() -> None:
    image, draw = a_sheet()
    draw.line((20, 50, 380, 54), fill=0, width=2)

    (rule,) = ink_of(image).rules_across()

    assert rule.left <= 22
    assert rule.right >= 378


def test_rules_that_run_down_are_told_from_the_left() -> None:
    image, draw = a_sheet()
    draw.rectangle((120, 10, 121, 180), fill=0)

    (rule,) = ink_of(image).rules_down()

    assert (rule.left, rule.right, rule.y) == (10, 181, 120)


def test_short_strokes_and_dark_places_are_no_rules() -> None:
    image, draw = a_sheet()
    draw.rectangle((20, 50, 40, 51), fill=0)
    draw.rectangle((100, 60, 300, 120), fill=0)

    assert ink_of(image).rules_across() == []


def test_two_rules_in_a_row_of_the_page_are_two() -> None:
    image, draw = a_sheet()
    draw.rectangle((20, 50, 120, 51), fill=0)
    draw.rectangle((220, 50, 380, 51), fill=0)

    assert [(rule.left, rule.right) for rule in ink_of(image).rules_across()] == [(20, 121), (220, 381)]
