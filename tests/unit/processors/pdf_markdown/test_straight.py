"""Sheets that lay askew on the glass."""

import pytest
from PIL import Image, ImageDraw

from blobforge.processors.pdf_markdown.ocr.straight import askew_by, laid_straight


def a_sheet_of_lines() -> Image.Image:
    image = Image.new("L", (850, 1100), 255)
    draw = ImageDraw.Draw(image)
    for top in range(120, 980, 24):
        for left in range(100, 740, 9):
            draw.rectangle((left, top, left + 5, top + 9), fill=0)
    return image


@pytest.mark.parametrize("angle", [-3.0, -0.6, 0.0, 2.2])
def test_the_angle_that_lays_it_straight_is_found(angle: float) -> None:
    turned = a_sheet_of_lines().rotate(-angle, fillcolor=255)

    assert askew_by(turned) == pytest.approx(angle, abs=0.11)


def test_a_sheet_without_lines_of_print_is_left_alone() -> None:
    image = Image.new("L", (850, 1100), 255)
    ImageDraw.Draw(image).line((300, 0, 320, 1100), fill=0, width=3)

    assert askew_by(image) == 0.0


def rows_that_are_light(image: Image.Image) -> int:
    return image.resize((1, image.height), resample=Image.Resampling.BOX).tobytes().count(255)


def test_two_pages_side_by_side_are_laid_straight_each_by_itself() -> None:
    spread = Image.new("L", (1700, 1100), 255)
    for left, angle in ((0, 1.5), (850, -1.0)):
        spread.paste(a_sheet_of_lines().rotate(angle, fillcolor=255), (left, 0))

    straight = laid_straight(spread.copy())

    for left in (0, 850):
        page = (left, 0, left + 850, 1100)
        assert rows_that_are_light(straight.crop(page)) > rows_that_are_light(spread.crop(page)) + 100


def test_a_wide_page_with_lines_across_is_one() -> None:
    image = Image.new("L", (1400, 1000), 255)
    draw = ImageDraw.Draw(image)
    for top in range(120, 900, 24):
        for left in range(100, 1300, 9):
            draw.rectangle((left, top, left + 5, top + 9), fill=0)

    straight = laid_straight(image.rotate(1.0, fillcolor=255))

    assert rows_that_are_light(straight.crop((100, 100, 1300, 900))) > 200
