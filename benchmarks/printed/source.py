"""The only source of a style: Markdown with hints, and the truth that is left without them."""

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
HINT = re.compile(r"^(?:> ?)*<!-- (?P<says>.*) -->$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    name: str
    text: str
    sheet: str


def read_source(name: str) -> Source:
    text = (FOLDER / "texts" / f"{name}.md").read_text(encoding="utf-8")
    sheet = (FOLDER / "sheets" / f"{name}.css").read_text(encoding="utf-8")
    return Source(name=name, text=text, sheet=sheet)


def without_hints(text: str) -> str:
    kept = (line for line in text.splitlines() if not HINT.match(line))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip() + "\n"
