"""A page of HTML that shows what the engine saw: each page's picture with the boxes, their order and their roles."""

import base64
import html
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole
from blobforge.processors.pdf_markdown.page_view import PageView

EXPLANATION = "explain.html"

_SHOWN = "shown-"
_LONGEST = 160
_COLOURS = {
    PassageRole.HEADING: "#c2185b",
    PassageRole.PARAGRAPH: "#1565c0",
    PassageRole.ITEM: "#00838f",
    PassageRole.TABLE: "#2e7d32",
    PassageRole.QUOTE: "#6a1b9a",
    PassageRole.FIGURE: "#ef6c00",
    PassageRole.CODE: "#37474f",
    PassageRole.NOTE: "#795548",
    PassageRole.PICTURE_TEXT: "#827717",
    PassageRole.RUNNING: "#9e9e9e",
    PassageRole.ASIDE: "#616161",
}
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1400px; padding: 0 1rem; color: #222; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2.5rem; }
.page { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1.5rem; align-items: start; }
.sheet { position: relative; border: 1px solid #ccc; line-height: 0; } .sheet img { width: 100%; }
.box { position: absolute; border: 1.5px solid; box-sizing: border-box; }
.box b { position: absolute; right: 100%; top: -1px; color: #fff; opacity: .85; }
.box b { font: 9px/1 sans-serif; padding: 1px 2px; }
ol { list-style: none; margin: 0; padding: 0; font-size: 13px; }
li { margin: 0 0 .35rem; overflow-wrap: anywhere; } li b { color: #fff; padding: 0 .35rem; margin-right: .4rem; }
.role { color: #666; margin-right: .4rem; }
@media (max-width: 800px) { .page { grid-template-columns: 1fr; } }
"""


def keep_picture(workspace: Path, view: PageView, number: int, *, angle: int | None = None) -> None:
    """For the explanation, which is written when all pages are read; turned as it was read. Raises EngineFailed."""
    width, height = view.size(number, angle=angle)
    path = workspace / f"{_SHOWN}{number:06d}-{width:.2f}-{height:.2f}.jpg"
    path.write_bytes(view.glance(number, angle=angle))


def write_explanation(workspace: Path, name: str, passages: Sequence[Passage]) -> Path:
    by_page: dict[int, list[Passage]] = {}
    for passage in passages:
        by_page.setdefault(passage.page, []).append(passage)
    path = workspace / EXPLANATION
    with path.open("w", encoding="utf-8", errors="replace") as target:
        title = html.escape(name)
        target.write(f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{title}</title>")
        target.write(f"<style>{_STYLE}</style></head><body><h1>How {title} was read</h1><p>{_legend()}</p>")
        for picture in sorted(workspace.glob(f"{_SHOWN}*.jpg")):
            _write_page(target, picture, by_page)
        target.write("</body></html>\n")
    return path


def _legend() -> str:
    return " ".join(
        f"<b style='background:{colour};color:#fff;padding:0 .4rem'>{role}</b>" for role, colour in _COLOURS.items()
    )


def _write_page(target: IO[str], picture: Path, by_page: dict[int, list[Passage]]) -> None:
    number, width, height = picture.stem.removeprefix(_SHOWN).split("-")
    numbered = list(_numbered(by_page.get(int(number), [])))
    image = base64.b64encode(picture.read_bytes()).decode("ascii")
    target.write(f"<h2 id='page-{int(number)}'>Page {int(number)}</h2><div class='page'><div class='sheet'>")
    target.write(f"<img alt='Page {int(number)}' src='data:image/jpeg;base64,{image}'>")
    for label, passage in numbered:
        target.write(_box(label, passage, float(width), float(height)))
    target.write("</div><ol>")
    for label, passage in numbered:
        target.write(_line(label, passage))
    target.write("</ol></div>\n")


def _numbered(passages: Sequence[Passage], above: str = "") -> Iterator[tuple[str, Passage]]:
    for number, passage in enumerate(passages, start=1):
        label = f"{above}{number}"
        yield label, passage
        yield from _numbered(passage.children, f"{label}.")


def _box(label: str, passage: Passage, width: float, height: float) -> str:
    left, top, right, bottom = passage.box
    place = (
        f"left:{100 * left / width:.2f}%;top:{100 * top / height:.2f}%;"
        f"width:{100 * (right - left) / width:.2f}%;height:{100 * (bottom - top) / height:.2f}%"
    )
    colour = _colour(passage)
    tag = f"<b style='background:{colour}'>{label}</b>"
    return f"<div class='box' style='{place};border-color:{colour}' title='{passage.role}'>{tag}</div>"


def _line(label: str, passage: Passage) -> str:
    role = f"{passage.role} {passage.level}" if passage.level else str(passage.role)
    text = passage.plain or passage.text or " · ".join(cell for row in passage.rows for cell in row)
    shown = html.escape(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
    tag = f"<b style='background:{_colour(passage)}'>{label}</b>"
    return f"<li>{tag}<span class='role'>{role}</span>{shown}</li>"


def _colour(passage: Passage) -> str:
    return _COLOURS[passage.role]
