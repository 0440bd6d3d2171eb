"""Small pictures without words: drawings as SVG, and one as pixels."""

import base64
import io
import math

from PIL import Image


def picture(name: str) -> str:
    return DRAWINGS[name] if name in DRAWINGS else _dunes()


def _drawing(width: int, height: int, shapes: str) -> str:
    return f'<svg class="picture" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">{shapes}</svg>'


def _dunes() -> str:
    """A shaded landscape in pixels, as a photograph would be."""
    image = Image.new("L", (240, 120))
    for x in range(240):
        ridge = 60 + 18 * math.sin(x / 23) + 7 * math.sin(x / 7)
        for y in range(120):
            image.putpixel((x, y), 225 - y // 2 if y < ridge else max(40, 150 - int((y - ridge) * 1.6) + x % 5 * 3))
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return f'<img class="picture" src="data:image/png;base64,{base64.b64encode(stream.getvalue()).decode()}">'


def _bars() -> str:
    heights = (22, 35, 31, 48, 60, 57, 74)
    bars = (f'<rect x="{16 + 28 * i}" y="{90 - h}" width="18" height="{h}"/>' for i, h in enumerate(heights))
    return f'<path d="M8 4V90H216" fill="none" stroke="#000"/><g fill="#56708c">{"".join(bars)}</g>'


def _board() -> str:
    cells = []
    for row in range(4):
        for column in range(6):
            shade = ("#9cc48b", "#e4cf8a", "#8fb7d4")[(row * 2 + column) % 3]
            x, y = 12 + 34 * column + 17 * (row % 2), 8 + 28 * row
            cells.append(f'<path d="M{x} {y + 9}l17 -9l17 9v18l-17 9l-17 -9z" fill="{shade}" stroke="#444"/>')
    tokens = '<circle cx="63" cy="54" r="8" fill="#b03030"/><circle cx="148" cy="82" r="8" fill="#2c4a8a"/>'
    return "".join(cells) + tokens


DRAWINGS = {
    "bars": _drawing(224, 100, _bars()),
    "board": _drawing(240, 134, _board()),
    "lantern": _drawing(
        80,
        120,
        '<path d="M28 20a12 14 0 0 1 24 0" fill="none" stroke="#333" stroke-width="3"/>'
        '<path d="M20 22h40l6 12H14z" fill="#5b4a3a"/><rect x="18" y="34" width="44" height="62" fill="#f3d98b" '
        'stroke="#5b4a3a" stroke-width="4"/><path d="M40 50q14 18 0 34q-14 -16 0 -34z" fill="#d9822b"/>'
        '<rect x="12" y="96" width="56" height="10" fill="#5b4a3a"/>',
    ),
    "pump": _drawing(
        260,
        90,
        '<rect x="10" y="30" width="70" height="44" fill="#c9d3dc" stroke="#333"/>'
        '<circle cx="120" cy="52" r="26" fill="#e6e6e6" stroke="#333" stroke-width="2"/>'
        '<path d="M120 52l18 -18M120 52l-18 18M80 52h14M146 52h40" stroke="#333" stroke-width="3"/>'
        '<rect x="186" y="18" width="60" height="62" rx="8" fill="#a9c3a4" stroke="#333"/>',
    ),
    "crab": _drawing(
        160,
        90,
        '<ellipse cx="80" cy="52" rx="40" ry="24" fill="#8b4a3b"/><g stroke="#8b4a3b" stroke-width="6" fill="none">'
        '<path d="M46 62l-26 18M52 70l-18 18M114 62l26 18M108 70l18 18M50 38L26 22M110 38l24 -16"/></g>'
        '<circle cx="22" cy="18" r="12" fill="#a65a48"/><circle cx="138" cy="18" r="12" fill="#a65a48"/>'
        '<circle cx="70" cy="42" r="4"/><circle cx="90" cy="42" r="4"/>',
    ),
    "backpack": _drawing(
        100,
        110,
        '<rect x="20" y="24" width="60" height="74" rx="16" fill="#7a8450"/><path d="M34 24a16 16 0 0 1 32 0" '
        'fill="none" stroke="#444" stroke-width="5"/><rect x="30" y="58" width="40" height="30" rx="6" fill="#5d6539"/>'
        '<path d="M20 44h60" stroke="#444" stroke-width="3"/>',
    ),
}
