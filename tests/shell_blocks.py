"""The commands of a page, as a reader would copy them out of it."""

import re
from pathlib import Path

HOWTO = Path(__file__).parents[1] / "docs" / "howto"


def commands_of(page: str, *programs: str) -> list[str]:
    """Those that begin with one of these programs, or set a variable, in their order. What else stands in the indented
    blocks is what is answered."""
    begins = re.compile(rf"(?:{'|'.join(map(re.escape, programs))})\b|[A-Z_]+=")
    text = re.sub(r"\\\n\s*", "", (HOWTO / page).read_text(encoding="utf-8"))
    lines = [line.removeprefix("    ") for line in text.splitlines() if line.startswith("    ")]
    return [line for line in lines if begins.match(line)]
