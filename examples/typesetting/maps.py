"""The atlas's maps: the isles from above, and a harbour as its pilots know it."""

from collections.abc import Sequence
from math import cos, pi, sin
from random import Random

from examples.typesetting.pictures import Face, typeface
from examples.typesetting.press import typographic
from examples.typesetting.terrain import (
    CHART,
    RELIEF,
    Island,
    Point,
    add_coast,
    add_contours,
    coloured,
    depth_in_metres,
    find_coast,
    heights,
    shade,
)
from PIL import Image, ImageDraw

INK = (44, 52, 60)
SEA_INK = (60, 96, 124)
BROWN = (128, 98, 66)
RED = (168, 52, 40)

ISLES = (
    Island(centre=(400, 400), radius=(205, 165)),
    Island(centre=(850, 270), radius=(135, 95)),
    Island(centre=(890, 670), radius=(175, 110)),
    Island(centre=(215, 735), radius=(70, 60)),
)
# Name, the isle it stands on, the way to its shore, and the side of the mark its name is on.
TOWNS = (
    ("Skerrow", 0, (1.0, 0.55), "r"),
    ("Pell Haven", 0, (-1.0, 0.3), "l"),
    ("Corrow", 0, (0.2, -1.0), "r"),
    ("Ansa's Ferry", 1, (-0.6, 0.8), "l"),
    ("Northlight", 1, (0.8, -0.7), "r"),
    ("Threll", 2, (-1.0, -0.2), "l"),
    ("Osmer Quay", 2, (0.9, 0.5), "r"),
    ("The Calf", 3, (0.4, 1.0), "r"),
)


def isles_map() -> Image.Image:
    size = (1200, 900)
    ground = heights(size, ISLES, dice=Random(5))
    picture = shade(coloured(ground, RELIEF), ground)
    add_contours(picture, ground, every=11, ink=BROWN)
    add_coast(picture, ground, ink=INK)
    draw = ImageDraw.Draw(picture)
    _draw_graticule(draw, size)
    _draw_towns(draw, ground)
    for name, place in (("WESTER ISLE", (395, 395)), ("Norrey", (852, 275)), ("SUNDER", (895, 668))):
        _draw_name(draw, place, name, face=Face.BOLD, size=26)
    for name, place in (("The Sunder Sound", (640, 560)), ("Northern Deeps", (560, 120)), ("Bay of Lamps", (520, 790))):
        draw.text(place, name, font=typeface(Face.ITALIC, 25), fill=SEA_INK, anchor="mm")
    _draw_compass(draw, (1090, 470))
    _draw_scale_bar(draw, (60, 60), kilometres=20)
    _draw_border(draw, size)
    return picture


def harbour_chart() -> Image.Image:
    size = (1100, 780)
    shores = (Island(centre=(70, 420), radius=(240, 420)), Island(centre=(620, 60), radius=(420, 130)))
    ground = heights(size, shores, dice=Random(23))
    picture = coloured(ground, CHART)
    add_coast(picture, ground, ink=INK)
    draw = ImageDraw.Draw(picture)
    _draw_soundings(draw, ground, dice=Random(7))
    _draw_leading_line(draw, start=(360, 330), end=(1010, 690))
    for name, place in (("PELL HAVEN", (150, 420)), ("St Orla's Head", (560, 90))):
        draw.text(place, typographic(name), font=typeface(Face.BOLD, 24), fill=INK, anchor="mm")
    _draw_compass(draw, (940, 118))
    _draw_border(draw, size)
    return picture


def _draw_towns(draw: ImageDraw.ImageDraw, ground: Image.Image) -> None:
    for name, isle, towards, side in TOWNS:
        x, y = find_coast(ground, start=ISLES[isle].centre, towards=towards)
        draw.ellipse((x - 6, y - 6, x + 6, y + 6), fill=(255, 255, 255), outline=INK, width=3)
        shift = 12 if side == "r" else -12
        _draw_name(draw, (x + shift, y), name, face=Face.ROMAN, size=23, anchor=f"{'l' if side == 'r' else 'r'}m")


def _draw_name(
    draw: ImageDraw.ImageDraw, place: Point, name: str, *, face: Face, size: int, anchor: str = "mm"
) -> None:
    draw.text(
        place,
        typographic(name),
        font=typeface(face, size),
        fill=INK,
        anchor=anchor,
        stroke_width=2,
        stroke_fill=(246, 243, 230),
    )


def _draw_graticule(draw: ImageDraw.ImageDraw, size: tuple[int, int]) -> None:
    font = typeface(Face.SANS, 15)
    for number, x in enumerate(range(200, size[0], 200)):
        draw.line((x, 0, x, size[1]), fill=(140, 172, 190))
        draw.text((x + 4, size[1] - 36), f"{8 - number}°W", font=font, fill=SEA_INK)
    for number, y in enumerate(range(180, size[1], 180)):
        draw.line((0, y, size[0], y), fill=(140, 172, 190))
        draw.text((20, y - 19), f"{61 - number}°N", font=font, fill=SEA_INK)


def _draw_compass(draw: ImageDraw.ImageDraw, centre: Point) -> None:
    x, y = centre
    for point in range(8):
        angle = point * pi / 4
        reach = 62 if point % 2 == 0 else 36
        tip = (x + reach * sin(angle), y - reach * cos(angle))
        for side, fill in ((-1, INK), (1, (240, 238, 228))):
            flank = angle + side * pi / 8
            corner = (x + 15 * sin(flank), y - 15 * cos(flank))
            draw.polygon((tip, corner, (x, y)), fill=fill, outline=INK)
    draw.text((x, y - 80), "N", font=typeface(Face.BOLD, 28), fill=INK, anchor="mm")


def _draw_scale_bar(draw: ImageDraw.ImageDraw, corner: Point, *, kilometres: int) -> None:
    x, y = corner
    for part in range(4):
        fill = INK if part % 2 == 0 else (255, 255, 255)
        draw.rectangle((x + part * 60, y, x + (part + 1) * 60, y + 9), fill=fill, outline=INK)
    font = typeface(Face.SANS, 17)
    draw.text((x, y - 14), "0", font=font, fill=INK, anchor="mm")
    draw.text((x + 240, y - 14), f"{kilometres} km", font=font, fill=INK, anchor="mm")


def _draw_border(draw: ImageDraw.ImageDraw, size: tuple[int, int]) -> None:
    draw.rectangle((0, 0, size[0] - 1, size[1] - 1), outline=INK, width=4)
    draw.rectangle((9, 9, size[0] - 10, size[1] - 10), outline=INK, width=1)


def _draw_soundings(draw: ImageDraw.ImageDraw, ground: Image.Image, *, dice: Random) -> None:
    """Depths in metres, scattered as a boat with a lead line leaves them."""
    font = typeface(Face.ITALIC, 19)
    for across in range(14):
        for down in range(10):
            place = (60 + across * 76 + dice.randint(-18, 18), 60 + down * 74 + dice.randint(-16, 16))
            depth = depth_in_metres(ground, place)
            if depth > 0.8:
                draw.text(place, f"{depth:.0f}", font=font, fill=SEA_INK, anchor="mm")


def _draw_leading_line(draw: ImageDraw.ImageDraw, *, start: Point, end: Point) -> None:
    steps = 34
    for step in range(0, steps, 2):
        dash = [_between(start, end, (step + part) / steps) for part in (0, 1)]
        draw.line((*dash[0], *dash[1]), fill=RED, width=3)
    for along, shift, anchor, label in ((0.0, 18, "lm", "front light"), (-0.16, -18, "rm", "rear light")):
        x, y = _between(start, end, along)
        draw.polygon(_star((x, y)), fill=RED)
        draw.text((x + shift, y - 12), label, font=typeface(Face.ROMAN, 20), fill=RED, anchor=anchor)


def _between(start: Point, end: Point, share: float) -> Point:
    return (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share)


def _star(centre: Point) -> Sequence[Point]:
    reach = (13, 5)
    return [
        (centre[0] + reach[tip % 2] * sin(tip * pi / 5), centre[1] - reach[tip % 2] * cos(tip * pi / 5))
        for tip in range(10)
    ]
