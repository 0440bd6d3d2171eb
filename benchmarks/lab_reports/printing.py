"""Prints reports as PDFs by layout and language, with the truth beside each, in the form of a normalised result."""

import json
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.lab_reports.content import TONGUES, Result, Tongue
from benchmarks.lab_reports.layouts import LAYOUTS, Layout, Part

_WIDTHS: dict[Part, float] = {
    "name": 165, "value": 62, "unit": 88, "range": 98, "flag": 48, "previous": 66,
    "index": 26, "method": 80, "low": 48, "high": 48, "earlier": 66,
}  # fmt: skip
_LEFT, _TOP = 44.0, 60.0
_SIDES = {"left": 0.0, "center": 0.5, "right": 1.0}
_FLAGS = {
    "star": "*",
    "before": "*",
    "arrow": "↑",
    "sign": "+",
    "word": "High",
    "letter": "H",
    "glued": "H",
    "none": "",
}
_LOW_FLAGS = {
    "star": "*",
    "before": "*",
    "arrow": "↓",
    "sign": "-",
    "word": "Low",
    "letter": "L",
    "glued": "L",
    "none": "",
}
_MARKUP = """#set page(width: 595pt, height: 842pt, margin: 0pt)
#let at(x, y, side, body) = place(top + left, dx: x * 1pt, dy: y * 1pt, context {
  let size = measure(body)
  move(dx: -side * size.width, box(width: size.width + 1pt, body))
})
"""


class Placed(NamedTuple):
    """`side` is the share of the text that stands left of `x`."""

    x: float
    y: float
    text: str
    side: float = 0.0
    scale: float = 1.0
    raised: bool = False


class Printed(NamedTuple):
    pdf: bytes
    truth: dict[str, Any]


def make_all(folder: Path) -> list[Path]:
    """Every layout in every language: NAME.pdf and labels/NAME.json."""
    (folder / "labels").mkdir(parents=True, exist_ok=True)
    made = []
    for layout in LAYOUTS:
        for tongue in TONGUES:
            printed = print_report(layout, tongue)
            path = folder / f"{tongue.code}-{layout.name}.pdf"
            path.write_bytes(printed.pdf)
            (folder / "labels" / f"{path.stem}.json").write_text(
                json.dumps(printed.truth, ensure_ascii=False), encoding="utf-8"
            )
            made.append(path)
    return made


def print_report(layout: Layout, tongue: Tongue) -> Printed:
    import typst

    words = [*_head(layout, tongue), *_body(layout, tongue)]
    source = _MARKUP + f'#set text(font: "{layout.font}", size: {layout.size}pt)\n'
    source += "\n".join(_placed(word, layout) for word in words)
    if layout.ruled:
        source += "".join(
            f"\n#place(top + left, dy: {150 + 20 * step}pt, line(length: 540pt, stroke: 0.4pt))" for step in range(18)
        )
    if layout.watermark:
        source += '\n#place(center + horizon, rotate(-40deg, text(size: 60pt, fill: luma(210), "SPECIMEN COPY")))'
    if layout.overprint:
        source += "\n" + "\n".join(_placed(word._replace(x=word.x + 0.3), layout) for word in words)
    return Printed(typst.compile(source.encode()), _truth(layout, tongue))


def _placed(word: Placed, layout: Layout) -> str:
    size = layout.size * word.scale
    rise = -layout.size * 0.25 if word.raised else 0
    text = json.dumps(word.text, ensure_ascii=False)
    return f"#at({word.x:.1f}, {word.y + rise:.1f}, {word.side}, text(size: {size:.2f}pt, {text}))"


def _truth(layout: Layout, tongue: Tongue) -> dict[str, Any]:
    return {
        "first_name": tongue.first,
        "second_name": tongue.second,
        "DOB": tongue.birthday,
        "language": tongue.code,
        "observations": [
            {
                "biomarker_name": result.name,
                "value": float(result.value),
                "unit": result.unit,
                "reference_range": _ends(result, layout, tongue),
            }
            for result in tongue.results
        ],
    }


def _head(layout: Layout, tongue: Tongue) -> Iterator[Placed]:
    day, month, year = map(int, tongue.birthday.split("."))
    born = date(year, month, day)
    facts = {
        "first": tongue.first, "second": tongue.second, "caps": tongue.second.upper(),
        "day": born, "month": born, "late": born + timedelta(days=15_000),
    }  # fmt: skip
    yield Placed(_LEFT, 24, "Laboratory Medica Nova 24", scale=1.4)
    for place, line in enumerate(tongue.person[layout.person]):
        yield Placed(_LEFT + 230 * (place % 2), _TOP + 14 * (place // 2), line.format(**facts))
    yield Placed(_LEFT, _TOP + 32, tongue.doctor)


def _body(layout: Layout, tongue: Tongue) -> Iterator[Placed]:
    bodies = {
        "table": _table, "twins": _twins, "below": _below, "cards": _cards,
        "colons": _lines, "plain": _lines, "leaders": _lines,
    }  # fmt: skip
    words = list(bodies[layout.form](layout, tongue))
    yield from words
    yield Placed(_LEFT, max(word.y for word in words) + 40, tongue.remark)


def _table(layout: Layout, tongue: Tongue) -> Iterator[Placed]:
    y = 130.0
    if layout.head:
        yield from _row(layout, y, _heads(layout, tongue), _LEFT)
        y += 20
    for number, result in enumerate(tongue.results, start=1):
        if number in (1, 7):
            yield Placed(_LEFT, y, tongue.titles[number > 1])
            y += 20
        yield from _row(layout, y, _cells(layout, tongue, result, number), _LEFT)
        if layout.footnotes:
            yield Placed(_LEFT + 4.6 * len(result.name) + 12, y, "02", scale=0.55, raised=True)
        if layout.notes_beside:
            yield Placed(470, y, "see the note on how it is measured", scale=0.75)
        if layout.methods:
            y += 11
            yield Placed(_LEFT, y, "Method: enzymatic, colorimetric", scale=0.8)
        y += 20
    name, found, normal = tongue.in_words
    words = {"name": name, "value": found, "range": normal}
    yield from _row(layout, y, [words.get(part, "") for part in layout.columns], _LEFT)


def _twins(layout: Layout, tongue: Tongue) -> Iterator[Placed]:
    y = 130.0
    half = (len(tongue.results) + 1) // 2
    for left, width in ((_LEFT, 0.62), (_LEFT + 268, 0.62)):
        if layout.head:
            yield from _row(layout, y, _heads(layout, tongue), left, width=width)
    for place in range(half):
        y += 16
        for number, left in ((place, _LEFT), (place + half, _LEFT + 268)):
            if number < len(tongue.results):
                cells = _cells(layout, tongue, tongue.results[number], number + 1)
                yield from _row(layout, y, cells, left, width=0.62)


def _lines(layout: Layout, tongue: Tongue) -> Iterator[Placed]:
    y = 130.0
    for number, result in enumerate(tongue.results, start=1):
        if number in (1, 7):
            yield Placed(_LEFT, y, tongue.titles[number > 1])
            y += 16
        before, value, after = _flagged(layout, tongue, result)
        range_ = _range(result, layout, tongue)
        if layout.form == "colons":
            text = f"{result.name}: {before}{value} {result.unit} {range_} {after}"
        elif layout.form == "leaders":
            text = f"{result.name} {'.' * (60 - len(result.name))} {before}{value} {result.unit} {range_}"
        else:
            text = f"{result.name} {before}{value} {result.unit} {range_} {after}"
        yield Placed(_LEFT, y, text.rstrip())
        y += 16


def _below(layout: Layout, tongue: Tongue) -> Iterator[Placed]:
    y = 130.0
    for result in tongue.results:
        yield Placed(_LEFT, y, result.name)
        yield Placed(_LEFT + 220, y, f"{_number(result.value, tongue)} {result.unit}")
        yield Placed(_LEFT + 220, y + 12, _range(result, layout, tongue), scale=0.9)
        y += 32


def _cards(layout: Layout, tongue: Tongue) -> Iterator[Placed]:
    y = 120.0
    for result in tongue.results:
        yield Placed(_LEFT, y, result.name)
        yield Placed(_LEFT, y + 12, f"{_number(result.value, tongue)} {result.unit}")
        yield Placed(_LEFT, y + 24, _range(result, layout, tongue))
        y += 46


def _row(layout: Layout, y: float, cells: list[str], left: float, width: float = 1.0) -> Iterator[Placed]:
    x = left
    scale = width * (0.86 if layout.tight else 1.0)
    for part, text in zip(layout.columns, cells, strict=True):
        side = 0.0 if part in ("name", "index", "flag", "method") else _SIDES[layout.sides]
        column = _WIDTHS[part] * scale * (2 if layout.unit_in_value and part == "value" else 1)
        if text and part == "name" and layout.wrapped and len(text.split()) > 1:
            first, rest = text.split(" ", 1)
            yield Placed(x, y - 5, first)
            yield Placed(x, y + 5, rest)
        elif text:
            yield Placed(x + side * (column - 12), y, text, side)
        x += column


def _heads(layout: Layout, tongue: Tongue) -> list[str]:
    named: dict[str, str] = dict(zip(("name", "value", "unit", "range", "flag", "previous"), tongue.head, strict=True))
    named |= {"index": "#", "method": "Method", "low": "Min", "high": "Max"}
    if layout.dated:
        named |= {"value": "14.02.2025", "earlier": "03.09.2024"}
    return [named[part] for part in layout.columns]


def _cells(layout: Layout, tongue: Tongue, result: Result, number: int) -> list[str]:
    before, value, after = _flagged(layout, tongue, result)
    has_column = "flag" in layout.columns
    own = {
        "name": result.name,
        "value": value if has_column else f"{before}{value} {after}".rstrip(),
        "unit": result.unit,
        "range": _range(result, layout, tongue),
        "flag": (before or after).strip() if has_column else "",
        "previous": _number(f"{float(result.value) * 1.1:.1f}", tongue),
        "earlier": _number(f"{float(result.value) * 1.2:.1f}", tongue),
        "index": str(number),
        "method": "CLIA",
        "low": _number(result.low, tongue),
        "high": _number(result.high, tongue),
    }
    if layout.unit_in_value:
        own["value"] = f"{own['value']} {result.unit}"
    return [own[part] for part in layout.columns]


def _flagged(layout: Layout, tongue: Tongue, result: Result) -> tuple[str, str, str]:
    """What stands before the value, the value, and what stands after it."""
    value = _number(result.value, tongue)
    mark = (_FLAGS if result.flag == "H" else _LOW_FLAGS)[layout.flags] if result.flag else ""
    if layout.flags == "glued":
        return "", value + mark, ""
    return (f"{mark} " if mark else "", value, "") if layout.flags == "before" else ("", value, mark)


def _number(text: str, tongue: Tongue) -> str:
    return text.replace(".", tongue.mark)


def _ends(result: Result, layout: Layout, tongue: Tongue) -> str:
    low, high = _number(result.low, tongue), _number(result.high, tongue)
    if "low" in layout.columns:
        return " - ".join(end for end in (low, high) if end)
    if low and high:
        between = {"tight": "-", "dash": " – ", "words": f" {tongue.joiner} "}.get(layout.ranges, " - ")
        return f"{low}{between}{high}"
    if layout.ranges == "words" and high:
        return f"{tongue.upto} {high}"
    return f"> {low}" if low else f"< {high}"


def _range(result: Result, layout: Layout, tongue: Tongue) -> str:
    ends = _ends(result, layout, tongue)
    return {"brackets": f"({ends})", "square": f"[{ends}]", "labelled": f"Ref: {ends}"}.get(layout.ranges, ends)
