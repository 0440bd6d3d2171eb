"""The only source of a style: Markdown with hints, and the truth that is left without them."""

import re
from pathlib import Path

from benchmarks.styles.content import typographic

TEXTS = Path(__file__).parent / "texts"
HINT = re.compile(r"^(?:> ?)*<!-- (?P<says>.*) -->$")


def read_source(name: str) -> str:
    """Hints keep the marks of a keyboard, as they are code."""
    lines = (TEXTS / f"{name}.md").read_text(encoding="utf-8").splitlines()
    return "\n".join(line if HINT.match(line) else typographic(line) for line in lines)


def without_hints(text: str) -> str:
    kept = (line for line in text.splitlines() if not HINT.match(line))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip() + "\n"
