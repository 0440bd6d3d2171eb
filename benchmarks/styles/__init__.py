"""Page styles that no layout engine was written for: `make_all` typesets each as a PDF beside its true Markdown."""

from importlib import import_module
from pathlib import Path

NAMES = ("bestiary", "report", "starship", "module", "zine", "magazine", "handbook")


def make_all(folder: Path) -> list[Path]:
    """Writes NAME.pdf and NAME.md for every style, and returns their paths."""
    from benchmarks.styles.printing import print_style

    folder.mkdir(parents=True, exist_ok=True)
    made: list[Path] = []
    for name in NAMES:
        made += print_style(import_module(f"benchmarks.styles.{name}").STYLE, folder)
    return made
