"""The pages: HTML in which `fill="3"` stands for three sentences, so that a file shows a layout and not much else."""

import random
import re
from pathlib import Path

FOLDER = Path(__file__).parent
FILL = re.compile(r' fill="(\d+)"([^>]*)>')
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{name}</title>
<style>@page {{ size: A4; margin: 20mm }} body {{ margin: 0; font: 10pt/1.4 "DejaVu Serif" }}
p {{ margin: 0 0 7pt }} h1, h2, h3, h4 {{ margin: 12pt 0 6pt; line-height: 1.25 }}</style></head>
<body>{body}</body></html>"""


def names() -> list[str]:
    return sorted(path.stem for path in (FOLDER / "pages").glob("*.html"))


def body_of(name: str) -> str:
    """The HTML of a page with all of its sentences; the same each time."""
    sentences = (FOLDER / "sentences.txt").read_text(encoding="utf-8").splitlines()
    random.Random(name).shuffle(sentences)
    left = iter(sentences * 2)

    def filled(found: re.Match[str]) -> str:
        return f"{found[2]}>" + " ".join(next(left) for _ in range(int(found[1])))

    return FILL.sub(filled, (FOLDER / "pages" / f"{name}.html").read_text(encoding="utf-8"))


def page_of(name: str) -> str:
    return PAGE.format(name=name, body=body_of(name))
