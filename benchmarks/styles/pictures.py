"""Pictures without words: hills under a moon, drawn from a seed."""

from random import Random

from examples.typesetting.pictures import as_jpeg
from PIL import Image as Picture
from PIL import ImageDraw, ImageFilter
from reportlab.platypus import Image

Colour = tuple[int, int, int]


def hills(seed: int, *, width: float, shape: float, sky: Colour, ground: Colour) -> Image:
    """`shape` is the height over the width."""
    picture = _draw_hills((480, round(480 * shape)), Random(seed), sky, ground)
    return Image(as_jpeg(picture, quality=72, dpi=150), width=width, height=width * shape)


def _draw_hills(size: tuple[int, int], dice: Random, sky: Colour, ground: Colour) -> Picture.Image:
    wide, high = size
    picture = Picture.new("RGB", size, sky)
    draw = ImageDraw.Draw(picture)
    moon_x, moon_y, moon = dice.randint(60, wide - 90), dice.randint(20, high // 4), high // 9
    draw.ellipse((moon_x, moon_y, moon_x + moon, moon_y + moon), fill=(250, 244, 220))
    for layer in range(4):
        share = (layer + 1) / 4
        colour = _mixed(sky, ground, share)
        draw.polygon(_ridge(size, dice, base=0.45 + 0.13 * layer), fill=colour)
    return picture.filter(ImageFilter.GaussianBlur(0.8))


def _ridge(size: tuple[int, int], dice: Random, *, base: float) -> list[tuple[int, int]]:
    wide, high = size
    steps = 12
    crest = [(wide * n // steps, round(high * (base + dice.uniform(-0.09, 0.09)))) for n in range(steps + 1)]
    return [(0, high), *crest, (wide, high)]


def _mixed(first: Colour, second: Colour, share: float) -> Colour:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue
