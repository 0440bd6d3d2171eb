"""The atlas's other pictures: a lighthouse, a section through the rock, a town plan and the winter sky."""

from collections.abc import Sequence
from math import cos, pi, sin, sqrt
from random import Random

from examples.typesetting.pictures import Face, typeface
from examples.typesetting.terrain import Point
from PIL import Image, ImageDraw

INK = (44, 52, 60)
PAPER = (250, 247, 238)
STONE = (214, 205, 188)
ROOFS = ((178, 96, 72), (190, 112, 84), (162, 88, 70), (172, 120, 92))
WATER = (188, 214, 226)
NIGHT = (22, 34, 66)
MOON = (238, 236, 222)
BEDS = ("Cap stone", "Grey slate", "Sunder grit", "Lower slate", "Old red rock")
BED_COLOURS = ((232, 216, 160), (150, 160, 172), (206, 176, 126), (118, 130, 146), (164, 96, 78))
CONSTELLATIONS = {
    "The Lamp": ((0.18, -0.52), (0.28, -0.40), (0.20, -0.26), (0.06, -0.38), (0.18, -0.52)),
    "The Ferryman": ((-0.62, -0.10), (-0.48, -0.18), (-0.36, -0.06), (-0.24, -0.14), (-0.30, 0.10)),
    "The Weir": ((0.30, 0.16), (0.44, 0.22), (0.56, 0.16), (0.68, 0.24)),
    "The Two Herons": ((-0.30, 0.48), (-0.18, 0.58), (-0.06, 0.46), (0.08, 0.60), (0.20, 0.52)),
    "The Rope": ((-0.36, -0.62), (-0.26, -0.70), (-0.12, -0.66), (-0.04, -0.76)),
}


def lighthouse() -> Image.Image:
    """An elevation in ink and wash, with its heights written beside it."""
    picture = Image.new("RGB", (560, 900), PAPER)
    draw = ImageDraw.Draw(picture)
    draw.polygon(_rock(Random(4)), fill=(150, 148, 140), outline=INK)
    draw.polygon(((190, 760), (370, 760), (330, 260), (230, 260)), fill=STONE, outline=INK)
    for course in range(18):
        y = 290 + course * 26
        inset = (760 - y) * 0.08
        draw.line((190 + inset, y, 370 - inset, y), fill=(168, 160, 146))
    for y in (340, 470, 600):
        draw.rectangle((270, y, 290, y + 34), fill=INK)
    draw.rectangle((262, 700, 298, 760), fill=(110, 72, 52), outline=INK)
    _draw_lantern_room(draw)
    _draw_heights(draw)
    return picture


def rock_section() -> Image.Image:
    """The beds of rock under Wester Isle, bent and then worn flat."""
    size = (1200, 430)
    picture = Image.new("RGB", size, (232, 240, 244))
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 214, *size), fill=WATER)
    surface = [(x, _ground_line(x)) for x in range(size[0])]
    for bed, colour in enumerate(BED_COLOURS):
        top = [(x, max(y, _bed_line(x, bed))) for x, y in surface] if bed else surface
        draw.polygon((*top, (size[0], size[1]), (0, size[1])), fill=colour)
        draw.line(top, fill=(90, 84, 76), width=2)
    draw.line(surface, fill=INK, width=4)
    for bed, (x, y) in enumerate(((590, 160), (640, 238), (600, 312), (640, 392), (120, 372))):
        draw.text((x, y), BEDS[bed], font=typeface(Face.BOLD, 24), fill=INK, anchor="mm")
    for x, name in ((30, "West"), (1170, "East")):
        draw.text((x, 30), name, font=typeface(Face.ITALIC, 26), fill=INK, anchor="lm" if x < 600 else "rm")
    draw.rectangle((0, 0, size[0] - 1, size[1] - 1), outline=INK, width=3)
    return picture


def town_plan() -> Image.Image:
    """Skerrow: rings of houses around a round harbour, with the quay on the inside."""
    size = (900, 640)
    picture = Image.new("RGB", size, (228, 226, 206))
    draw = ImageDraw.Draw(picture)
    centre = (450, 660)
    draw.pieslice(_square(centre, 205), 180, 360, fill=STONE, outline=INK, width=2)
    draw.pieslice(_square(centre, 180), 180, 360, fill=WATER, outline=INK, width=3)
    dice = Random(1868)
    for ring in range(6):
        _draw_ring(draw, centre, inner=222 + ring * 78, dice=dice)
    for number in range(3):
        x = 340 + number * 95
        draw.line((x, 630, x, 560), fill=(120, 88, 60), width=8)
    draw.text((450, 530), "The Basin", font=typeface(Face.ITALIC, 28), fill=(60, 96, 124), anchor="mm")
    draw.rectangle((0, 0, size[0] - 1, size[1] - 1), outline=INK, width=3)
    return picture


def winter_sky() -> Image.Image:
    """A round chart of the stars, with the figures that the island pilots steer by."""
    picture = Image.new("RGB", (860, 860), (255, 255, 255))
    draw = ImageDraw.Draw(picture)
    centre, reach = (430, 430), 410
    draw.ellipse(_square(centre, reach), fill=NIGHT, outline=INK, width=5)
    for share in (0.33, 0.66):
        draw.ellipse(_square(centre, reach * share), outline=(62, 80, 124))
    for spoke in range(12):
        angle = spoke * pi / 6
        draw.line((*centre, 430 + reach * cos(angle), 430 + reach * sin(angle)), fill=(48, 64, 104))
    _draw_stars(draw, reach=reach, dice=Random(77))
    for name, figure in CONSTELLATIONS.items():
        points = [(430 + x * reach, 430 + y * reach) for x, y in figure]
        draw.line(points, fill=(150, 170, 214), width=2)
        for x, y in points:
            draw.ellipse(_square((x, y), 5), fill=MOON)
        lowest = max(points, key=lambda point: point[1])
        draw.text((lowest[0], lowest[1] + 20), name, font=typeface(Face.ITALIC, 25), fill=MOON, anchor="mm")
    return picture


def _rock(dice: Random) -> Sequence[Point]:
    ridge = [(x, 738 + dice.randint(-8, 12) + max(abs(x - 280) - 90, 0) * 0.35) for x in range(20, 550, 28)]
    return [*ridge, (560, 900), (0, 900)]


def _draw_lantern_room(draw: ImageDraw.ImageDraw) -> None:
    draw.rectangle((216, 246, 344, 262), fill=(90, 94, 100), outline=INK)
    draw.rectangle((242, 170, 318, 246), fill=(250, 226, 150), outline=INK, width=3)
    for x in (261, 280, 299):
        draw.line((x, 170, x, 246), fill=INK, width=2)
    draw.pieslice((236, 120, 324, 220), 180, 360, fill=(120, 52, 44), outline=INK)
    draw.line((280, 120, 280, 80), fill=INK, width=4)
    for side in (-1, 1):
        for spread in (-26, 0, 26):
            draw.line((280 + side * 60, 206, 280 + side * 128, 206 + spread / 2), fill=(226, 196, 112), width=3)


def _draw_heights(draw: ImageDraw.ImageDraw) -> None:
    for y, label in ((206, "31 m"), (470, "17 m"), (760, "0 m")):
        draw.line((420, y, 452, y), fill=INK, width=2)
        draw.text((462, y), label, font=typeface(Face.SANS, 24), fill=INK, anchor="lm")
    draw.line((436, 206, 436, 760), fill=INK, width=2)


def _ground_line(x: float) -> float:
    hump = 150 * sin(pi * x / 1200) ** 2
    return 262 - hump - 14 * sin(x / 46) - 7 * sin(x / 17 + 1)


def _bed_line(x: float, bed: int) -> float:
    return 62 + bed * 78 + 62 * cos((x - 600) / 190) + 10 * sin(x / 70 + bed)


def _draw_ring(draw: ImageDraw.ImageDraw, centre: Point, *, inner: float, dice: Random) -> None:
    """One ring of houses; every sixth plot is left open as a lane."""
    plots = int(inner / 9)
    for plot in range(plots):
        if plot % 6 == 5:
            continue
        start, end = (pi + pi * (plot + edge) / plots for edge in (0.06, 0.94))
        depth = dice.randint(30, 54)
        roof = dice.choice(ROOFS)
        corners = [_polar(centre, inner, start), _polar(centre, inner, end)]
        corners += [_polar(centre, inner + depth, end), _polar(centre, inner + depth, start)]
        draw.polygon(corners, fill=roof, outline=(110, 64, 50))


def _draw_stars(draw: ImageDraw.ImageDraw, *, reach: float, dice: Random) -> None:
    for _ in range(420):
        angle, distance = dice.uniform(0, 2 * pi), reach * 0.97 * sqrt(dice.random())
        size = dice.choice((1, 1, 1, 1.5, 1.5, 2.5))
        place = (430 + distance * cos(angle), 430 + distance * sin(angle))
        draw.ellipse(_square(place, size), fill=(206, 212, 232))


def _polar(centre: Point, distance: float, angle: float) -> Point:
    return (centre[0] + distance * cos(angle), centre[1] + distance * sin(angle))


def _square(centre: Point, half: float) -> tuple[float, float, float, float]:
    return (centre[0] - half, centre[1] - half, centre[0] + half, centre[1] + half)
