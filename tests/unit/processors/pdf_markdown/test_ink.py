"""The ink on a scanned page."""

import io

import pytest
from PIL import Image, ImageDraw

from blobforge.processors.pdf_markdown.ocr.ink import Ink
from blobforge.processors.pdf_markdown.page_view import GreyImage

DPI = 100


def a_sheet(*, width: int = 400, height: int = 200) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("L", (width, height), 255)
    return image, ImageDraw.Draw(image)


def ink_of(image: Image.Image) -> Ink:
    content = io.BytesIO()
    image.save(content, "PPM")
    magic, size, depth, pixels = content.getvalue().split(b"\n", 3)
    return Ink(GreyImage(b" ".join((magic, size, depth)) + b"\n" + pixels, DPI))


def test_the_density_of_a_place_is_its_dark_share() -> None:
    image, draw = a_sheet()
    draw.rectangle((10, 10, 29, 19), fill=0)

    ink = ink_of(image)

    assert ink.density(10, 10, 30, 20) == 1.0
    assert ink.density(10, 10, 50, 20) == pytest.approx(0.5)
    assert ink.density(-50, -50, 5, 5) == 0.0
    assert ink.density(500, 0, 600, 10) == 0.0


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
