"""Land and sea out of a seed: heights as greys, and the colours a map gives to them."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from PIL import Image, ImageChops, ImageDraw, ImageFilter

SEA_LEVEL = 96
Point = tuple[float, float]
Colour = tuple[int, int, int]

# The lowest height of each band and its colour.
RELIEF: Sequence[tuple[int, Colour]] = (
    (0, (158, 196, 214)),
    (40, (173, 207, 221)),
    (66, (188, 218, 228)),
    (84, (205, 229, 235)),
    (SEA_LEVEL, (190, 207, 160)),
    (112, (207, 216, 168)),
    (130, (226, 221, 172)),
    (150, (223, 203, 150)),
    (172, (206, 176, 128)),
    (196, (186, 152, 112)),
    (220, (232, 226, 218)),
)
# A chart for sailors: the land is one flat buff, the shallows are blue and deep water is left white.
CHART: Sequence[tuple[int, Colour]] = (
    (0, (250, 252, 252)),
    (50, (226, 240, 246)),
    (72, (196, 224, 238)),
    (86, (170, 208, 228)),
    (SEA_LEVEL, (240, 225, 178)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Island:
    centre: Point
    radius: Point


def heights(size: tuple[int, int], islands: Sequence[Island], *, dice: Random) -> Image.Image:
    """Greys from deep water (0) to summits (255): noise under a dome for every island."""
    domes = Image.new("L", size, 24)
    draw = ImageDraw.Draw(domes)
    for island in islands:
        (x, y), (wide, high) = island.centre, island.radius
        draw.ellipse((x - wide, y - high, x + wide, y + high), fill=190)
    domes = domes.filter(ImageFilter.GaussianBlur(size[0] / 22))
    land = ImageChops.add(domes, _noise(size, dice=dice), scale=1.0, offset=-118)
    return land.filter(ImageFilter.GaussianBlur(2))


def coloured(ground: Image.Image, bands: Sequence[tuple[int, Colour]]) -> Image.Image:
    colours = [max(band for band in bands if band[0] <= height)[1] for height in range(256)]
    picture = ground.copy()
    picture.putpalette([part for colour in colours for part in colour])
    return picture.convert("RGB")


def shade(picture: Image.Image, ground: Image.Image) -> Image.Image:
    """Lights the land from the north-west."""
    kernel = ImageFilter.Kernel((3, 3), (2, 1, 0, 1, 0, -1, 0, -1, -2), scale=0.7, offset=128)
    light = ground.filter(ImageFilter.GaussianBlur(3)).filter(kernel).filter(ImageFilter.GaussianBlur(2))
    on_land = ground.point(lambda height: 255 if height >= SEA_LEVEL else 0)
    flat = Image.new("L", ground.size, 128)
    flat.paste(light, mask=on_land)
    return ImageChops.overlay(picture, Image.merge("RGB", (flat, flat, flat)))


def add_contours(picture: Image.Image, ground: Image.Image, *, every: int, ink: Colour) -> None:
    """Lines of equal height, on land only."""
    steps = ground.point(lambda height: max(height - SEA_LEVEL, 0) // every * 8)
    picture.paste(ink, mask=_edges(steps, strength=110))


def add_coast(picture: Image.Image, ground: Image.Image, *, ink: Colour) -> None:
    land = ground.point(lambda height: 255 if height >= SEA_LEVEL else 0)
    picture.paste(ink, mask=_edges(land, strength=235))


def find_coast(ground: Image.Image, *, start: Point, towards: Point) -> Point:
    """The last point on land on the way out from the start."""
    x, y = start
    while 0 <= x + towards[0] < ground.width and 0 <= y + towards[1] < ground.height:
        if _height_at(ground, (x + towards[0], y + towards[1])) < SEA_LEVEL:
            break
        x, y = x + towards[0], y + towards[1]
    return x, y


def depth_in_metres(ground: Image.Image, place: Point) -> float:
    """Nothing on land, and more the darker the grey."""
    return max(0.0, (SEA_LEVEL - _height_at(ground, place)) * 0.32)


def _noise(size: tuple[int, int], *, dice: Random) -> Image.Image:
    """Layers of ever finer random hills, each half as strong as the one before."""
    total = Image.new("L", size, 128)
    for cells, weight in ((5, 0.62), (11, 0.42), (23, 0.27), (47, 0.15), (90, 0.08)):
        grid = _grid(cells, size=size, dice=dice)
        total = Image.blend(total, grid.resize(size, Image.Resampling.BICUBIC), weight)
    return total


def _grid(cells: int, *, size: tuple[int, int], dice: Random) -> Image.Image:
    rows = max(2, cells * size[1] // size[0])
    return Image.frombytes("L", (cells, rows), dice.randbytes(cells * rows))


def _edges(steps: Image.Image, *, strength: int) -> Image.Image:
    # A border of one colour keeps the filter from drawing the picture's own frame.
    found = steps.filter(ImageFilter.FIND_EDGES).point(lambda edge: strength if edge else 0)
    ImageDraw.Draw(found).rectangle((0, 0, found.width - 1, found.height - 1), outline=0, width=2)
    return found.filter(ImageFilter.GaussianBlur(0.6))


def _height_at(ground: Image.Image, place: Point) -> int:
    height = ground.getpixel((int(place[0]), int(place[1])))
    assert isinstance(height, int | float)
    return int(height)
